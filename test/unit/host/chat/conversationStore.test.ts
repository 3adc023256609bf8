import assert from 'node:assert/strict';
import { turnText } from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { pieceLength, readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { writeEvent, writeHeader } from '../../../../src/core/conversation/record.ts';
import type { ConversationWindow } from '../../../../src/core/conversation/window.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import type { Chat } from '../../../../src/host/chat/chat.ts';
import { ChatLocks } from '../../../../src/host/chat/chatLocks.ts';
import { openChat, type ChatRigOptions } from './openChatRig.ts';
import type { ChatOrigin } from '../../../../src/host/chat/conversationStore.ts';
import { UnsavedText } from '../../../../src/host/chat/unsavedText.ts';
import { HostChannel } from '../../../../src/protocol/hostChannel.ts';
import type { HostMessage } from '../../../../src/protocol/messages.ts';
import { writeLongJournal } from '../../../support/longJournal.ts';
import { MemoryLocks } from '../../../support/memoryLocks.ts';
import { MemoryStorage } from '../../../support/memoryStorage.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { until } from '../../../support/until.ts';
import { FakeMemento } from '../fakes.ts';
import { turnStart } from '../../../support/turns.ts';
import { unconnected } from '../../../support/panelState.ts';

const question = { text: 'Why?', attachments: [] };
const start = turnStart({ question });
const begun: ConversationEvent[] = [start, { type: 'text-delta', text: 'Because', at: 2 }];

/** The chat `old` of a window, and what tries again after a report that it can't be read. */
function rig({ origin = 'last', ...options }: ChatRigOptions & { readonly origin?: ChatOrigin }) {
  const unread: (() => void)[] = [];
  const chat = openChat(
    { id: 'old', origin },
    {
      onUnread: (tryAgain) => unread.push(tryAgain),
      ...options,
    },
  );
  return { chat, store: chat.store, unread };
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
    const { chat, store } = rig({ storage, state });
    await chat.allRead();
    const [turn] = chat.conversation.turns;
    assert.ok(turn !== undefined);
    assert.equal(turnText(turn), 'Because');
    assert.equal(turn.status, 'cut');
    assert.match(turn.error?.message ?? '', /closed or reloaded/);
    await store.flush();
    const again = rig({ storage, state });
    await again.chat.allRead();
    assert.deepEqual(again.chat.conversation, chat.conversation);
  });

  it('sends an early message in the chat that is being restored', async () => {
    const { storage, state } = await savedChat();
    const { chat, store } = rig({ storage, state });
    const turn = await chat.send({ text: 'And now?', attachments: [] }, 'm');
    assert.equal(turn.status, 'failed');
    assert.deepEqual(messagesOf(chat), ['Why?', 'And now?']);
    await store.flush();
    assert.match(storage.texts.get('old') ?? '', /And now\?/);
  });

  it('reports a chat that cannot be read, and restores it on demand', async () => {
    const { storage, state } = await savedChat();
    const saved = storage.texts.get('old');
    storage.isBroken = true;
    const { chat, store, unread } = rig({ storage, state });
    await chat.send(question, 'm');
    await store.flush();
    const other = chat.conversation.id;
    assert.notEqual(other, 'old');
    assert.equal(store.id, other);
    assert.equal(storage.texts.get('old'), saved);
    unread.shift()?.();
    await chat.allRead();
    storage.isBroken = false;
    assert.equal(unread.length, 1);
    unread.shift()?.();
    await chat.allRead();
    assert.equal(chat.conversation.id, 'old');
    assert.equal(store.id, 'old');
    assert.match(storage.texts.get(other) ?? '', /Why/);
  });

  it('continues a chat of a later version in a copy, and does not change the original', async () => {
    const { storage, state } = await savedChat();
    const later = (storage.texts.get('old') ?? '').replace('"version":1', '"version":2');
    storage.texts.set('old', later);
    const { chat, store } = rig({ storage, state });
    await chat.allRead();
    chat.setOptions({ topP: 1 });
    await chat.send({ text: 'And now?', attachments: [] }, 'm');
    await store.flush();
    assert.equal(storage.texts.get('old'), later);
    const { id } = chat.conversation;
    assert.equal(store.id, id);
    assert.notEqual(id, 'old');
    storage.texts.set('old', storage.texts.get(id) ?? '');
    const again = rig({ storage, state });
    await again.chat.allRead();
    assert.deepEqual(again.chat.conversation.options, { topP: 1 });
    assert.deepEqual(messagesOf(again.chat), ['Why?', 'And now?']);
  });

  it("stores lines that can't be written over a reload, and writes them when there is room", async () => {
    const { storage, state } = await savedChat();
    const { chat, store } = rig({ storage, state });
    await chat.allRead();
    await store.flush();
    storage.isFull = true;
    await chat.send({ text: 'And now?', attachments: [] }, 'm');
    await store.flush();
    const again = rig({ storage, state });
    await again.chat.allRead();
    assert.deepEqual(again.chat.conversation, chat.conversation);
    await again.chat.send({ text: 'And then?', attachments: [] }, 'm');
    await again.store.flush();
    storage.isFull = false;
    const last = rig({ storage, state });
    await last.chat.allRead();
    assert.deepEqual(last.chat.conversation, again.chat.conversation);
    await last.store.flush();
    assert.equal(state.get('aside.unsaved'), undefined);
    const alone = rig({ storage, state });
    await alone.chat.allRead();
    assert.deepEqual(alone.chat.conversation, again.chat.conversation);
  });

  it('releases the chat when it is closed, but not while lines are unsaved', async () => {
    for (const isFull of [false, true]) {
      const { storage, state } = await savedChat();
      const host = { machine: 'm', id: 1, isRunning: () => true };
      const locks = new ChatLocks(new MemoryLocks(), host, new ManualClock());
      const { chat, store } = rig({ storage, state, locks });
      await chat.allRead();
      await store.flush();
      storage.isFull = isFull;
      chat.change({ type: 'title-change', title: 'Another title' });
      await store.flush();
      await store.release();
      assert.equal(store.isSaved, !isFull);
      assert.equal(locks.holds('old'), isFull);
      storage.isFull = false;
      await store.flush();
      await store.release();
      assert.equal(locks.holds('old'), false);
      assert.match(storage.texts.get('old') ?? '', /Another title/);
    }
  });

  it('shows saved chats while nothing else responds: service, keys, tools, locks, disk', async () => {
    const { storage, state } = await savedChat();
    const never = (): Promise<never> => new Promise(() => undefined);
    storage.append = never;
    state.update = never;
    const files = { names: never, read: never, create: never, replace: never, remove: never };
    const host = { machine: 'm', id: 1, isRunning: () => true };
    const locks = new ChatLocks(files, host, new ManualClock());
    const unanswered = { connect: never, checkMessage: never, tools: never, prepare: never };
    const { chat } = rig({ storage, state, chat: unanswered, locks });
    const unsent = chat.send(question, 'm');
    const posted: HostMessage[] = [];
    const fromView = new Emitter<unknown>();
    const port = {
      post: (message: HostMessage) => void posted.push(message),
      listen: fromView.event,
    };
    const channel = new HostChannel(port, {
      turns: () => undefined,
      call: never,
      refusal: String,
      prepare: () => chat.newestRead(),
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

/** Windows that share journals and locks. The first one has opened the chat `old`. */
async function twoWindows() {
  const { storage, state } = await savedChat();
  const [clock, files] = [new ManualClock(), new MemoryLocks()];
  const locksOf = (id: number): ChatLocks =>
    new ChatLocks(files, { machine: 'm', id, isRunning: () => true }, clock);
  const open = (locks: ChatLocks, own = new FakeMemento()) =>
    rig({ storage, state: own, locks, clock, origin: 'stored' });
  const locks = [locksOf(1), locksOf(2)] as const;
  const first = open(locks[0], state);
  await first.chat.allRead();
  await first.store.flush();
  return { storage, clock, files, locks, first, openSecond: () => open(locks[1]) };
}

function messagesOf({ conversation }: Chat): readonly string[] {
  return conversation.turns.map((turn) => turn.question.text);
}

describe('a chat that is open in another window', () => {
  it('is awaited for some seconds, since that window may just be closing', async () => {
    const { clock, first, openSecond } = await twoWindows();
    const second = openSecond();
    const restored = second.chat.allRead();
    await clock.advance(1000);
    await first.store.release();
    await clock.advance(1000);
    await restored;
    assert.equal(second.chat.access.mayWrite, true);
    assert.equal(await first.store.reload(), true);
    assert.equal(first.chat.access.isReadOnly, true);
  });

  it('is read anew by a window that lost it and has nothing unsaved', async () => {
    const { clock, locks, first, openSecond } = await twoWindows();
    clock.setWall(clock.wall() + 3_600_000);
    const second = openSecond();
    await second.chat.allRead();
    await second.chat.send({ text: 'And now?', attachments: [] }, 'm');
    await second.store.flush();
    assert.equal(await locks[0].acquire('old'), false);
    await clock.advance(0);
    assert.equal(first.chat.access.isReadOnly, true);
    assert.deepEqual(messagesOf(first.chat), ['Why?', 'And now?']);
    await assert.rejects(first.chat.send(question, 'm'), /open in another window/);
  });

  it('continues in a copy if it was opened on a full disk, and changed elsewhere since', async () => {
    const { storage, clock, files, locks, first, openSecond } = await twoWindows();
    await first.store.release();
    first.store.dispose();
    const create = files.create.bind(files);
    files.create = () => Promise.reject(new Error('ENOSPC'));
    storage.isFull = true;
    const second = openSecond();
    await second.chat.allRead();
    await second.chat.send({ text: 'On a full disk', attachments: [] }, 'm');
    await second.store.flush();
    assert.equal(second.store.isSaved, false);
    files.create = create;
    storage.isFull = false;
    const third = rig({ storage, locks: locks[0], clock, origin: 'stored' });
    await third.chat.send({ text: 'Elsewhere', attachments: [] }, 'm');
    await third.store.flush();
    await third.store.release();
    await clock.advance(60_000);
    assert.notEqual(second.store.id, 'old');
    assert.equal(second.store.isSaved, true);
    assert.match(storage.texts.get(second.store.id) ?? '', /On a full disk/);
    assert.doesNotMatch(storage.texts.get('old') ?? '', /On a full disk/);
  });

  it('gets no unsaved lines of an earlier window until it is free', async () => {
    const { storage, locks, first } = await twoWindows();
    const state = new FakeMemento();
    const line = writeEvent({ type: 'title-change', title: 'Later' }, 9);
    await state.update('aside.unsaved', { old: line });
    const saved = storage.texts.get('old') ?? '';
    const unsaved = new UnsavedText(state);
    await unsaved.write(storage, locks[1], undefined);
    assert.equal(storage.texts.get('old'), saved);
    await first.store.release();
    await unsaved.write(storage, locks[1], undefined);
    assert.equal(storage.texts.get('old'), saved + line);
    assert.equal(unsaved.of('old'), '');
    assert.equal(locks[1].holds('old'), false);
  });
});

const long = writeLongJournal({ conversation: 'old', messages: 200, length: pieceLength * 1.5 });

describe('a chat that is read', () => {
  async function read(text: string, state = new FakeMemento()) {
    const [storage, clock] = [new MemoryStorage(), new ManualClock()];
    storage.texts.set('old', text);
    const { chat } = rig({ storage, state, clock, origin: 'stored' });
    await chat.newestRead();
    const shown: ConversationWindow = chat.windowAround();
    const restored = chat.allRead();
    await clock.advance(5000);
    await restored;
    return { shown, chat };
  }

  it('shows its end first if it is long, as the whole chat shows it then', async () => {
    const { shown, chat } = await read(long);
    const { turns } = chat.conversation;
    assert.ok(shown.before > 0);
    assert.deepEqual(shown.conversation.turns, turns.slice(-shown.conversation.turns.length));
    assert.deepEqual(chat.conversation, readJournal('old', long).conversation);
  });

  it('has lines that could not be written, and shows nothing before these', async () => {
    const state = new FakeMemento();
    const line = writeEvent({ type: 'title-change', title: 'Later' }, 10_000);
    await state.update('aside.unsaved', { old: line });
    const { chat } = await read(long, state);
    assert.equal(chat.conversation.title, 'Later');
  });
});
