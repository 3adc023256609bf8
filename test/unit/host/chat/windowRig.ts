import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import type { Chat } from '../../../../src/host/chat/chat.ts';
import { ChatLocks, type LockFiles } from '../../../../src/host/chat/chatLocks.ts';
import type { JournalStorage } from '../../../../src/host/chat/journal.ts';
import { firstLine, type KeptEnds } from '../../../../src/host/platform/keptFiles.ts';
import type { OpenChats } from '../../../../src/host/chat/openChats.ts';
import type { Clock } from '../../../../src/core/support/clock.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { settled } from '../../../support/settled.ts';
import { FakeMemento } from '../fakes.ts';
import { type FakePlace, openChats, replyEnd } from './openChatRig.ts';

/** State that the windows of a workspace share. */
export class SharedMachine {
  readonly clock = new ManualClock();
  readonly journals = new Map<string, string>();
  readonly locks = new Map<string, string>();
  readonly state = new FakeMemento();
  readonly running = new Set<number>();

  /** Resolves when a window shows its chat, which it does without the lock after some seconds. */
  async restored(window: TestWindow): Promise<void> {
    const restored = window.chat.allRead();
    await settled();
    await this.clock.advance(4000);
    await restored;
    await settled();
  }

  /** Process in the lock of a chat that counts. */
  writerOf(conversation: string): unknown {
    const numbers = [...this.locks.keys()].flatMap((name) => {
      const [id, number] = name.split('.');
      return id === conversation ? [Number(number)] : [];
    });
    const text = this.locks.get(`${conversation}.${Math.max(...numbers)}.lock`) ?? '{}';
    const lock: unknown = JSON.parse(text);
    return typeof lock === 'object' && lock !== null ? Reflect.get(lock, 'process') : 0;
  }
}

/** Clock of a window. It calls nothing while the window hangs. */
class WindowClock implements Clock {
  readonly #clock: Clock;
  readonly #disk: WindowDisk;

  constructor(clock: Clock, disk: WindowDisk) {
    this.#clock = clock;
    this.#disk = disk;
  }

  wall(): number {
    return this.#clock.wall();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  after(milliseconds: number, callback: () => void): ReturnType<Clock['after']> {
    let isDisposed = false;
    const timer = this.#clock.after(milliseconds, () => {
      const call = (): void => {
        if (!isDisposed) callback();
      };
      if (this.#disk.hanging === undefined) call();
      else void this.#disk.hanging.then(call);
    });
    return {
      dispose: () => {
        isDisposed = true;
        timer.dispose();
      },
    };
  }
}

/**
 * The disk of a window. A killed window does nothing more, and may have written half a text. A
 * hanging window waits.
 */
class WindowDisk implements JournalStorage, LockFiles {
  readonly #machine: SharedMachine;
  readonly #process: number;
  isDead = false;
  /** Resolves when the window no longer hangs. */
  hanging: Promise<void> | undefined;
  /** Journals that were written without a check of their locks right before. */
  readonly uncheckedWrites: string[] = [];
  /** Chats that this process could write at its last listing, and the time of that. */
  #writable: ReadonlySet<string> = new Set();
  #listedAt = -Infinity;

  constructor(machine: SharedMachine, process: number) {
    this.#machine = machine;
    this.#process = process;
  }

