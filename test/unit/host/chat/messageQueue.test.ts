import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  emptyConversation,
  type Conversation,
  type UserMessage,
} from '../../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import { Composer } from '../../../../src/host/attachments/composer.ts';
import type { ChatChange } from '../../../../src/core/conversation/liveConversation.ts';
import { MessageQueue } from '../../../../src/host/chat/messageQueue.ts';
import type { OpenChat } from '../../../../src/host/chat/openChat.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { runs } from '../../../support/sample.ts';
import { toolRig } from '../../../support/toolTurn.ts';
import { until } from '../../../support/until.ts';
import { FakeMemento } from '../fakes.ts';
import { openChat, SlowModel } from './openChatRig.ts';
import { turnStart } from '../../../support/turns.ts';
import { noStorage } from '../../../support/memoryStorage.ts';

/** A chat whose turns end when the test says so. */
class FakeChat {
  readonly #changed = new Emitter<ChatChange>();
  conversation = emptyConversation('c');
  readonly onDidChange = this.#changed.event;
  readonly sent: string[] = [];
  /** Checks the queue when a message is sent. */
  onSend: (text: string) => void = () => undefined;
  isRunning = false;
  readonly access = { mayWrite: true };

  send(message: UserMessage): Promise<never> {
    this.onSend(message.text);
    this.sent.push(message.text);
    this.isRunning = true;
    this.#play(turnStart({ id: 'x', question: message, at: 0 }));
    return new Promise(() => undefined);
  }

  end(status: 'finished' | 'stopped' | 'failed'): void {
    if (!this.isRunning) return;
    this.isRunning = false;
    this.#play({ type: 'turn-end', status, at: 0 });
  }

  #play(event: ConversationEvent): void {
    this.conversation = reduce(this.conversation, event);
    this.#changed.fire({ type: 'event', event });
  }
}

const messageOf = (text: string): UserMessage => ({
  text,
  attachments: [{ id: text, name: text, path: text, language: '', text }],
});

/** A chat with its composer and queue, and a record of what was sent. */
class Rig {
  readonly state = new FakeMemento();
  readonly removed = new Set<string>();
  /** Newest text of each message, by its first text. */
  readonly texts = new Map<string, string>();
  /** Draft from before a message was edited. */
  before: UserMessage = { text: '', attachments: [] };
  count = 0;
  chat = new FakeChat();
  composer = new Composer(this.state, () => Promise.resolve(true));
  queue = this.#queueOf();

  get queuedTexts(): readonly string[] {
    return this.queue.messages.map(({ text }) => text);
  }

  idAt(position: number): string {
    const { messages } = this.queue;
    return messages[position % Math.max(1, messages.length)]?.id ?? '';
  }

  add(): void {
    const text = `message ${++this.count}`;
    this.texts.set(text, text);
    const { chat, queue } = this;
    if (!chat.isRunning && this.queuedTexts.length === 0) {
      void chat.send(messageOf(text));
      return;
    }
    queue.add(messageOf(text), 'm');
    if (!chat.isRunning) queue.next();
  }

  edit(position: number): void {
    const { composer, queue } = this;
    const id = this.idAt(position);
    const text = queue.messages.find((message) => message.id === id)?.text ?? '';
    const before = { text: composer.draft, attachments: composer.attachments };
    if (!queue.edit(id)) return;
    this.before = before;
    assert.deepEqual([composer.draft, composer.attachments[0]?.text], [text, text]);
  }

  sendEdited(): void {
    const { composer, queue } = this;
    const { edited } = queue;
    const old = queue.messages.find(({ id }) => id === edited)?.text;
    if (edited === undefined || old === undefined) return;
    const position = this.queuedTexts.indexOf(old);
    const text = `${old}, edited`;
    for (const [first, newest] of this.texts) if (newest === old) this.texts.set(first, text);
    const wasRunning = this.chat.isRunning;
    composer.acceptDraft(composer.draft);
    queue.putBack(edited, messageOf(text), 'm');
    if (wasRunning) assert.equal(this.queuedTexts[position], text);
    this.requireBefore();
  }

  stopEditing(): void {
    if (this.queue.edited === undefined) return;
    this.queue.stopEditing();
    this.requireBefore();
  }

