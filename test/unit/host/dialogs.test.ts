import assert from 'node:assert/strict';
import { ManualClock } from '../../support/manualClock.ts';
import { withFakeVsCode } from '../../support/withFakeVsCode.ts';
import { withoutVsCode } from '../../support/withoutVsCode.ts';

const { askDeliberately, escapeNotification, maxTimesShown, minResponseDelay } =
  await withoutVsCode(() => import('../../../src/host/dialogs.ts'));

/**
 * A person who gives these answers, each after its number of milliseconds, the last one repeatedly.
 */
function person(answers: readonly (readonly [after: number, answer: boolean])[]) {
  const clock = new ManualClock();
  let times = 0;
  const ask = async (): Promise<boolean> => {
    const [after, answer] = answers[Math.min(times, answers.length - 1)] ?? [0, false];
    times += 1;
    await clock.advance(after);
    return answer;
  };
  return { clock, ask, timesShown: () => times };
}

const isNo = (answer: boolean): boolean => !answer;

describe('askDeliberately', () => {
  it('asks again after one that came too soon', async () => {
    const { ask, clock, timesShown } = person([
      [minResponseDelay - 1, true],
      [minResponseDelay, true],
    ]);
    assert.equal(await askDeliberately(ask, clock), true);
    assert.equal(timesShown(), 2);
  });

  it('accepts a harmless answer immediately', async () => {
    const { ask, clock, timesShown } = person([[0, false]]);
    assert.equal(await askDeliberately(ask, clock, isNo), false);
    assert.equal(timesShown(), 1);
  });

  it('gives up if every answer is immediate', async () => {
    const { ask, clock, timesShown } = person([[0, true]]);
    assert.equal(await askDeliberately(ask, clock, isNo), undefined);
    assert.equal(timesShown(), maxTimesShown);
  });
});

describe('a question with two buttons', () => {
  const dialogSymbol = Symbol.for('aside.test.dialog');
  const vscode = `
    export const window = {
      showInformationMessage: (...given) => globalThis[Symbol.for('aside.test.dialog')](...given),
    };
    export const l10n = { t: (text) => text };
  `;
  let answers: (string | undefined)[] = [];
  let questionCount = 0;
  beforeEach(() => {
    questionCount = 0;
    Reflect.set(globalThis, dialogSymbol, () => {
      questionCount += 1;
      return Promise.resolve(answers.shift());
    });
  });
  afterEach(() => void Reflect.deleteProperty(globalThis, dialogSymbol));

  async function decide(): Promise<boolean | undefined> {
    const { windowDialogs } = await withFakeVsCode(
      vscode,
      () => import('../../../src/host/dialogs.ts'),
    );
    return windowDialogs.decide('Use it?', '', 'Use', 'Do Not Use');
  }

  it('accepts no yes that came too soon to be deliberate', async () => {
    answers = Array.from({ length: 20 }, () => 'Use');
    assert.equal(await decide(), undefined);
    assert.equal(questionCount, maxTimesShown);
  });

  it('accepts a no, and Escape, immediately', async () => {
    answers = ['Do Not Use'];
    assert.equal(await decide(), false);
    answers = [undefined];
    assert.equal(await decide(), undefined);
    assert.equal(questionCount, 2);
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
      () => import('../../../src/host/dialogs.ts'),
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
