import assert from 'node:assert/strict';
import { ManualClock } from '../../../support/manualClock.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { maxTimesShown: mostShown, minResponseDelay: soonestAnswer } = await withoutVsCode(
  () => import('../../../../src/host/approval/approvalDialog.ts'),
);
const { confirmDeliberately: meantYes } = await withoutVsCode(
  () => import('../../../../src/host/attachments/attachmentDialogs.ts'),
);

/** Somebody who answers after so many milliseconds each time, the last ones again and again. */
function person(answers: readonly (readonly [after: number, answer: boolean])[]) {
  const clock = new ManualClock();
  let shown = 0;
  const ask = async (): Promise<boolean> => {
    const [after, answer] = answers[Math.min(shown, answers.length - 1)] ?? [0, false];
    shown += 1;
    await clock.advance(after);
    return answer;
  };
  return { clock, ask, shown: () => shown };
}

describe('a yes that was meant', () => {
  it('is one that came late enough to have read the question', async () => {
    const { ask, clock, shown } = person([[soonestAnswer, true]]);
    assert.equal(await meantYes(ask, clock), true);
    assert.equal(shown(), 1);
  });

  it('is asked for again after one that came too soon', async () => {
    const { ask, clock, shown } = person([
      [soonestAnswer - 1, true],
      [soonestAnswer, true],
    ]);
    assert.equal(await meantYes(ask, clock), true);
    assert.equal(shown(), 2);
  });

  it('takes a no at once', async () => {
    const { ask, clock, shown } = person([[0, false]]);
    assert.equal(await meantYes(ask, clock), false);
    assert.equal(shown(), 1);
  });

  it('gives up where every yes comes at once', async () => {
    const { ask, clock, shown } = person([[0, true]]);
    assert.equal(await meantYes(ask, clock), false);
    assert.equal(shown(), mostShown);
  });
});