  requireBefore(): void {
    const { draft, attachments } = this.composer;
    assert.deepEqual({ text: draft, attachments }, this.before);
  }

  remove(position: number): void {
    const id = this.idAt(position);
    const text = this.queue.messages.find((message) => message.id === id)?.text;
    for (const [first, newest] of this.texts) if (newest === text) this.removed.add(first);
    this.queue.remove(id);
  }

  async reload(): Promise<void> {
    await new Promise(setImmediate);
    const { sent } = this.chat;
    const { queuedTexts: queued, queue } = this;
    const position = queue.messages.findIndex(({ isEdited }) => isEdited);
    this.queue.dispose();
    this.chat = new FakeChat();
    this.chat.sent.push(...sent);
    this.composer = new Composer(this.state, () => Promise.resolve(true));
    this.queue = this.#queueOf();
    assert.deepEqual(this.queuedTexts, queued);
    assert.equal(
      this.queue.messages.findIndex(({ isEdited }) => isEdited),
      position,
    );
  }

  #queueOf(): MessageQueue {
    const { chat, composer, state } = this;
    const queue = new MessageQueue({
      chat,
      composer,
      state,
      restoreToDraft: () => undefined,
      onRefused: assert.ifError,
    });
    let before = queue.messages;
    let now = before;
    queue.onDidChange(() => {
      before = now;
      now = queue.messages;
    });
    chat.onSend = (text) => {
      if (before.every((message) => message.text !== text)) return;
      assert.deepEqual([text, before[0]?.isEdited], [before[0]?.text, undefined]);
    };
    return queue;
  }
}

const position = fc.nat(4);
const by = fc.constantFrom(-1 as const, 1 as const);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant((rig: Rig): unknown => rig.add()) },
  position.map((at) => (rig: Rig) => rig.edit(at)),
  fc.constant((rig: Rig): unknown => rig.sendEdited()),
  fc.constant((rig: Rig): unknown => rig.stopEditing()),
  fc.tuple(position, by).map(
    ([at, way]) =>
      (rig: Rig) =>
        rig.queue.move(rig.idAt(at), way),
  ),
  position.map((at) => (rig: Rig) => rig.remove(at)),
  fc.string().map((text) => (rig: Rig) => {
    if (rig.queue.edited === undefined) void rig.composer.setDraft(text);
  }),
  { weight: 2, arbitrary: fc.constant((rig: Rig): unknown => rig.chat.end('finished')) },
  fc.constant((rig: Rig): unknown => rig.chat.end('stopped')),
  fc.constant((rig: Rig): unknown => rig.chat.end('failed')),
  fc.constant((rig: Rig): unknown => rig.reload()),
);

describe('queued messages', () => {
  it('are sent once each unless they are removed, in the order that is shown', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const rig = new Rig();
        for (const run of steps) await run(rig);
        rig.stopEditing();
        while (rig.queuedTexts.length > 0 || rig.chat.isRunning) {
          rig.chat.end('finished');
          if (!rig.chat.isRunning) rig.queue.next();
        }
        const expected = [...rig.texts].flatMap(([first, text]) =>
          rig.removed.has(first) ? [] : [text],
        );
        assert.deepEqual(rig.chat.sent.toSorted(), expected.toSorted());
      }),
      { numRuns: runs(500) },
    );
  });

  it('are sent when an edit is canceled, but not after a stopped turn', () => {
    const rig = new Rig();
    for (let count = 0; count < 3; count++) rig.add();
    rig.edit(0);
    rig.chat.end('stopped');
    rig.stopEditing();
    assert.deepEqual(rig.chat.sent, ['message 1']);
    rig.queue.next();
    rig.edit(0);
    rig.chat.end('finished');
    assert.equal(rig.chat.isRunning, false);
    rig.stopEditing();
    assert.deepEqual(rig.chat.sent, ['message 1', 'message 2', 'message 3']);
  });
});

