import assert from 'node:assert/strict';
import fc from 'fast-check';
import { partText, type UserMessage } from '../../../../src/core/conversation/conversation.ts';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import { newId } from '../../../../src/core/support/id.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { Toolbox } from '../../../../src/core/tools/toolbox.ts';
import type { Chat } from '../../../../src/host/chat/chat.ts';
import { imageAttachment } from '../../../support/images.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { MemoryStorage } from '../../../support/memoryStorage.ts';
import { look, usualLimits } from '../../../support/toolTurn.ts';
import { until } from '../../../support/until.ts';
import { FakeMemento } from '../fakes.ts';
import { openChat, type ChatRigOptions, replyEnd } from './openChatRig.ts';
import { settled } from '../../../support/settled.ts';

const toolbox = new Toolbox([look], {
  clock: new ManualClock(),
  redactor: createRedactor(),
  onError: assert.ifError,
});

type End = 'finished' | 'failed' | 'calls';

/** A model whose reply ends when the test says so, with a call of a tool if the turn should go on. */
class HeldModel {
  /** The messages that were sent, in the order in which they were sent first. */
  readonly sent: string[] = [];
  /** Called with each message when it is sent. */
  onSend: (text: string) => void = () => undefined;
  #end: (how: End) => void = () => undefined;

  readonly client: Client = {
    address: { baseUrl: '', origin: '', host: '' },
    stream: ({ messages }, signal) => {
      for (const [index, { role, content }] of messages.entries())
        assert.ok(role !== 'user' || messages[index - 1]?.role !== 'user', String(content));
      const texts = messages.flatMap(({ role, content }) => {
        if (role !== 'user') return [];
        return (
          content.match(/message \d+[^\n]*/g) ?? [content.slice(content.lastIndexOf('\n') + 1)]
        );
      });
      return this.#reply(texts, signal);
    },
  };

  end(how: End): void {
    this.#end(how);
  }

  async *#reply(
    texts: readonly string[],
    signal?: AbortSignal,
  ): AsyncGenerator<CompletionEvent, void> {
    assert.equal(new Set(texts).size, texts.length, 'A message was sent twice.');
    for (const text of texts)
      if (!this.sent.includes(text)) {
        this.sent.push(text);
        this.onSend(text);
      }
    const how = await new Promise((resolve) => {
      this.#end = resolve;
      signal?.addEventListener('abort', resolve);
    });
    signal?.throwIfAborted();
    if (how === 'failed') throw new ServiceError('cut', 'No');
    yield { type: 'text', text: 'Yes.' };
    const call = { id: 'call', name: 'look', arguments: `{"name":"${newId()}"}` };
    const { completion } = replyEnd;
    yield how === 'calls'
      ? { ...replyEnd, completion: { ...completion, toolCalls: [call] } }
      : replyEnd;
  }
}

/** A chat that can be closed and opened again, and a record of what was sent. */
class Rig {
  readonly model = new HeldModel();
  readonly state = new FakeMemento();
  readonly storage = new MemoryStorage();
  readonly clock = new ManualClock();
  readonly refused: unknown[] = [];
  readonly removed = new Set<string>();
  /** Newest text of each message, by its first text. */
  readonly texts = new Map<string, string>();
  /** Draft from before a message was edited. */
  before = '';
  count = 0;
  chat: Chat;

  constructor(more: Partial<ChatRigOptions> = {}) {
    this.more = more;
    this.chat = this.#open();
  }

  readonly more: Partial<ChatRigOptions>;

  get queuedTexts(): readonly string[] {
    return this.chat.queue.shown.map(({ text }) => text);
  }

  idAt(position: number): string {
    const { shown } = this.chat.queue;
    return shown[position % Math.max(1, shown.length)]?.id ?? '';
  }

  textOf(id: string): string | undefined {
    return this.chat.queue.shown.find((message) => message.id === id)?.text;
  }

  send(text: string, now = false): Promise<unknown> {
    return this.chat.request({ name: 'send', parameters: now ? { text, now } : { text } });
  }

  async add(now = false): Promise<void> {
    if (this.chat.queue.inComposer !== undefined) return;
    const text = `message ${++this.count}`;
    this.texts.set(text, text);
    await this.send(text, now);
  }

