import assert from 'node:assert/strict';
import { turnText } from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { writeEvent, writeHeader } from '../../../../src/core/conversation/record.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import type { Chat, ChatHost } from '../../../../src/host/chat/chat.ts';
import { openChat } from '../chat/openChatRig.ts';
import type {
  ConversationStore,
  ChatOrigin,
} from '../../../../src/host/journal/conversationStore.ts';
import { Leases } from '../../../../src/host/leases.ts';
import { HostChannel } from '../../../../src/protocol/hostChannel.ts';
import type { HostMessage } from '../../../../src/protocol/messages.ts';
import { MemoryStorage } from '../../../support/memoryStorage.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { until } from '../../../support/until.ts';
import { FakeMemento } from '../fakes.ts';
import { MemoryLeases } from '../chat/memoryLeases.ts';
import { turnStart } from '../../../support/turns.ts';
import { unconnected } from '../../../support/panelState.ts';

const question = { text: 'Why?', attachments: [] };
const start = turnStart({ question });
const begun: ConversationEvent[] = [start, { type: 'text-delta', text: 'Because', at: 2 }];

interface Rig {
  readonly chat: Chat;
  readonly store: ConversationStore;
  readonly storage: MemoryStorage;
  readonly state: FakeMemento;
  readonly clock: ManualClock;
  /** Retry callbacks of the reports that a chat can't be read. */
  readonly unread: (() => void)[];
}

function rig(
  storage = new MemoryStorage(),
  state = new FakeMemento(),
  options: Partial<ChatHost> = {},
  origin: ChatOrigin = 'last',
  leases?: Leases,
): Rig {
  const clock = new ManualClock();
  const unread: (() => void)[] = [];
  const chat = openChat(
    { id: origin === 'new' ? 'first' : 'old', origin },
    {
      clock,
      state,
      storage,
      chat: options,
      ...(leases && { leases }),
      onUnread: (tryAgain) => unread.push(tryAgain),
    },
  );
  const { store } = chat;
  return { chat, store, storage, state, clock, unread };
}

async function savedChat(): Promise<{ storage: MemoryStorage; state: FakeMemento }> {
  const storage = new MemoryStorage();
  const state = new FakeMemento();
  const first = writeHeader({ conversation: 'old', workspace: '', at: 0 });
  const lines = begun.map((event, index) => writeEvent(event, index + 1));
  await storage.append('old', first + lines.join(''));
  return { storage, state };
}

