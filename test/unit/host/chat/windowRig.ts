import type { Conversation, Turn } from '../../../../src/core/conversation/conversation.ts';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import type { Chat } from '../../../../src/host/chat/chat.ts';
import type { ConversationStore } from '../../../../src/host/chat/conversationStore.ts';
import type { JournalStorage } from '../../../../src/host/chat/journal.ts';
import { Leases, type LeaseFiles } from '../../../../src/host/chat/leases.ts';
import type { OpenChats } from '../../../../src/host/chat/openChats.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { FakeMemento } from '../fakes.ts';
import { openChats, type FakePlace } from './openChatRig.ts';

/** What several windows of a workspace share. */
export class SharedMachine {
  readonly clock = new ManualClock();
  readonly journals = new Map<string, string>();
  readonly leases = new Map<string, string>();
  readonly state = new FakeMemento();
  readonly running = new Set<number>();
}

/** What a window does with files; a killed one does no more, and may have written half a text. */
class WindowDisk implements JournalStorage, LeaseFiles {
  readonly #machine: SharedMachine;
  isDead = false;

  constructor(machine: SharedMachine) {
    this.#machine = machine;
  }

  async append(conversation: string, text: string): Promise<void> {
    const { journals } = this.#machine;
    const before = (journals.get(conversation) ?? '').replace(/[^\n]$/, '$&\n');
    journals.set(conversation, before + text.slice(0, text.length / 2));
    await this.#moment();
    const all = journals.get(conversation) ?? '';
    // Between, another window may have appended: a whole text is appended at once.
    journals.set(conversation, all + text.slice(text.length / 2));
  }

  async read(name: string): Promise<string | undefined> {
    await this.#moment();
    const { journals, leases } = this.#machine;
    return leases.get(name) ?? journals.get(name);
  }

  async names(): Promise<readonly string[]> {
    await this.#moment();
    return [...this.#machine.leases.keys()];
  }

  async create(name: string, text: string): Promise<boolean> {
    await this.#moment();
    if (this.#machine.leases.has(name)) return false;
    this.#machine.leases.set(name, text);
    return true;
  }

  async replace(name: string, text: string): Promise<void> {
    await this.#moment();
    if (this.#machine.leases.has(name)) this.#machine.leases.set(name, text);
  }

  async remove(name: string): Promise<void> {
    await this.#moment();
    this.#machine.leases.delete(name);
  }

  async #moment(): Promise<void> {
    await Promise.resolve();
    if (this.isDead) await new Promise(() => undefined);
  }
}

/** A window whose sidebar shows a chat; the model says what the test tells it to. */
export class TestWindow {
  readonly chats: OpenChats;
  readonly #sidebar: FakePlace;
  readonly #machine: SharedMachine;
  readonly #disk: WindowDisk;
  readonly #process: number;
  readonly #models = new Map<string, { said: CompletionEvent[]; more: () => void }>();

  constructor(machine: SharedMachine, process: number) {
    const { clock, state, running } = machine;
    this.#machine = machine;
    this.#process = process;
    this.#disk = new WindowDisk(machine);
    running.add(process);
    const host = { machine: 'm', id: process, isRunning: (id: number) => running.has(id) };
    const leases = new Leases({ files: this.#disk, host, workspace: 'w', clock });
    const { chats, sidebar } = openChats({
      storage: this.#disk,
      leases,
      state,
      clock,
      elsewhere: 'elsewhere',
      chat: { connect: () => Promise.resolve({ client: this.#client(), demo: false }) },
    });
    this.chats = chats;
    this.#sidebar = sidebar;
  }

  /** The chat in the sidebar. */
  get chat(): Chat {
    return this.#sidebar.shown.chat;
  }

  get store(): ConversationStore {
    return this.#sidebar.shown.store;
  }

  /** Shows a new chat; the one before goes on. */
  newChat(): void {
    this.#sidebar.show(this.chats.create());
  }

  get shown(): readonly Turn[] {
    return turnsOf(this.chat.conversation);
  }

  ask(text: string): void {
    this.chat.send({ text, attachments: [] }, 'm').catch(() => undefined);
  }

  say(text: string): void {
    this.#add({ type: 'text', text });
  }

  finish(): void {
    const rest = { usage: undefined, model: undefined, fault: undefined };
    const completion = { toolCalls: [], finishReason: 'stop', doneSeen: true, malformedEvents: 0 };
    this.#add({ type: 'end', completion: { ...completion, ...rest } });
  }

  /** Ends the process at once. */
  kill(): void {
    this.#machine.running.delete(this.#process);
    this.#disk.isDead = true;
  }

  /** Closes the window as VS Code does. */
  async close(): Promise<void> {
    await this.chats.leave();
    this.kill();
  }

  /** Continues the reply to the message of the chat in the sidebar. */
  #add(event: CompletionEvent): void {
    const model = this.#models.get(this.chat.conversation.running?.question.text ?? '');
    model?.said.push(event);
    model?.more();
  }

  #client(): Client {
    const address = { baseUrl: '', origin: '', host: '' };
    return {
      address,
      listModels: () => Promise.resolve([]),
      stream: (request) => this.#stream(String(request.messages.at(-1)?.content)),
    };
  }

  async *#stream(message: string): AsyncGenerator<CompletionEvent, void> {
    const model = { said: new Array<CompletionEvent>(), more: (): void => undefined };
    this.#models.set(message, model);
    for (;;) {
      const next = model.said.shift();
      if (next === undefined) await new Promise<void>((resolve) => (model.more = resolve));
      else yield next;
      if (next?.type === 'end') return;
    }
  }
}

export function turnsOf({ turns, running }: Conversation): readonly Turn[] {
  return running === undefined ? turns : [...turns, running];
}

/** Resolves when nothing is left to do without another event. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}