  /** Lets a queued message go into the running turn. */
  async sendNow(position: number): Promise<void> {
    const message = this.idAt(position);
    if (message !== '') await this.chat.request({ name: 'send-now', parameters: { message } });
  }

  async edit(position: number): Promise<void> {
    const { composer, queue } = this.chat;
    const message = this.idAt(position);
    const text = this.textOf(message);
    if (text === undefined || queue.inComposer !== undefined) return;
    this.before = composer.draft;
    await this.chat.request({ name: 'edit-queued', parameters: { message } });
    assert.equal(composer.draft, text);
  }

  async sendEdited(): Promise<void> {
    const { composer, queue } = this.chat;
    const old = queue.inComposer === undefined ? undefined : this.textOf(queue.inComposer);
    if (old === undefined) return;
    const position = this.queuedTexts.indexOf(old);
    const text = `${old}, edited`;
    for (const [first, newest] of this.texts) if (newest === old) this.texts.set(first, text);
    const wasRunning = this.chat.isRunning;
    await composer.setDraft(text);
    await this.send(text);
    if (wasRunning) assert.equal(this.queuedTexts[position], text);
    assert.equal(composer.draft, this.before);
  }

  async stopEditing(): Promise<void> {
    if (this.chat.queue.inComposer === undefined) return;
    await this.chat.request({ name: 'stop-editing-queued', parameters: {} });
    assert.equal(this.chat.composer.draft, this.before);
  }

  async remove(position: number): Promise<void> {
    const message = this.idAt(position);
    const text = this.textOf(message);
    if (text === undefined) return;
    for (const [first, newest] of this.texts) if (newest === text) this.removed.add(first);
    await this.chat.request({ name: 'unqueue', parameters: { message } });
  }

  async move(position: number, by: 1 | -1): Promise<void> {
    const message = this.idAt(position);
    await this.chat.request({ name: 'move-queued', parameters: { message, by } });
  }

  /** Closes the window, and opens the chat in the next one. */
  async reload(): Promise<void> {
    const { queuedTexts: queued } = this;
    const edited = this.chat.queue.shown.findIndex(({ isEdited }) => isEdited);
    await this.chat.store.flush();
    this.chat.dispose();
    await settled();
    this.chat = this.#open();
    await this.chat.allRead();
    assert.deepEqual(this.queuedTexts, queued);
    assert.equal(
      this.chat.queue.shown.findIndex(({ isEdited }) => isEdited),
      edited,
    );
  }

  #open(): Chat {
    const chat = openChat(
      { id: 'c', origin: this.storage.texts.has('c') ? 'stored' : 'new' },
      {
        clock: this.clock,
        state: this.state,
        storage: this.storage,
        client: this.model.client,
        chat: { tools: () => Promise.resolve({ toolbox, ...usualLimits }) },
        onRefused: (error) => this.refused.push(error),
        ...this.more,
      },
    );
    let before = chat.queue.shown;
    let now = before;
    chat.queue.onDidChange(() => {
      before = now;
      now = chat.queue.shown;
    });
    this.model.onSend = (text) => {
      if (before.every((message) => message.text !== text)) return;
      assert.deepEqual([text, before[0]?.isEdited], [before[0]?.text, undefined]);
    };
    return chat;
  }
}

const position = fc.nat(4);
const by = fc.constantFrom(-1 as const, 1 as const);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant((rig: Rig): unknown => rig.add()) },
  { weight: 2, arbitrary: fc.constant((rig: Rig): unknown => rig.add(true)) },
  position.map((at) => (rig: Rig) => rig.sendNow(at)),
  { weight: 3, arbitrary: fc.constant((rig: Rig): unknown => rig.model.end('calls')) },
  position.map((at) => (rig: Rig) => rig.edit(at)),
  fc.constant((rig: Rig): unknown => rig.sendEdited()),
  fc.constant((rig: Rig): unknown => rig.stopEditing()),
  fc.tuple(position, by).map(
    ([at, way]) =>
      (rig: Rig) =>
        rig.move(at, way),
  ),
  position.map((at) => (rig: Rig) => rig.remove(at)),
  fc.string().map((text) => (rig: Rig) => {
    if (rig.chat.queue.inComposer === undefined) void rig.chat.composer.setDraft(text);
  }),
  { weight: 2, arbitrary: fc.constant((rig: Rig): unknown => rig.model.end('finished')) },
  fc.constant((rig: Rig): unknown => rig.chat.stop()),
  fc.constant((rig: Rig): unknown => rig.model.end('failed')),
  fc.constant((rig: Rig): unknown => rig.reload()),
);