describe('ConversationStore', () => {
  it('restores the last chat, with the end of an interrupted turn', async () => {
    const { storage, state } = await savedChat();
    const { chat, store } = rig(storage, state);
    await chat.restored();
    const [turn] = chat.conversation.turns;
    assert.ok(turn !== undefined);
    assert.equal(turnText(turn), 'Because');
    assert.equal(turn.status, 'cut');
    assert.equal(turn.error?.message, 'interrupted');
    await store.flush();
    const again = rig(storage, state);
    await again.chat.restored();
    assert.deepEqual(again.chat.conversation, chat.conversation);
  });

  it('sends an early message in the chat that is being restored', async () => {
    const { storage, state } = await savedChat();
    const { chat, store } = rig(storage, state);
    const turn = await chat.send({ text: 'And now?', attachments: [] }, 'm');
    assert.equal(turn.status, 'failed');
    assert.deepEqual(
      chat.conversation.turns.map((turn) => turn.question.text),
      ['Why?', 'And now?'],
    );
    await store.flush();
    assert.match(storage.texts.get('old') ?? '', /And now\?/);
  });

  it('reports a chat that cannot be read, and restores it on demand', async () => {
    const { storage, state } = await savedChat();
    const saved = storage.texts.get('old');
    storage.isBroken = true;
    const { chat, store, unread } = rig(storage, state);
    await chat.send(question, 'm');
    await store.flush();
    const other = chat.conversation.id;
    assert.notEqual(other, 'old');
    assert.equal(store.id, other);
    assert.equal(storage.texts.get('old'), saved);
    unread.shift()?.();
    await chat.restored();
    storage.isBroken = false;
    assert.equal(unread.length, 1);
    unread.shift()?.();
    await chat.restored();
    assert.equal(chat.conversation.id, 'old');
    assert.equal(store.id, 'old');
    assert.match(storage.texts.get(other) ?? '', /Why/);
  });

  it('continues a chat of a later version in a copy, and does not change the original', async () => {
    const { storage, state } = await savedChat();
    const later = (storage.texts.get('old') ?? '').replace('"version":1', '"version":2');
    storage.texts.set('old', later);
    const { chat, store } = rig(storage, state);
    await chat.restored();
    chat.setOptions({ topP: 1 });
    await chat.send({ text: 'And now?', attachments: [] }, 'm');
    await store.flush();
    assert.equal(storage.texts.get('old'), later);
    const { id } = chat.conversation;
    assert.equal(store.id, id);
    assert.notEqual(id, 'old');
    storage.texts.set('old', storage.texts.get(id) ?? '');
    const again = rig(storage, state);
    await again.chat.restored();
    const { turns, options } = again.chat.conversation;
    assert.deepEqual(options, { topP: 1 });
    assert.deepEqual(
      turns.map((turn) => turn.question.text),
      ['Why?', 'And now?'],
    );
  });

  it("stores lines that can't be written over a reload, and writes them when there is room", async () => {
    const { storage, state } = await savedChat();
    const { chat, store } = rig(storage, state);
    await chat.restored();
    await store.flush();
    storage.isFull = true;
    await chat.send({ text: 'And now?', attachments: [] }, 'm');
    await store.flush();
    const again = rig(storage, state);
    await again.chat.restored();
    assert.deepEqual(again.chat.conversation, chat.conversation);
    await again.chat.send({ text: 'And then?', attachments: [] }, 'm');
    await again.store.flush();
    storage.isFull = false;
    const last = rig(storage, state);
    await last.chat.restored();
    assert.deepEqual(last.chat.conversation, again.chat.conversation);
    await last.store.flush();
    assert.equal(state.get('aside.unsaved'), undefined);
    const alone = rig(storage, state);
    await alone.chat.restored();
    assert.deepEqual(alone.chat.conversation, again.chat.conversation);
  });

  it('releases the chat when it is closed, but not while lines are unsaved', async () => {
    for (const isFull of [false, true]) {
      const { storage, state } = await savedChat();
      const host = { machine: 'm', id: 1, isRunning: () => true };
      const [files, clock] = [new MemoryLeases(), new ManualClock()];
      const leases = new Leases({ files, host, workspace: '', clock });
      const { chat, store } = rig(storage, state, {}, 'last', leases);
      await chat.restored();
      await store.flush();
      storage.isFull = isFull;
      chat.change({ type: 'title-change', title: 'Another title' });
      await store.flush();
      await store.release();
      assert.equal(store.isSaved, !isFull);
      assert.equal(leases.holds('old'), isFull);
      storage.isFull = false;
      await store.flush();
      await store.release();
      assert.equal(leases.holds('old'), false);
      assert.match(storage.texts.get('old') ?? '', /Another title/);
    }
  });

  it('shows saved chats while nothing else responds: service, keys, tools, leases, disk', async () => {
    const { storage, state } = await savedChat();
    const never = (): Promise<never> => new Promise(() => undefined);
    storage.append = never;
    state.update = never;
    const leases = new Leases({
      files: { names: never, read: never, create: never, replace: never, remove: never },
      host: { machine: 'm', id: 1, isRunning: () => true },
      workspace: '',
      clock: new ManualClock(),
    });
    const unanswered = { connect: never, checkMessage: never, tools: never, prepare: never };
    const { chat } = rig(storage, state, unanswered, 'last', leases);
    const unsent = chat.send(question, 'm');
    const posted: HostMessage[] = [];
    const fromView = new Emitter<unknown>();
    const port = {
      post: (message: HostMessage) => void posted.push(message),
      listen: fromView.event,
    };
    const channel = new HostChannel(port, {
      turns: () => undefined,
      request: never,
      refusal: String,
      prepare: () => chat.begun(),
      snapshot: () => ({ ...chat.windowAround(), state: unconnected, draft: '', now: 0 }),
    });
    fromView.fire({ type: 'ready' });
    await until(() => posted.length > 0);
    const [first] = posted;
    assert.ok(first?.type === 'snapshot');
    assert.equal(first.snapshot.conversation.running?.question.text, 'Why?');
    channel.dispose();
    void unsent;
  });
});
