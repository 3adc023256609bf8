import assert from 'node:assert/strict';
import type { Dialogs, ModalQuestion } from '../../../../src/host/platform/dialogs.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import fc from 'fast-check';
import { background } from '../../../../src/core/support/background.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { runs } from '../../../support/sample.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

describe('modal dialogs of the window', () => {
  const dialogSymbol = Symbol.for('aside.test.dialog');
  const vscode = `
    const show = (...given) => globalThis[Symbol.for('aside.test.dialog')](...given);
    export const window = { showInformationMessage: show, showWarningMessage: show };
    export const l10n = { t: (text) => text };
  `;
  let answers: (string | undefined)[] = [];
  let shown: (readonly unknown[])[] = [];
  beforeEach(() => {
    shown = [];
    Reflect.set(globalThis, dialogSymbol, (...parameters: readonly unknown[]) => {
      shown.push(parameters);
      return Promise.resolve(answers.shift());
    });
  });
  afterEach(() => void Reflect.deleteProperty(globalThis, dialogSymbol));

  async function open(): Promise<Dialogs> {
    const { windowDialogs } = await withFakeVsCode(
      vscode,
      () => import('../../../../src/host/platform/dialogs.ts'),
    );
    return windowDialogs;
  }

  it('accept no button that came too soon to be deliberate', async () => {
    const dialogs = await open();
    const immediate = { message: 'Key?', buttons: ['Use', 'Keep'] };
    for (const ask of [
      () => dialogs.decide('Use it?', '', 'Use', "Don't Use"),
      () => dialogs.choose(immediate),
      () => dialogs.confirm('Use it?', '', 'Use'),
    ]) {
      shown = [];
      answers = Array.from({ length: 20 }, () => 'Use');
      assert.ok((await ask()) !== true);
      assert.equal(shown.length, 8);
    }
  });

  it('accept a no, and Escape, immediately, and have the focus on the no', async () => {
    const dialogs = await open();
    answers = ["Don't Use", undefined, undefined, undefined];
    assert.equal(await dialogs.decide('Use [it](command:x)?', '', 'Use', "Don't Use"), false);
    // VS Code gives the focus to the first button.
    assert.deepEqual(shown.at(-1)?.slice(2), ["Don't Use", 'Use']);
    assert.deepEqual(shown.at(-1)?.slice(0, 2), [
      'Use [it] (command:x)?',
      { modal: true, detail: '' },
    ]);
    assert.equal(await dialogs.decide('Use it?', '', 'Use', "Don't Use"), undefined);
    assert.equal(await dialogs.choose({ message: 'Key?', buttons: ['Use'] }), undefined);
    assert.equal(await dialogs.confirm('Use it?', '', 'Use'), false);
    assert.equal(shown.length, 4);
  });
});

describe('an input box', () => {
  /** An input box of VS Code that the test controls. */
  const source = `
    const listeners = {};
    const on = (name) => (listener) => {
      listeners[name] = listener;
      return { dispose() {} };
    };
    export const box = {
      value: '',
      validationMessage: undefined,
      onDidChangeValue: on('value'),
      onDidAccept: on('accept'),
      onDidHide: on('hide'),
      show() {},
      hide() {},
      dispose() {},
      type(text) {
        box.value = text;
        listeners.value(text);
      },
      accept: () => listeners.accept(),
    };
    export const UIKind = { Desktop: 1, Web: 2 };
    export const env = {
      uiKind: UIKind.KIND,
      clipboard: { readText: async () => 'copied' },
    };
    export const InputBoxValidationSeverity = { Error: 3, Warning: 2, Info: 1 };
    export const window = { createInputBox: () => box };
    globalThis[Symbol.for('aside.test.box')] = box;
    export const l10n = { t: (text) => text };
  `;

  let boxes = 0;

  interface Box {
    value: string;
    validationMessage: { readonly message: string } | undefined;
    type(text: string): void;
    accept(): void;
  }

  function isBox(value: unknown): value is Box {
    return typeof value === 'object' && value !== null && 'validationMessage' in value;
  }

  /** Opens a box that proposes a copied text, and masks a secret in the displayed text. */
  async function open(kind: 'Desktop' | 'Web'): Promise<{ box: Box; answer: Promise<unknown> }> {
    boxes += 1;
    // A module with the same source would not be evaluated again.
    const vscode = `${source.replace('UIKind.KIND', `UIKind.${kind}`)}// ${boxes}`;
    const { windowDialogs } = await withFakeVsCode(
      vscode,
      () => import('../../../../src/host/platform/dialogs.ts'),
    );
    const answer = windowDialogs.prompt({
      title: 'Address',
      prompt: 'Type it.',
      value: 'before',
      check: (text) => ({ text: `checked ${text}`, severity: 'information' }),
      propose: (text) => `${text} address`,
      replace: (text) => (text.includes('secret') ? 'public' : undefined),
    });
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    const box: unknown = Reflect.get(globalThis, Symbol.for('aside.test.box'));
    assert.ok(isBox(box));
    return { box, answer };
  }
  afterEach(() => void Reflect.deleteProperty(globalThis, Symbol.for('aside.test.box')));

  it('starts with the proposal from the clipboard, and validates it', async () => {
    const { box, answer } = await open('Desktop');
    assert.equal(box.value, 'copied address');
    assert.equal(box.validationMessage?.message, 'checked copied address');
    box.accept();
    assert.equal(await answer, 'copied address');
  });

  it('reads no clipboard in a browser, which would ask the person', async () => {
    const { box, answer } = await open('Web');
    assert.equal(box.value, 'before');
    box.accept();
    assert.equal(await answer, 'before');
  });

  it('shows another text in place of a secret one', async () => {
    const { box, answer } = await open('Desktop');
    box.type('with a secret');
    assert.equal(box.value, 'public');
    assert.equal(box.validationMessage?.message, 'checked public');
    box.accept();
    assert.equal(await answer, 'public');
  });
});

const { escapeNotification, maxTimesShown, minResponseDelay, Modals } = await withoutVsCode(
  () => import('../../../../src/host/platform/dialogs.ts'),
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
