import assert from 'node:assert/strict';
import {
  emptyConversation,
  type RequestOptions,
} from '../../../../src/core/conversation/conversation.ts';
import type { HostMessage, PostedMessage } from '../../../../src/protocol/messages.ts';
import { Store } from '../../../../src/webview/state/store.ts';
import { readyState } from '../panel.ts';

type Answer = Omit<Extract<HostMessage, { type: 'answer' }>, 'type' | 'id'>;

/** A store whose host the test controls. */
function open() {
  const posted: PostedMessage[] = [];
  const pending: Extract<PostedMessage, { type: 'call' }>[] = [];
  let receive: (message: HostMessage) => void = () => undefined;
  const store = new Store({
    post(message) {
      posted.push(message);
      if (message.type === 'call') pending.push(message);
    },
    listen(listener) {
      receive = listener;
      return { dispose: () => undefined };
    },
  });
  return {
    store,
    posted,
    pending,
    echo: (options: RequestOptions) =>
      receive({ type: 'events', events: [{ type: 'options-change', options }] }),
    show: (options: RequestOptions, id = 'chat'): void => {
      const conversation = { ...emptyConversation(id), options };
      const snapshot = { conversation, before: 1, after: 0, state: readyState, draft: '', now: 0 };
      receive({ type: 'snapshot', snapshot });
    },
    /** Answers the oldest request. */
    answer: async (answer: Answer = {}): Promise<void> => {
      receive({ type: 'answer', id: pending.shift()?.id ?? 0, ...answer });
      await new Promise(setImmediate);
    },
  };
}

describe('the find box in the store', () => {
  it('stays open for a later state of the chat, and closes when another chat is shown', () => {
    const { store, show } = open();
    show({}, 'chat');
    store.find.showMatch('turn-1', 'clouds');
    show({}, 'chat');
    assert.notEqual(store.find.open.value, 0);
    show({}, 'other');
    assert.equal(store.find.open.value, 0);
  });
});

describe('the options in the store', () => {
  it('keep a second change while the host confirms the first', async () => {
    const { store, echo, answer } = open();
    const first = store.setOptions({ topP: 0.9 });
    const second = store.setOptions({ topP: 0.9, json: true });
    echo({ topP: 0.9 });
    await answer();
    await first;
    assert.deepEqual(store.options.value, { topP: 0.9, json: true });
    echo({ topP: 0.9, json: true });
    await answer();
    await second;
    assert.deepEqual(store.options.value, { topP: 0.9, json: true });
  });

  it("are the host's once it has replied, and the previous ones if it refuses", async () => {
    const { store, echo, answer } = open();
    echo({ maxTokens: 5 });
    const change = store.setOptions({ maxTokens: 6 });
    await answer({ error: 'No.' });
    await change;
    assert.deepEqual(store.options.value, { maxTokens: 5 });
  });

  it('stay as chosen if an older snapshot arrives', async () => {
    const { store, echo, show, answer } = open();
    const change = store.setOptions({ topP: 0.9 });
    show({ maxTokens: 5 });
    assert.deepEqual(store.options.value, { topP: 0.9 });
    echo({ topP: 0.9 });
    await answer();
    await change;
    assert.deepEqual(store.options.value, { topP: 0.9 });
    show({ maxTokens: 5 });
    assert.deepEqual(store.options.value, { maxTokens: 5 });
  });

  it('are those of a later snapshot if the host refuses', async () => {
    const { store, show, answer } = open();
    const change = store.setOptions({ topP: 0.9 });
    show({ maxTokens: 5 });
    await answer({ error: 'No.' });
    await change;
    assert.deepEqual(store.options.value, { maxTokens: 5 });
  });
});

describe('requests of the store, and their results', () => {
  function openWithChat() {
    const { show, answer, ...opened } = open();
    show({}, 'a');
    return { ...opened, show: (id: string) => show({}, id), answer };
  }

  it('show why a search or a draft failed, but not for automatic requests', async () => {
    const { store, answer } = openWithChat();
    store.find.showMatch('turn', 'words');
    await answer({ error: 'Not searched.' });
    assert.equal(store.refusal.value, 'Not searched.');
    store.draft.replace('typed');
    await answer({ error: 'Not kept.' });
    assert.equal(store.refusal.value, 'Not kept.');
    store.refuse('');
    void store.restores.find('turn');
    await answer({ error: 'No.' });
    const links = store.references.find([{ text: 'a.ts', isCode: true }]);
    await answer({ error: 'No.' });
    assert.deepEqual(await links, [undefined]);
    const image = store.readImage('hash');
    await answer({ error: 'No.' });
    assert.equal(await image, undefined);
    assert.equal(store.refusal.value, '');
  });

  it('are dropped for a chat that is no longer visible, except for images', async () => {
    const { store, show, answer, pending } = openWithChat();
    store.find.showMatch('turn', 'words');
    void store.restores.find('turn');
    const image = store.readImage('hash');
    assert.deepEqual(new Set(pending.map(({ conversation }) => conversation)), new Set(['a']));
    show('b');
    await answer({ value: { places: [], start: 0, complete: true } });
    await answer({ value: { files: ['a.ts'], left: [] } });
    await answer({ value: 'data:' });
    assert.equal(store.find.matches.value, undefined);
    assert.deepEqual(store.restores.byTurn.value, {});
    assert.equal(await image, 'data:');
  });

  it('name the chat in which a message was sent, also if it waited for an attachment', async () => {
    const { store, show, pending } = openWithChat();
    let attach: () => void = () => undefined;
    store.waitFor(new Promise<void>((resolve) => (attach = resolve)));
    void store.send('Hello');
    show('b');
    store.draft.replace('typed in b');
    attach();
    await new Promise(setImmediate);
    assert.deepEqual(
      pending.map(({ call, conversation }) => [call.name, conversation]),
      [
        ['draft', 'b'],
        ['send', 'a'],
      ],
    );
    assert.equal(store.draft.text.value, 'typed in b');
    store.dispose();
  });
});

describe('a message that is longer than any request', () => {
  it('is refused before it is posted, so that it returns to the composer', async () => {
    const { store, posted, show } = open();
    show({});
    const { length } = posted;
    const text = 'x'.repeat(50_000_000);
    assert.equal(await store.call('send', { text }), false);
    assert.equal(await store.call('resend', { turn: 't', text }), false);
    assert.match(store.refusal.value, /too large/);
    assert.equal(posted.length, length);
  });
});
