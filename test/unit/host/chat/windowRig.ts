import {
  emptyConversation,
  type Conversation,
  type Turn,
} from '../../../../src/core/conversation/conversation.ts';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import { newId } from '../../../../src/core/support/id.ts';
import { Chat } from '../../../../src/host/chat/chat.ts';
import { ConversationStore } from '../../../../src/host/chat/conversationStore.ts';
import type { JournalStorage } from '../../../../src/host/chat/journal.ts';
import { Leases, type LeaseFiles } from '../../../../src/host/chat/leases.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { FakeMemento } from '../fakes.ts';

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

/** A window with a chat whose model says what the test tells it to. */
export class TestWindow {
  readonly chat: Chat;
  readonly store: ConversationStore;
  readonly #machine: SharedMachine;
  readonly #disk: WindowDisk;
  readonly #process: number;
  #said: CompletionEvent[] = [];
  #more: () => void = () => undefined;

  constructor(machine: SharedMachine, process: number) {
    const { clock, state, running } = machine;
    this.#machine = machine;
    this.#process = process;
    this.#disk = new WindowDisk(machine);
    running.add(process);
    this.chat = new Chat(
      {
        clock,
        connect: () => Promise.resolve({ client: this.#client(), demo: false }),
        settings: () => ({ instructions: '', stream: true, options: {} }),
        meter: { estimate: () => 0, learn: () => undefined },
        checkMessage: () => Promise.resolve(),
        tools: () => Promise.resolve(undefined),
        onToolsRefused: () => undefined,
        describe: (error) => ({ kind: 'x', message: String(error) }),
      },
      emptyConversation(newId()),
    );
    const host = { machine: 'm', id: process, isRunning: (id: number) => running.has(id) };
    const leases = new Leases({ files: this.#disk, host, workspace: 'w', clock });
    const { chat } = this;
    const options = { chat, storage: this.#disk, leases, state, workspace: 'w', clock };
    this.store = new ConversationStore({
      ...options,
      interrupted: 'interrupted',
      elsewhere: 'elsewhere',
      onError: () => undefined,
      onUnread: () => undefined,
    });
  }

  get shown(): readonly Turn[] {
    return turnsOf(this.chat.conversation);
  }

  ask(text: string): void {
    this.chat.send({ text, attachments: [] }, 'm').catch(() => undefined);
  }

  say(text: string): void {
    this.#said.push({ type: 'text', text });
    this.#more();
  }

  finish(): void {
    const rest = { usage: undefined, model: undefined, fault: undefined };
    const completion = { toolCalls: [], finishReason: 'stop', doneSeen: true, malformedEvents: 0 };
    this.#said.push({ type: 'end', completion: { ...completion, ...rest } });
    this.#more();
  }

  /** Ends the process at once. */
  kill(): void {
    this.#machine.running.delete(this.#process);
    this.#disk.isDead = true;
  }

  /** Closes the window as VS Code does. */
  async close(): Promise<void> {
    await this.store.close();
    this.kill();
  }

  #client(): Client {
    const address = { baseUrl: '', origin: '', host: '' };
    return { address, listModels: () => Promise.resolve([]), stream: () => this.#stream() };
  }

  async *#stream(): AsyncGenerator<CompletionEvent, void> {
    this.#said = [];
    for (;;) {
      const next = this.#said.shift();
      if (next === undefined) await new Promise<void>((resolve) => (this.#more = resolve));
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
