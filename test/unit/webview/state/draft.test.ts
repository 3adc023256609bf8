import assert from 'node:assert/strict';
import { mock } from 'node:test';
import fc from 'fast-check';
import { withoutSent } from '../../../../src/protocol/draftText.ts';
import { Draft, type KeptDraft } from '../../../../src/webview/state/draft.ts';

describe('Draft', () => {
  let saved: string[];
  let draft: Draft;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    saved = [];
    draft = new Draft(({ text }) => void saved.push(text));
  });
  afterEach(() => mock.timers.reset());

  it('is saved as it changes, once for changes in quick succession', () => {
    draft.replace('a');
    assert.deepEqual(saved, ['a']);
    draft.replace('ab');
    draft.replace('abc');
    assert.deepEqual(saved, ['a']);
    mock.timers.tick(50);
    assert.deepEqual(saved, ['a', 'abc']);
    mock.timers.tick(5000);
    assert.deepEqual(saved, ['a', 'abc']);
  });

  it('is saved immediately when flushed', () => {
    draft.replace('a');
    draft.replace('ab');
    draft.flush();
    draft.flush();
    assert.deepEqual(saved, ['a', 'ab']);
  });

  it('restores a refused message before the text typed since', () => {
    draft.load('a', 'Why?');
    draft.clearForSend();
    draft.replace('And');
    draft.settle('Why?', false);
    assert.equal(draft.text.value, 'Why?\nAnd');
    assert.deepEqual(saved, ['Why?\nAnd']);
  });

  it('is always stored somewhere, whenever the host or the view ends', () => {
    const step = fc.oneof(
      fc.record({ act: fc.constant('type'), text: fc.string({ minLength: 1, maxLength: 3 }) }),
      fc.record({
        act: fc.constantFrom('send', 'accept', 'refuse', 'store'),
        text: fc.constant(''),
      }),
      fc.record({ act: fc.constant('wait'), text: fc.constantFrom('x', 'xx'.repeat(40)) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let host = '';
        let stored: KeptDraft | undefined;
        let store = (): void => undefined;
        const sent: string[] = [];
        const keeper = { read: () => stored, write: (written?: KeptDraft) => (stored = written) };
        const tested = new Draft(({ text }, onStored) => {
          host = text;
          store = onStored;
        }, keeper);
        for (const { act, text } of steps) {
          if (act === 'type') tested.replace(tested.text.value + text);
          if (act === 'wait') mock.timers.tick(text.length);
          if (act === 'store') store();
          if (act === 'send' && tested.text.value !== '') {
            sent.push(tested.text.value);
            tested.clearForSend();
          }
          const message = act === 'accept' || act === 'refuse' ? sent.shift() : undefined;
          if (act === 'accept' && message !== undefined) host = withoutSent(host, message);
          if (message !== undefined) tested.settle(message, act === 'accept');
          const unsent = [...sent, tested.text.value].filter((text) => text !== '').join('\n');
          // If either the host or the view crashes, the other still has the draft.
          assert.equal(stored?.text ?? host, unsent);
        }
      }),
    );
  });

  it('stays with its chat whenever another one is shown, and loses no character', () => {
    const step = fc.record({
      act: fc.constantFrom('type', 'type', 'deliver', 'answer', 'show', 'wait', 'confirm'),
      chat: fc.constantFrom('a', 'b', 'c'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const host = new Map<string, string>();
        const typed = new Map<string, string>();
        const toHost: [KeptDraft, () => void][] = [];
        const toView: (() => void)[] = [];
        let viewText = '';
        let letters = 0;
        const tested = new Draft((...saved) => void toHost.push(saved));
        const show = (chat: string): void => {
          const draft = host.get(chat) ?? '';
          toView.push(() => tested.load((viewText = chat), draft));
        };
        const deliver = (): void => {
          const [draft, onStored] = toHost.shift() ?? [];
          if (draft === undefined || onStored === undefined) return;
          host.set(draft.conversation, draft.text);
          toView.push(onStored);
        };
        show('a');
        toView.shift()?.();
        for (const { act, chat } of steps) {
          if (act === 'type') {
            const letter = String.fromCharCode(97 + (letters++ % 26));
            typed.set(viewText, (typed.get(viewText) ?? '') + letter);
            tested.replace(tested.text.value + letter);
          }
          if (act === 'deliver') deliver();
          if (act === 'answer') toView.shift()?.();
          if (act === 'show') show(chat);
          if (act === 'wait') mock.timers.tick(60);
          // Models a person who doesn't leave a chat, type elsewhere and return before a message
          // has arrived.
          while (act === 'show' && toHost.length + toView.length > 1) {
            deliver();
            toView.shift()?.();
          }
          assert.equal(tested.text.value, typed.get(viewText) ?? '');
        }
        tested.flush();
        while (toHost.length > 0) deliver();
        for (const [chat, text] of typed) assert.equal(host.get(chat) ?? '', text);
      }),
    );
  });

  it('is loaded from the view if the host had not stored it', () => {
    const stored = { conversation: 'a', text: 'Hello there', at: 2 };
    const keeper = { read: () => stored, write: () => undefined };
    draft = new Draft(({ text }) => void saved.push(text), keeper);
    draft.load('a', 'Hel');
    draft.recover('An earlier message');
    assert.equal(draft.text.value, 'Hello there');
    assert.deepEqual(saved, ['Hello there']);
    draft = new Draft(({ text }) => void saved.push(text), keeper);
    draft.load('a', '');
    draft.recover('Hello there');
    assert.equal(draft.text.value, '');
  });

  it('is not loaded from the view if the host has a newer one', () => {
    const stored = { conversation: 'a', text: '@temper', at: 5 };
    const keeper = { read: () => stored, write: () => undefined };
    draft = new Draft(({ text }) => void saved.push(text), keeper);
    for (const at of [5, 6]) {
      draft.load(`${at}`, 'Something else');
      draft.load('a', 'Draft 10', at);
      draft.recover('');
      assert.equal(draft.text.value, 'Draft 10');
    }
    assert.deepEqual(saved, []);
  });

  it('adopts text typed elsewhere, unless it is newer', () => {
    let store = (): void => undefined;
    draft = new Draft((_, onStored) => (store = onStored));
    draft.load('a', 'first');
    draft.adopt('elsewhere');
    assert.equal(draft.text.value, 'elsewhere');
    draft.replace('here');
    draft.adopt('elsewhere again');
    assert.equal(draft.text.value, 'here');
    store();
    draft.clearForSend();
    draft.adopt('');
    draft.settle('here', false);
    assert.equal(draft.text.value, 'here');
  });

  it('goes to its own chat if another one is shown after a reload', () => {
    const posted: KeptDraft[] = [];
    const stored = { conversation: 'b', text: 'Hello there', at: 2 };
    const keeper = { read: () => stored, write: () => undefined };
    draft = new Draft((typed) => void posted.push(typed), keeper);
    draft.load('a', 'Other words');
    draft.recover('');
    assert.equal(draft.text.value, 'Other words');
    assert.deepEqual(posted, [stored]);
  });

  it('is not replaced by a draft of the same chat, nor does that lose a message being sent', () => {
    let store = (): void => undefined;
    draft = new Draft((_, onStored) => (store = onStored));
    draft.load('a', 'first');
    draft.replace('newer');
    store();
    draft.load('a', 'first');
    assert.equal(draft.text.value, 'newer');
    draft.clearForSend();
    draft.load('a', '');
    draft.settle('newer', false);
    assert.equal(draft.text.value, 'newer');
  });
});
