import assert from 'node:assert/strict';
import { emptyConversation, textOf } from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { writeEvent, writeFirst } from '../../../../src/core/conversation/record.ts';
import { Chat } from '../../../../src/host/chat/chat.ts';
import { ConversationStore } from '../../../../src/host/chat/conversationStore.ts';
import type { JournalStorage } from '../../../../src/host/chat/journal.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { FakeMemento } from '../fakes.ts';

const question = { text: 'Why?', attachments: [] };
const begun: ConversationEvent[] = [
  { type: 'turn-start', id: 't', question, model: 'm', json: false, at: 1 },
  { type: 'text-delta', text: 'Because', at: 2 },
];

class FakeStorage implements JournalStorage {
  readonly texts = new Map<string, string>();

  append(conversation: string, text: string): Promise<void> {
    this.texts.set(conversation, (this.texts.get(conversation) ?? '') + text);
    return Promise.resolve();
  }

  read(conversation: string): Promise<string | undefined> {
    return Promise.resolve(this.texts.get(conversation));
  }
}

interface Rig {
  readonly chat: Chat;
  readonly store: ConversationStore;
  readonly storage: FakeStorage;
  readonly state: FakeMemento;
}

function rig(storage = new FakeStorage(), state = new FakeMemento()): Rig {
  const clock = new ManualClock();
  const chat = new Chat(
    {
      clock,
      newId: () => 'new',
      connect: () => Promise.reject(new Error('not connected')),
      settings: () => ({ instructions: '', stream: true, options: {} }),
      meter: { estimate: () => 0, learn: () => undefined },
      record: () => undefined,
      check: () => undefined,
      describe: (error) => ({ kind: 'x', message: String(error) }),
    },
    emptyConversation('first'),
  );
  const store = new ConversationStore({
    chat,
    storage,
    state,
    workspace: '',
    clock,
    interrupted: 'The window was closed.',
    onError: () => undefined,
  });
  return { chat, store, storage, state };
}

async function savedChat(): Promise<{ storage: FakeStorage; state: FakeMemento }> {
  const storage = new FakeStorage();
  const state = new FakeMemento();
  const first = writeFirst({ conversation: 'old', workspace: '', at: 0 });
  const lines = begun.map((event, index) => writeEvent(event, index + 1));
  await storage.append('old', first + lines.join(''));
  await state.update('aside.openChat', 'old');
  return { storage, state };
}

describe('ConversationStore', () => {
  it('brings the last chat back, with the end of the turn that was going on', async () => {
    const { storage, state } = await savedChat();
    const { chat, store } = rig(storage, state);
    await store.restore();
    const [turn] = chat.conversation.turns;
    assert.ok(turn !== undefined);
    assert.equal(textOf(turn), 'Because');
    assert.equal(turn.status, 'cut');
    assert.equal(turn.error?.message, 'The window was closed.');
    await store.flush();
    const again = rig(storage, state);
    await again.store.restore();
    assert.deepEqual(again.chat.conversation, chat.conversation);
  });

  it('lets a question that comes early be asked in the chat that is being read', async () => {
    const { storage, state } = await savedChat();
    const { chat, store } = rig(storage, state);
    const restoring = store.restore();
    const turn = await chat.ask({ text: 'And now?', attachments: [] }, 'm');
    await restoring;
    assert.equal(turn.status, 'failed');
    assert.deepEqual(
      chat.conversation.turns.map((one) => one.question.text),
      ['Why?', 'And now?'],
    );
    await store.flush();
    assert.match(storage.texts.get('old') ?? '', /And now\?/);
  });

  it('remembers a chat as soon as something is asked in it', async () => {
    const { chat, store, storage, state } = rig();
    assert.equal(state.get('aside.openChat'), undefined);
    await chat.ask(question, 'm');
    await store.flush();
    assert.equal(state.get('aside.openChat'), 'first');
    await chat.replace();
    await chat.ask(question, 'm');
    await store.flush();
    assert.equal(state.get('aside.openChat'), 'new');
    assert.deepEqual([...storage.texts.keys()], ['first', 'new']);
  });
});
