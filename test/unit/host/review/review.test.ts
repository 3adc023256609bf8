import assert from 'node:assert/strict';
import { Proposal } from '../../../../src/core/review/proposal.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { Review } = await withoutVsCode(() => import('../../../../src/host/review/review.ts'));

/** Streams this many lines into a review; returns how many characters were displayed. */
async function charactersShown(lines: number, wait: number): Promise<number> {
  const clock = new ManualClock();
  const proposal = new Proposal([], 0);
  let characterCount = 0;
  const review = new Review({
    label: 'a.ts',
    path: 'a.ts',
    original: 'file:///a.ts',
    text: () => '',
    proposal,
    accept: () => Promise.resolve(),
    reject: () => undefined,
    drop: () => undefined,
    finish: () => Promise.resolve(),
    clock,
  });
  review.onDidChange(() => (characterCount += review.proposedText().length));
  for (let line = 0; line < lines; line++) {
    review.push(`  const value${line} = compute(${line});\n`);
    await clock.advance(wait);
  }
  review.end();
  return characterCount;
}

describe('Review', () => {
  it('shows a stream at a cost that grows with its length', async () => {
    const length = 2000 * 38;
    assert.ok((await charactersShown(2000, 0)) < 14 * length);
    assert.ok((await charactersShown(20_000, 0)) < 14 * 10 * length);
  });

  it('shows a slow stream often, and bounds the characters of each second', async () => {
    const seconds = (2000 * 20) / 1000;
    const characterCount = await charactersShown(2000, 20);
    assert.ok(characterCount > 40 * 2000, `${characterCount}`);
    assert.ok(characterCount < seconds * 300_000 + 14 * 2000 * 38, `${characterCount}`);
  });
});
