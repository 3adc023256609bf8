import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Conversation } from '../../../../src/core/conversation/conversation.ts';
import { readJournal } from '../../../../src/core/conversation/journalReader.ts';
import { turnsOfAllPaths } from '../../../../src/core/conversation/paths.ts';
import { storedQueue } from '../../../../src/core/conversation/conversationSchema.ts';
import { writeEvent, writeHeader } from '../../../../src/core/conversation/record.ts';
import type { OpenChat } from '../../../../src/host/chat/openChat.ts';
import { UserError } from '../../../../src/host/errors.ts';
import { errorText } from '../../../../src/host/errorText.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { runs } from '../../../support/sample.ts';
import { FakeMemento } from '../fakes.ts';
import { openChats, SlowModel } from './openChatRig.ts';
import { settled } from './windowRig.ts';
import { turnStart } from '../../../support/turns.ts';

/** A closed chat, with what it had sent and shown when it was closed. */
interface ClosedChat {
  readonly open: OpenChat;
  readonly conversation: Conversation;
  readonly draft: string;
  readonly requests: number;
  readonly traces: readonly string[];
  readonly journal: string | undefined;
  /** True if it was closed with its window. */
  readonly wasWindowClosed: boolean;
}

/** A pending check of a message. */
interface Check {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A chat whose window closed during a reply. */
const storedId = 'stored';
const storedJournal = [
  writeHeader({ conversation: storedId, workspace: '', at: 0 }),
  writeEvent(turnStart({ id: 'stored-turn' }), 1),
  writeEvent({ type: 'text-delta', text: 'Because', at: 2 }, 2),
].join('');

/** A window whose service, disk and message checks progress only when the test says so. */
class SlowWindow {
  readonly #clock = new ManualClock();
  readonly #model = new SlowModel();
  readonly #checks = new Set<Check>();
  readonly #reads = new Set<() => void>();
  readonly #journals = new Map([[storedId, storedJournal]]);
  readonly #memento = this.#state();
  /** Messages that the panel was told are accepted, with their chats. */
  readonly #accepted = new Map<string, OpenChat>();
  /** Chat ids of the requests, and everything that the person can notice, each with its chat id. */
  readonly #requests: string[] = [];
  readonly #traces: string[] = [];
  readonly #closed: ClosedChat[] = [];
  readonly #ids = new Map<string, string>();
  readonly #pendingWork: Promise<unknown>[] = [];
  readonly #rig: ReturnType<typeof openChats>;
  readonly #chats: OpenChat[] = [];
  #messages = 0;
  #isWindowClosed = false;

