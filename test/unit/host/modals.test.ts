import assert from 'node:assert/strict';
import fc from 'fast-check';
import { background } from '../../../src/core/support/background.ts';
import type { ModalQuestion } from '../../../src/host/modals.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { runs } from '../../support/sample.ts';
import { withoutVsCode } from '../../support/withoutVsCode.ts';

const { escapeNotification, maxTimesShown, minResponseDelay, Modals } = await withoutVsCode(
  () => import('../../../src/host/modals.ts'),
);

interface Waiting {
  readonly question: ModalQuestion;
  readonly close: (answer: string | undefined) => void;
}

/** A window that shows one modal dialog at a time, as VS Code does, and others when it has closed. */
class ModalWindow {
  readonly clock = new ManualClock();
  /** Every dialog that was shown, in this order. */
  readonly shown: ModalQuestion[] = [];
  mostWaiting = 0;
  readonly #waiting: Waiting[] = [];
  readonly modals = new Modals((question) => {
    this.shown.push(question);
    return new Promise((close) => {
      this.#waiting.push({ question, close });
      this.mostWaiting = Math.max(this.mostWaiting, this.#waiting.length);
    });
  }, this.clock);

  get visible(): ModalQuestion | undefined {
    return this.#waiting[0]?.question;
  }

  /** Answers the visible dialog, after a time. The next one, if there is one, is visible then. */
  async answer(answer: string | undefined, after: number): Promise<void> {
    await this.clock.advance(after);
    this.#waiting.shift()?.close(answer);
    await this.clock.advance(0);
  }

  /** Answers each dialog as given, the last answer repeatedly. */
  async play(answers: readonly (readonly [after: number, answer: string])[]): Promise<void> {
    await this.clock.advance(0);
    for (let times = 0; this.visible !== undefined; times++) {
      const [after, answer] = answers[Math.min(times, answers.length - 1)] ?? [0, 'No'];
      await this.answer(answer, after);
    }
  }
}

const question = (message: string, harmless: ModalQuestion['harmless'] = []): ModalQuestion => ({
  severity: 'warning',
  message,
  detail: 'As shown.',
  buttons: ['No', 'Yes'],
  harmless,
});

describe('modal dialogs', () => {
  it('take no press that was meant for the dialog before', async () => {
    const window = new ModalWindow();
    const first = window.modals.ask(question('Remove the API key?'));
    const second = window.modals.ask(question('Run this command?'));
    await window.answer('Yes', 60_000);
    assert.equal(await first, 'Yes');
    assert.equal(window.visible?.message, 'Run this command?');
    await window.answer('Yes', minResponseDelay - 1);
    assert.equal(window.visible.message, 'Run this command?');
    await window.answer('No', minResponseDelay);
    assert.equal(await second, 'No');
  });

  it('wait for one another, and accept what was pressed long enough after they appeared', async () => {
    const press = fc.record({
      after: fc.integer({ min: 0, max: 2 * minResponseDelay }),
      answer: fc.constantFrom('Yes', 'No', undefined),
      asks: fc.nat({ max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(press, { minLength: 1, maxLength: 12 }), async (presses) => {
        const window = new ModalWindow();
        const answers: (string | undefined)[] = [];
        const expected: (string | undefined)[] = [];
        let tries = 0;
        for (const { after, answer, asks } of presses) {
          for (let ask = 0; ask < asks; ask++)
            background(
              window.modals
                .ask(question(`${ask}`, ['No']))
                .then((response) => answers.push(response)),
            );
          await window.clock.advance(0);
          if (window.visible === undefined) continue;
          tries += 1;
          const counts = after >= minResponseDelay || answer === 'No';
          if (counts || tries === maxTimesShown) {
            expected.push(counts ? answer : undefined);
            tries = 0;
          }
          await window.answer(answer, after);
        }
        assert.deepEqual(answers, expected);
        assert.ok(window.mostWaiting <= 1);
      }),
      { numRuns: runs(200) },
    );
  });

  it('come again with a notice, and still show all they showed, before another one', async () => {
    const window = new ModalWindow();
    const answer = window.modals.ask(question('First?'));
    const next = window.modals.ask(question('Second?'));
    await window.play([
      [0, 'Yes'],
      [minResponseDelay - 1, 'Yes'],
      [minResponseDelay, 'No'],
    ]);
    assert.equal(await answer, 'No');
    assert.equal(await next, 'No');
    assert.deepEqual(
      window.shown.map(({ message }) => message),
      ['First?', 'First?', 'First?', 'Second?'],
    );
    const [first, ...again] = window.shown.slice(0, 3).map(({ detail }) => detail);
    assert.equal(first, 'As shown.');
    for (const detail of again)
      assert.match(detail, /^As shown\.\n\n.*too quickly and was ignored\. Respond again\.$/);
  });

  it('accept a harmless answer immediately', async () => {
    for (const harmless of ['No', undefined]) {
      const window = new ModalWindow();
      const answer = window.modals.ask(question('Use it?', ['No', undefined]));
      await window.clock.advance(0);
      await window.answer(harmless, 0);
      assert.equal(await answer, harmless);
      assert.equal(window.shown.length, 1);
    }
  });

  it('give up if every answer is immediate', async () => {
    const window = new ModalWindow();
    const answer = window.modals.ask(question('Run it?'));
    await window.play([[0, 'Yes']]);
    assert.equal(await answer, undefined);
    assert.equal(window.shown.length, maxTimesShown);
  });

  it('are not shown once they are no longer needed, and let the next one pass', async () => {
    const window = new ModalWindow();
    const stop = new AbortController();
    const first = window.modals.ask(question('First?'));
    const stopped = window.modals.ask(question('Stopped?'), stop.signal);
    const rejected = assert.rejects(stopped, { name: 'AbortError' });
    const last = window.modals.ask(question('Last?'));
    await window.clock.advance(0);
    stop.abort();
    await window.answer('Yes', minResponseDelay);
    await window.answer('No', minResponseDelay);
    await rejected;
    assert.deepEqual([await first, await last], ['Yes', 'No']);
    assert.deepEqual(
      window.shown.map(({ message }) => message),
      ['First?', 'Last?'],
    );
  });
});

describe('escapeNotification', () => {
  it('leaves nothing that a notification treats as a link', () => {
    const link = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)[^)\s]+\)/;
    for (const target of ['command:aside.removeApiKey', 'https://evil.example', 'file:///etc']) {
      const text = `Click [here](${target}) or [there]](${target}).`;
      assert.match(text, link);
      assert.doesNotMatch(escapeNotification(text), link);
    }
  });
});