describe('a queued message that is edited in the composer', () => {
  /** A chat that waits for its model, with two queued messages. */
  async function open(): Promise<OpenChat> {
    const clock = new ManualClock();
    const { client } = new SlowModel();
    const chat = openChat(
      { id: 'c', origin: 'new' },
      {
        clock,
        state: new FakeMemento(),
        storage: noStorage,
        chat: { connect: () => Promise.resolve({ client, demo: false }) },
        expand: (message) => Promise.resolve(message.text === '/edit' ? undefined : { message }),
      },
    );
    await chat.request({ name: 'send', parameters: { text: 'running' } });
    await until(() => chat.chat.isRunning);
    for (const text of ['one', 'two']) await chat.request({ name: 'send', parameters: { text } });
    return chat;
  }

  const textsOf = ({ queue }: OpenChat): readonly string[] =>
    queue.messages.map(({ text }) => text);

  it('returns to its position with its attachments, and the draft is restored', async () => {
    const chat = await open();
    const { composer, queue } = chat;
    await composer.setDraft('draft');
    const [attachment] = messageOf('x').attachments;
    assert.ok(attachment !== undefined);
    composer.attach(attachment);
    await chat.request({
      name: 'edit-queued',
      parameters: { message: queue.messages[0]?.id ?? '' },
    });
    assert.deepEqual([composer.draft, composer.attachments], ['one', []]);
    await assert.rejects(chat.request({ name: 'send', parameters: { text: ' ' } }));
    await composer.setDraft('one, edited');
    await chat.request({ name: 'send', parameters: { text: 'one, edited' } });
    assert.deepEqual(textsOf(chat), ['one, edited', 'two']);
    assert.deepEqual([composer.draft, composer.attachments], ['draft', [attachment]]);
    chat.dispose();
  });

  it('is removed if it became a command', async () => {
    const chat = await open();
    await chat.request({
      name: 'edit-queued',
      parameters: { message: chat.queue.messages[0]?.id ?? '' },
    });
    await chat.request({ name: 'send', parameters: { text: '/edit' } });
    assert.deepEqual([textsOf(chat), chat.queue.edited], [['two'], undefined]);
    chat.dispose();
  });

  it('is not sent again if it was removed meanwhile', async () => {
    const chat = await open();
    const id = chat.queue.messages[0]?.id ?? '';
    await chat.request({ name: 'edit-queued', parameters: { message: id } });
    const sending = chat.request({ name: 'send', parameters: { text: 'one' } });
    await chat.request({ name: 'unqueue', parameters: { message: id } });
    await assert.rejects(sending);
    assert.deepEqual(textsOf(chat), ['two']);
    await assert.rejects(chat.request({ name: 'edit-queued', parameters: { message: id } }));
    chat.dispose();
  });
});

describe('the queue of a chat that is opened again', () => {
  const sentOf = (text: string): UserMessage => ({ text, attachments: [] });

  /** A chat with the queue of the state, after it was read as this conversation. */
  async function reopened(state: FakeMemento, conversation: Conversation) {
    const { chat } = toolRig({ script: ['Done.'] });
    const drafts: string[] = [];
    const refused: unknown[] = [];
    const queue = new MessageQueue({
      chat,
      composer: new Composer(state, () => Promise.resolve(true)),
      restoreToDraft: (text) => drafts.push(text),
      onRefused: (error) => refused.push(error),
      state,
    });
    chat.restoreWith(() => Promise.resolve(conversation));
    await chat.restored();
    return { chat, queue, drafts, refused, texts: () => queue.messages.map(({ text }) => text) };
  }

  it('keeps a message at its position if it is refused', async () => {
    const state = new FakeMemento();
    const conversation = emptyConversation('c');
    const before = await reopened(state, conversation);
    before.queue.add(messageOf('one'), 'm');
    before.queue.add(sentOf('two'), 'm');
    const { chat, queue, refused, texts } = await reopened(state, conversation);
    const sent: unknown[] = [];
    chat.send = (message) => {
      sent.push(message.attachments);
      return Promise.reject(new Error('not sent'));
    };
    queue.next();
    await new Promise(setImmediate);
    assert.deepEqual(refused.map(String), ['Error: not sent']);
    assert.deepEqual(sent, [messageOf('one').attachments]);
    assert.deepEqual(texts(), ['one', 'two']);
  });

  it('moves its messages to the draft if another chat is open', async () => {
    const state = new FakeMemento();
    const before = await reopened(state, emptyConversation('c'));
    before.queue.add(sentOf('one'), 'm');
    const { drafts, texts } = await reopened(state, emptyConversation('other'));
    assert.deepEqual([drafts, texts()], [['one'], []]);
  });
});
