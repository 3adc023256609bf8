import assert from 'node:assert/strict';
import { Proposal } from '../../../../src/core/edits/proposal.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

const vscode = `
  export const window = { activeTextEditor: undefined };
  export const l10n = { t: (text) => text };
  export const Uri = { from: (parts) => parts };
  export const TextEditorRevealType = {};
  export class Selection {
    constructor(line) {
      this.active = { line };
    }
  }
  export class Range {}
`;

const { decideAtCursor, Review, reviewScheme, window } = await withFakeVsCode(vscode, async () => ({
  ...(await import('../../../../src/host/review/openReviews.ts')),
  ...(await import('../../../../src/host/review/review.ts')),
  ...(await import('../../../../src/host/contributions.ts')),
  ...(await import('vscode')),
}));

const before = 'a\nb\nc\nd\ne\n';

/** Rejects the change at a line of the proposed text, in which lines 1 and 3 changed. */
async function rejectAt(line: number): Promise<{ text: string; cursor: number }> {
  const proposal = Proposal.between(before, 'a\nB\nc\nD\ne\n');
  const subject = {
    label: 'a.ts',
    path: 'a.ts',
    original: 'original:a.ts',
    text: () => before,
    proposal,
    accept: () => assert.fail('Nothing is accepted.'),
    drop: () => assert.fail('Nothing is dropped.'),
    finish: () => Promise.resolve(),
  };
  const review = new Review(subject, new ManualClock());
  const editor = {
    document: { uri: { scheme: reviewScheme } },
    selection: { active: { line } },
    revealRange: () => undefined,
  };
  Object.assign(window, { activeTextEditor: editor });
  await decideAtCursor(review, 'reject');
  const text = proposal.proposedText(before);
  review.dispose();
  return { text, cursor: editor.selection.active.line };
}

describe('a decision at the cursor', () => {
  it('is about the change at the cursor or the next one, and goes on to another', async () => {
    const first = { text: 'a\nb\nc\nD\ne\n', cursor: 3 };
    const second = { text: 'a\nB\nc\nd\ne\n', cursor: 1 };
    assert.deepEqual(await rejectAt(0), first);
    assert.deepEqual(await rejectAt(1), first);
    assert.deepEqual(await rejectAt(2), second);
    assert.deepEqual(await rejectAt(3), second);
    assert.deepEqual(await rejectAt(4), second);
  });
});
