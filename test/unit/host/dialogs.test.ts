import assert from 'node:assert/strict';
import { ManualClock } from '../../support/manualClock.ts';
import { withFakeVsCode } from '../../support/withFakeVsCode.ts';
import { withoutVsCode } from '../../support/withoutVsCode.ts';

const { askDeliberately, escapeNotification, maxTimesShown, minResponseDelay } =
  await withoutVsCode(() => import('../../../src/host/dialogs.ts'));

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

const isNo = (answer: boolean): boolean => !answer;

describe('askDeliberately', () => {
  it('returns an answer that came late enough to have read the question', async () => {
    const { ask, clock, shown } = person([[minResponseDelay, true]]);
    assert.equal(await askDeliberately(ask, clock), true);
    assert.equal(shown(), 1);
  });

  it('asks again after one that came too soon', async () => {
    const { ask, clock, shown } = person([
      [minResponseDelay - 1, true],
      [minResponseDelay, true],
    ]);
    assert.equal(await askDeliberately(ask, clock), true);
    assert.equal(shown(), 2);
  });

  it('takes a harmless answer at once', async () => {
    const { ask, clock, shown } = person([[0, false]]);
    assert.equal(await askDeliberately(ask, clock, isNo), false);
    assert.equal(shown(), 1);
  });

  it('asks again after a no where no answer is harmless', async () => {
    const { ask, clock, shown } = person([
      [0, false],
      [minResponseDelay, true],
    ]);
    assert.equal(await askDeliberately(ask, clock), true);
    assert.equal(shown(), 2);
  });

  it('gives up where every answer comes at once', async () => {
    const { ask, clock, shown } = person([[0, true]]);
    assert.equal(await askDeliberately(ask, clock, isNo), undefined);
    assert.equal(shown(), maxTimesShown);
  });
});

describe('the question with two answers', () => {
  const shown = Symbol.for('aside.test.dialog');
  const vscode = `
    export const window = {
      showInformationMessage: (...given) => globalThis[Symbol.for('aside.test.dialog')](...given),
    };
    export const l10n = { t: (text) => text };
  `;
  let answers: (string | undefined)[] = [];
  let asked = 0;
  beforeEach(() => {
    asked = 0;
    Reflect.set(globalThis, shown, () => {
      asked += 1;
      return Promise.resolve(answers.shift());
    });
  });
  afterEach(() => void Reflect.deleteProperty(globalThis, shown));

  async function decide(): Promise<boolean | undefined> {
    const { windowDialogs } = await withFakeVsCode(
      vscode,
      () => import('../../../src/host/dialogs.ts'),
    );
    return windowDialogs.decide('Use it?', '', 'Use', 'Do Not Use');
  }

  it('takes no yes that came too soon to have been meant', async () => {
    answers = Array.from({ length: 20 }, () => 'Use');
    assert.equal(await decide(), undefined);
    assert.equal(asked, maxTimesShown);
  });

  it('takes a no, and nothing, at once', async () => {
    answers = ['Do Not Use'];
    assert.equal(await decide(), false);
    answers = [undefined];
    assert.equal(await decide(), undefined);
    assert.equal(asked, 2);
  });
});

describe('escapeNotification', () => {
  it('leaves nothing that a notification takes for a link', () => {
    const link = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)[^)\s]+\)/;
    for (const target of ['command:aside.removeApiKey', 'https://evil.example', 'file:///etc']) {
      const text = `Click [here](${target}) or [there]](${target}).`;
      assert.match(text, link);
      assert.doesNotMatch(escapeNotification(text), link);
    }
  });

  it('leaves other text as it is', () => {
    assert.equal(escapeNotification('a [b] (c) list[0]'), 'a [b] (c) list[0]');
  });
});
