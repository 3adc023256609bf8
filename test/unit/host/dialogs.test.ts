import assert from 'node:assert/strict';
import type { Dialogs } from '../../../src/host/dialogs.ts';
import { withFakeVsCode } from '../../support/withFakeVsCode.ts';

describe('modal dialogs', () => {
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
      () => import('../../../src/host/dialogs.ts'),
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