  async append(conversation: string, text: string): Promise<void> {
    await this.hanging;
    if (this.isDead) await new Promise(() => undefined);
    const { journals } = this.#machine;
    const age = this.#machine.clock.monotonic() - this.#listedAt;
    if (age > 0 || !this.#writable.has(conversation)) this.uncheckedWrites.push(conversation);
    const before = (journals.get(conversation) ?? '').replace(/[^\n]$/, '$&\n');
    journals.set(conversation, before + text.slice(0, text.length / 2));
    await this.#moment();
    const all = journals.get(conversation) ?? '';
    // Another window may append between the halves. A whole text is appended at once.
    journals.set(conversation, all + text.slice(text.length / 2));
  }

  async read(name: string): Promise<string | undefined> {
    await this.#moment();
    const { journals, locks } = this.#machine;
    return locks.get(name) ?? journals.get(name);
  }

  async readEnds(conversation: string): Promise<KeptEnds | undefined> {
    await this.#moment();
    const text = this.#machine.journals.get(conversation);
    return text === undefined ? undefined : { first: firstLine(text), last: text, isWhole: true };
  }

  async names(): Promise<readonly string[]> {
    await this.#moment();
    const names = [...this.#machine.locks.keys()];
    const ids = names.map((name) => name.slice(0, name.indexOf('.')));
    this.#writable = new Set(ids.filter((id) => this.#machine.writerOf(id) === this.#process));
    this.#listedAt = this.#machine.clock.monotonic();
    return names;
  }

  async create(name: string, text: string): Promise<boolean> {
    await this.#moment();
    if (this.#machine.locks.has(name)) return false;
    this.#machine.locks.set(name, text);
    return true;
  }

  async replace(name: string, text: string): Promise<void> {
    await this.#moment();
    if (this.#machine.locks.has(name)) this.#machine.locks.set(name, text);
  }

  async remove(name: string): Promise<void> {
    await this.#moment();
    this.#machine.locks.delete(name);
  }

  async #moment(): Promise<void> {
    await Promise.resolve();
    await this.hanging;
    if (this.isDead) await new Promise(() => undefined);
  }
}

/** A window whose side bar shows a chat. The test supplies the model's reply. */
export class TestWindow {
  readonly chats: OpenChats;
  readonly #sidebar: FakePlace;
  readonly #machine: SharedMachine;
  readonly #disk: WindowDisk;
  readonly #process: number;
  #resumeDisk: () => void = () => undefined;
  /** Number of times that the person was told that the chat continues in a copy. */
  copyNotices = 0;
  readonly #models = new Map<string, { said: CompletionEvent[]; more: () => void }>();

  constructor(machine: SharedMachine, process: number) {
    const { state, running } = machine;
    this.#machine = machine;
    this.#process = process;
    this.#disk = new WindowDisk(machine, process);
    const clock = new WindowClock(machine.clock, this.#disk);
    running.add(process);
    const host = { machine: 'm', id: process, isRunning: (id: number) => running.has(id) };
    const locks = new ChatLocks(this.#disk, host, clock);
    const { chats, sidebar } = openChats({
      storage: this.#disk,
      locks,
      state,
      clock,
      onCopied: () => (this.copyNotices += 1),
      client: this.#client(),
    });
    this.chats = chats;
    this.#sidebar = sidebar;
  }

  get chat(): Chat {
    return this.#sidebar.chat;
  }

  ask(text: string): void {
    this.#sidebar.chat.post({ text, attachments: [] }, 'm');
  }

  say(text: string): void {
    this.#add({ type: 'text', text });
  }

  finish(): void {
    this.#add(replyEnd);
  }

  /** Journals that were written without their lock. */
  get uncheckedWrites(): readonly string[] {
    return this.#disk.uncheckedWrites;
  }

  get hangs(): boolean {
    return this.#disk.hanging !== undefined;
  }

  /** Stops everything until `goOn`, like a suspended process. */
  hang(): void {
    this.#disk.hanging ??= new Promise((resolve) => (this.#resumeDisk = resolve));
  }

  resume(): void {
    this.#disk.hanging = undefined;
    this.#resumeDisk();
  }

  kill(): void {
    this.#machine.running.delete(this.#process);
    this.#disk.isDead = true;
  }

  /** Closes the window as VS Code does. */
  async close(): Promise<void> {
    await this.chats.leave();
    this.kill();
  }

  #add(event: CompletionEvent): void {
    const model = this.#models.get(this.chat.conversation.running?.question.text ?? '');
    model?.said.push(event);
    model?.more();
  }

  #client(): Client {
    const address = { baseUrl: '', origin: '', host: '' };
    return {
      address,
      stream: (request, signal) => this.#stream(String(request.messages.at(-1)?.content), signal),
    };
  }

  async *#stream(message: string, signal?: AbortSignal): AsyncGenerator<CompletionEvent, void> {
    const model = { said: new Array<CompletionEvent>(), more: (): void => undefined };
    this.#models.set(message, model);
    for (;;) {
      const next = model.said.shift();
      signal?.throwIfAborted();
      if (next === undefined)
        await new Promise<void>((resolve) => {
          model.more = resolve;
          signal?.addEventListener('abort', () => resolve(), { once: true });
        });
      else yield next;
      if (next?.type === 'end') return;
    }
  }
}