describe('queued messages', () => {
  it('are sent once each unless they are removed, in the order that is shown', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const rig = new Rig();
        for (const run of steps) {
          await run(rig);
          await settled();
        }
        await rig.stopEditing();
        await settled();
        while (rig.queuedTexts.length > 0 || rig.chat.isBusy) {
          if (!rig.chat.isBusy) await rig.send('');
          await settled();
          rig.model.end('finished');
          await settled();
        }
        // A message of a turn that was stopped before its next request is sent with the next message.
        await rig.send('last');
        await settled();
        const expected = [...rig.texts, ['last', 'last'] as const].flatMap(([first, text]) =>
          rig.removed.has(first) ? [] : [text],
        );
        assert.deepEqual(rig.model.sent.toSorted(), expected.toSorted());
        rig.chat.dispose();
      }),
      { numRuns: 150 },
    );
  });

  it('go into a running turn with its next request, before those that were queued earlier', async () => {
    const rig = new Rig();
    for (const now of [false, false, true, true]) {
      await rig.add(now);
      await settled();
    }
    assert.deepEqual(rig.queuedTexts, ['message 3', 'message 4', 'message 2']);
    rig.model.end('calls');
    await settled();
    assert.deepEqual(rig.model.sent, ['message 1', 'message 3', 'message 4']);
    const added = rig.chat.conversation.running?.parts.slice(-2);
    assert.deepEqual(added?.map(partText), ['message 3', 'message 4']);
    rig.chat.dispose();
  });

  it('wait for the end of a turn that has no tools, even if they were sent to go into it', async () => {
    const rig = new Rig({ chat: { tools: () => Promise.resolve(undefined) } });
    await rig.add();
    await settled();
    await rig.add();
    await rig.add(true);
    await rig.sendNow(1);
    assert.deepEqual(
      rig.chat.queue.shown.map(({ text, now }) => [text, now]),
      [
        ['message 2', undefined],
        ['message 3', undefined],
      ],
    );
    rig.chat.dispose();
  });

  it('still go into a running turn after they were edited, if its model takes them', async () => {
    const taken: (readonly string[])[] = [];
    const rig = new Rig({
      chat: {
        tools: () => Promise.resolve({ toolbox, ...usualLimits }),
        checkMessage: ({ text }, models) => {
          taken.push([text, ...models]);
          return Promise.resolve();
        },
      },
    });
    await rig.add();
    await settled();
    await rig.add();
    await rig.sendNow(0);
    assert.deepEqual(taken.at(-1), ['message 2', 'm']);
    await rig.edit(0);
    await rig.sendEdited();
    assert.deepEqual(
      rig.chat.queue.shown.map(({ now }) => now),
      [true],
    );
    rig.chat.dispose();
  });

  it('are sent when an edit is canceled, but not after a stopped turn', async () => {
    const rig = new Rig();
    for (let count = 0; count < 3; count++) await rig.add();
    await settled();
    await rig.edit(0);
    rig.chat.stop();
    await settled();
    await rig.stopEditing();
    await settled();
    assert.deepEqual(rig.model.sent, ['message 1']);
    await rig.send('');
    await settled();
    await rig.edit(0);
    rig.model.end('finished');
    await settled();
    assert.equal(rig.chat.isBusy, false);
    await rig.stopEditing();
    await settled();
    assert.deepEqual(rig.model.sent, ['message 1', 'message 2', 'message 3']);
    rig.chat.dispose();
  });

  it('of commands wait among them, and are sent even if the others are held', async () => {
    const rig = new Rig();
    // Not in the order that is shown.
    rig.model.onSend = () => undefined;
    await rig.add();
    await settled();
    await rig.add();
    const message = (text: string): UserMessage => ({ text, attachments: [] });
    const asked = rig.chat.send(message('asked'), 'm');
    const removed = rig.chat.send(message('removed'), 'm');
    await settled();
    assert.deepEqual(rig.queuedTexts, ['message 2', 'asked', 'removed']);
    const rejected = assert.rejects(removed, { name: 'AbortError' });
    await rig.remove(2);
    await rejected;
    rig.chat.stop();
    await settled();
    assert.deepEqual(rig.queuedTexts, ['message 2']);
    rig.model.end('finished');
    assert.equal((await asked).question.text, 'asked');
    await settled();
    assert.deepEqual(rig.model.sent, ['message 1', 'asked', 'message 2']);
    rig.chat.dispose();
  });
});

