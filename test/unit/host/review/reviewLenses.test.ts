import assert from 'node:assert/strict';
import { Proposal } from '../../../../src/core/review/proposal.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

const vscode = `
  export const l10n = { t: (text) => text };
  export class Range { constructor(line) { this.line = line; } }
  export class CodeLens {
    constructor(range, command) { this.range = range; this.command = command; }
  }
  export class EventEmitter { event = () => undefined; fire() {} dispose() {} }
`;

const { ReviewLenses, Review } = await withFakeVsCode(vscode, async () => ({
  ...(await import('../../../../src/host/review/reviewLenses.ts')),
  ...(await import('../../../../src/host/review/review.ts')),
}));

const text = ['a', 'b', 'c', 'd', ''].join('\n');

/** A review of a change of the line `c`, with its buttons as `line title`. */
function rig() {
  const proposal = new Proposal(['c'], 2);
  const none = (): Promise<void> => Promise.resolve();
  const review = new Review({
    label: 'a.ts',
    path: 'a.ts',
    original: 'file:///a.ts',
    text: () => text,
    proposal,
    line: 2,
    accept: none,
    reject: () => undefined,
    drop: () => undefined,
    finish: none,
    clock: new ManualClock(),
  });
  const lenses = new ReviewLenses(() => review);
  const document: unknown = {
    uri: { toString: () => 'aside-review:/a.ts' },
    get lineCount() {
      return review.proposedText().split('\n').length;
    },
  };
  const titles = (): readonly string[] => {
    const provided: unknown = Reflect.apply(lenses.provideCodeLenses.bind(lenses), undefined, [
      document,
    ]);
    assert.ok(Array.isArray(provided));
    return provided.map(describeLens);
  };
  return { review, titles };
}

function describeLens(lens: unknown): string {
  assert.ok(lens instanceof Object);
  const range: unknown = Reflect.get(lens, 'range');
  const command: unknown = Reflect.get(lens, 'command');
  assert.ok(range instanceof Object && command instanceof Object);
  const [line, title, id] = [
    Reflect.get(range, 'line'),
    Reflect.get(command, 'title'),
    Reflect.get(command, 'command'),
  ].map(String);
  return `${line} ${title?.replace('\u00A0', ' ')} ${id}`.trim();
}

describe('the buttons of a review', () => {
  it('are a progress and a Stop button at the selection until the code is complete', () => {
    const { review, titles } = rig();
    const coming = ['2 $(loading~spin) Editing…', '2 $(debug-stop) Stop aside.rejectEdit'];
    assert.deepEqual(titles(), coming);
    review.push('C\n');
    assert.deepEqual(titles(), coming);
  });

  it('accept and reject afterwards', () => {
    const { review, titles } = rig();
    review.push('C\n');
    assert.ok(review.end());
    assert.deepEqual(titles(), [
      '2 $(check) Accept aside.acceptEdit',
      '2 $(discard) Reject aside.rejectEdit',
    ]);
    review.drop();
    assert.deepEqual(titles(), []);
  });
});