  constructor() {
    this.#rig = openChats({
      clock: this.#clock,
      state: this.#memento,
      storage: {
        append: (id, text) =>
          Promise.resolve(void this.#journals.set(id, (this.#journals.get(id) ?? '') + text)),
        read: (id) =>
          new Promise((resolve) => this.#reads.add(() => resolve(this.#journals.get(id)))),
      },
      chat: {
        connect: () => Promise.resolve({ client: this.#client(), demo: false }),
        checkMessage: () => new Promise((resolve, reject) => this.#checks.add({ resolve, reject })),
      },
    });
    const { chats } = this.#rig;
    chats.onDidClose((open) => this.#recordState(open));
    for (const open of [chats.inSidebar, chats.create(), chats.open(storedId)]) this.#follow(open);
  }

  ask(chat: number): void {
    const open = this.#chat(chat);
    const text = this.#text(open);
    this.#expect(open.chat.send({ text, attachments: [] }, 'm'), 'stopped', 'refused');
  }

  send(chat: number): void {
    const open = this.#chat(chat);
    const text = this.#text(open);
    if (this.#isOpen(open)) this.#pendingWork.push(open.composer.setDraft(text));
    const sending = open.request({ name: 'send', parameters: { text } });
    this.#expect(
      sending.then(() => this.#accepted.set(text, open)),
      'refused',
    );
  }

  stop(chat: number): void {
    this.#request(this.#chat(chat), { name: 'stop', parameters: {} });
  }

  retry(chat: number): void {
    const open = this.#chat(chat);
    const turn = open.chat.conversation.turns.at(-1)?.id;
    if (turn !== undefined)
      this.#request(open, { name: 'retry', parameters: { turn, chooseModel: false } });
  }

  continueReply(chat: number): void {
    const open = this.#chat(chat);
    if (open.chat.conversation.turns.length > 0)
      this.#expect(open.chat.continue(), 'stopped', 'unexpected');
  }

  check(): void {
    for (const { resolve } of this.#checks) resolve();
    this.#checks.clear();
  }

  /** Refuses the messages that are being checked. */
  refuse(): void {
    for (const { reject } of this.#checks) reject(new UserError('Not this message.'));
    this.#checks.clear();
  }

  read(): void {
    for (const resolve of this.#reads) resolve();
    this.#reads.clear();
  }

  step(): void {
    this.#model.step();
  }

  /** Closes a chat. Nothing of it may be sent from this moment on. */
  delete(chat: number): void {
    const open = this.#chat(chat);
    if (this.#isOpen(open)) this.#recordState(open);
    this.#pendingWork.push(this.#rig.chats.close(open.id));
  }

  async wait(): Promise<void> {
    await this.#clock.advance(6000);
  }

  closeWindow(): void {
    this.#isWindowClosed = true;
    this.#rig.chats.dispose();
  }

  /** Lets everything finish, and compares the closed chats with their state when they closed. */
  async end(): Promise<void> {
    for (const open of this.#rig.chats.all) this.#pendingWork.push(this.#rig.chats.close(open.id));
    for (let round = 0; round < 8; round++) {
      this.read();
      this.check();
      this.step();
      await settled();
    }
    await this.wait();
    await Promise.all(this.#pendingWork);
    this.#assertMessages();
    for (const { open, requests } of this.#closed)
      assert.equal(countOf(this.#requests, open.chat.conversation.id), requests, 'a request');
    for (const closed of this.#closed.filter(this.#isGone)) {
      const { open, conversation, draft, traces, journal, wasWindowClosed } = closed;
      assert.deepEqual(this.#tracesOf(open), traces);
      assert.equal(open.composer.draft, draft, 'what is not sent stays');
      const journalNow = this.#journals.get(open.id);
      // A window that closes still writes what it has shown.
      if (!wasWindowClosed) assert.equal(journalNow, journal, 'nothing is written');
      // A turn that runs when the window closes still ends, which nobody sees.
      if (conversation.running === undefined)
        assert.equal(open.chat.conversation, conversation, 'nothing is changed');
      if (open.id === storedId && conversation.turns.length === 0) continue;
      const stored = readJournal(open.id, journalNow ?? '').conversation;
      assert.deepEqual(stored, conversation, 'the lines are those of what was shown');
    }
    assert.equal(this.#memento.get('aside.unsaved'), undefined, 'no chat comes back');
  }

  /** Checks that each accepted message is in its chat or in its queue. */
  #assertMessages(): void {
    for (const [text, { chat, id }] of this.#accepted) {
      const sent = turnsOfAllPaths(chat.conversation).map(({ question }) => question.text);
      const waiting = storedQueue.safeParse(this.#memento.get(`${id} aside.queue`)).data;
      const queued = waiting?.messages.map(({ message }) => message.text) ?? [];
      assert.ok([...sent, ...queued].includes(text), `${text} is lost`);
    }
  }

  /** Records the state of a chat when its deletion is requested, and again when it has closed. */
  #recordState(open: OpenChat): void {
    const { conversation } = open.chat;
    const requests = countOf(this.#requests, conversation.id);
    const { draft } = open.composer;
    const journal = this.#journals.get(open.id);
    const traces = this.#tracesOf(open);
    const wasWindowClosed = this.#isWindowClosed;
    this.#closed.push({
      open,
      conversation,
      draft,
      requests,
      traces,
      journal,
      wasWindowClosed,
    });
  }

  #isOpen(open: OpenChat): boolean {
    return this.#rig.chats.all.includes(open);
  }

  readonly #isGone = (closed: ClosedChat): boolean =>
    this.#closed.findLast(({ open }) => open === closed.open) === closed;

  #tracesOf({ id }: OpenChat): readonly string[] {
    return this.#traces.filter((trace) => trace.includes(id));
  }

  #follow(open: OpenChat): void {
    this.#chats.push(open);
    const { id } = open;
    open.chat.onDidChange(() => this.#recordTrace(`change of ${id}`));
    open.chat.onDidWait(() => this.#recordTrace(`wait of ${id}`));
    open.queue.onDidChange(() => this.#recordTrace(`queue of ${id}`));
    open.state.onDidChange(() => this.#recordTrace(`state of ${id}`));
    open.store.onDidSave(() => this.#recordTrace(`save of ${id}`));
  }

  #recordTrace(trace: string): void {
    this.#traces.push(trace);
  }

  #chat(number: number): OpenChat {
    const open = this.#chats[number % this.#chats.length];
    assert.ok(open !== undefined);
    return open;
  }

  #text(open: OpenChat): string {
    const text = `message ${(this.#messages += 1)}`;
    this.#ids.set(text, open.chat.conversation.id);
    return text;
  }

  #request(open: OpenChat, request: Parameters<OpenChat['request']>[0]): void {
    this.#expect(open.request(request), 'refused');
  }

  /** Fails if the work rejects with an error of another kind. `stopped` is shown nowhere. */
  #expect(work: Promise<unknown>, ...kinds: readonly string[]): void {
    const failure = work.catch((error: unknown) => {
      const context = { l10n: { t: String }, redact: String, now: 0, language: 'en' };
      const { kind } = errorText(error, { ...context, model: undefined, silenceSeconds: 0 });
      assert.ok(kinds.includes(kind), String(error));
    });
    this.#pendingWork.push(failure);
  }

  #client(): SlowModel['client'] {
    const { client } = this.#model;
    return {
      ...client,
      stream: (request, signal) => {
        const text = String(request.messages.at(-1)?.content);
        this.#requests.push(this.#ids.get(text) ?? text);
        return client.stream(request, signal);
      },
    };
  }

  #state(): FakeMemento {
    const state = new FakeMemento();
    const update = state.update.bind(state);
    state.update = (key, value) => {
      // Drafts are compared with what was typed instead.
      if (!key.endsWith('draft')) this.#recordTrace(`value ${key}`);
      return update(key, value);
    };
    return state;
  }
}

function countOf(requests: readonly string[], id: string): number {
  return requests.filter((request) => request === id).length;
}

const step = fc.record({
  act: fc.constantFrom(
    ...(['ask', 'ask', 'send', 'send', 'stop', 'retry', 'continueReply', 'check'] as const),
    ...([
      'check',
      'refuse',
      'read',
      'step',
      'step',
      'delete',
      'delete',
      'wait',
      'closeWindow',
    ] as const),
  ),
  chat: fc.nat(2),
  isSettled: fc.boolean(),
});

describe('a chat that was closed', () => {
  it('sends, writes and shows nothing, and loses no message, whatever was pending', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        const window = new SlowWindow();
        for (const { act, chat, isSettled } of steps) {
          await window[act](chat);
          if (isSettled) await settled();
        }
        await window.end();
      }),
      { numRuns: runs(300, 3) },
    );
  });
});