describe('a message that is refused', () => {
  it('is first in the queue again, with its attachments, and the others are held', async () => {
    let isRefused = false;
    const rig = new Rig({
      chat: {
        checkMessage: ({ text }) =>
          isRefused && text === 'two' ? Promise.reject(new Error('not sent')) : Promise.resolve(),
      },
    });
    await rig.send('one');
    await settled();
    const attachment = imageAttachment('a');
    rig.chat.composer.attach(attachment);
    await rig.send('two');
    await rig.send('three');
    isRefused = true;
    rig.model.end('finished');
    await settled();
    assert.deepEqual(rig.refused.map(String), ['Error: not sent']);
    assert.deepEqual(rig.queuedTexts, ['two', 'three']);
    assert.deepEqual(rig.chat.queue.unsent[0]?.attachments, [attachment]);
    isRefused = false;
    await rig.send('');
    await until(() => rig.model.sent.length === 2);
    assert.deepEqual(rig.queuedTexts, ['three']);
    rig.chat.dispose();
  });

  it('is kept for a later window if the chat is closed while it is sent', async () => {
    const rig = new Rig({
      chat: {
        checkMessage: ({ text }) =>
          text === 'one' ? new Promise(() => undefined) : Promise.resolve(),
      },
    });
    rig.chat.post({ text: 'one', attachments: [] }, 'm');
    await rig.send('two');
    rig.chat.dispose();
    await settled();
    const again = new Rig();
    again.state.stored.clear();
    for (const [key, value] of rig.state.stored) again.state.stored.set(key, value);
    await again.reload().catch(() => undefined);
    assert.deepEqual(again.queuedTexts, ['one', 'two']);
    again.chat.dispose();
  });
});

describe('a queued message that is edited in the composer', () => {
  /** A chat that waits for its model, with two queued messages. */
  async function open(): Promise<Rig> {
    const rig = new Rig({
      expand: (message) => Promise.resolve(message.text === '/edit' ? undefined : { message }),
    });
    for (const text of ['running', 'one', 'two']) await rig.send(text);
    await until(() => rig.chat.isRunning);
    return rig;
  }

  it('returns to its position with its attachments, and the draft is restored', async () => {
    const rig = await open();
    const { composer } = rig.chat;
    await composer.setDraft('draft');
    const attachment = imageAttachment('a');
    composer.attach(attachment);
    await rig.edit(0);
    assert.deepEqual([composer.draft, composer.attachments], ['one', []]);
    await assert.rejects(rig.send(' '));
    await composer.setDraft('one, edited');
    await rig.send('one, edited');
    assert.deepEqual(rig.queuedTexts, ['one, edited', 'two']);
    assert.deepEqual([composer.draft, composer.attachments], ['draft', [attachment]]);
    rig.chat.dispose();
  });

  it('is removed if it became a command', async () => {
    const rig = await open();
    await rig.edit(0);
    await rig.send('/edit');
    assert.deepEqual([rig.queuedTexts, rig.chat.queue.inComposer], [['two'], undefined]);
    rig.chat.dispose();
  });

  it('is not sent again if it was removed meanwhile', async () => {
    const rig = await open();
    const message = rig.idAt(0);
    await rig.edit(0);
    const sending = rig.send('one');
    await rig.chat.request({ name: 'unqueue', parameters: { message } });
    await assert.rejects(sending);
    assert.deepEqual(rig.queuedTexts, ['two']);
    await assert.rejects(rig.chat.request({ name: 'edit-queued', parameters: { message } }));
    rig.chat.dispose();
  });
});

describe('the queue of a chat that is opened again', () => {
  it('moves its messages to the draft if another chat is open', async () => {
    const rig = new Rig();
    await rig.add();
    await settled();
    await rig.add();
    const other = { ...rig.chat.conversation, id: 'other', running: undefined };
    rig.chat.restoreWith(() => Promise.resolve(other));
    rig.chat.stop();
    await rig.chat.allRead();
    assert.deepEqual([rig.chat.composer.draft, rig.queuedTexts], ['message 2', []]);
    rig.chat.dispose();
  });
});
