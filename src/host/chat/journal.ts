import { isTextEvent, pushEvent, type ConversationEvent } from '../../core/conversation/events.ts';
import { writeEvent, writeHeader } from '../../core/conversation/record.ts';
import type { Clock } from '../../core/support/clock.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';

/** Where journals lie: text that only ever grows, one for each conversation. */
export interface JournalStorage {
  /** Adds text at the end and resolves when it is safe there. */
  append(conversation: string, text: string): Promise<void>;
  /** All text so far; undefined where there is none. */
  read(conversation: string): Promise<string | undefined>;
}

export interface JournalOptions {
  readonly conversation: string;
  readonly workspace: string;
  /** How many events the storage holds already. */
  readonly records: number;
  readonly storage: JournalStorage;
  readonly clock: Clock;
}

/** Text of a running reply waits at most so long, in milliseconds, before it is written. */
const maxWriteDelay = 1000;

/** The wait after a write failed, in milliseconds; it doubles from one to the other. */
const minRetryDelay = 2000;
const maxRetryDelay = 60_000;

/**
 * Writes what happens to one conversation: text at most once a second, every boundary at once. A
 * write that fails keeps its text in memory and is tried again; nothing that was written is ever
 * written over.
 */
export class Journal implements Disposable {
  readonly #options: JournalOptions;
  readonly #failed = new Emitter<Error | undefined>();
  #records: number;
  #waiting: ConversationEvent[] = [];
  #unsaved = '';
  #writing: Promise<void> | undefined;
  #timer: Disposable | undefined;
  #retryDelay = minRetryDelay;

  /** Fires with the error when writing fails, and with undefined when it works again. */
  readonly onDidFail = this.#failed.event;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#records = options.records;
  }

  append(event: ConversationEvent): void {
    pushEvent(this.#waiting, event);
    if (isTextEvent(event)) this.#schedule(maxWriteDelay);
    else void this.flush();
  }

  /** Writes everything that waits; resolves when it is safe, or when writing failed. */
  async flush(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    await (this.#writing ??= this.#write());
  }

  dispose(): void {
    void this.flush();
  }

  async #write(): Promise<void> {
    // What happens in one moment is one piece: no crash leaves a turn taken back without the one
    // that is asked instead.
    await Promise.resolve();
    try {
      while (this.#waiting.length > 0 || this.#unsaved !== '') await this.#writeLines();
    } catch (error) {
      this.#fail(error);
    } finally {
      // In the moment in which nothing waits: what comes later begins a write of its own.
      this.#writing = undefined;
    }
  }

  async #writeLines(): Promise<void> {
    this.#unsaved += this.#drainLines();
    await this.#options.storage.append(this.#options.conversation, this.#unsaved);
    this.#unsaved = '';
    if (this.#retryDelay > minRetryDelay) this.#failed.fire(undefined);
    this.#retryDelay = minRetryDelay;
  }

  #drainLines(): string {
    const { conversation, workspace, clock } = this.#options;
    const first = { conversation, workspace, at: clock.wall() };
    let lines = this.#records === 0 && this.#waiting.length > 0 ? writeHeader(first) : '';
    for (const event of this.#waiting) lines += writeEvent(event, (this.#records += 1));
    this.#waiting = [];
    return lines;
  }

  /** What was not written stays in front of what comes; its numbers tell what was there already. */
  #fail(error: unknown): void {
    this.#failed.fire(error instanceof Error ? error : new Error(String(error)));
    this.#schedule(this.#retryDelay);
    this.#retryDelay = Math.min(this.#retryDelay * 2, maxRetryDelay);
  }

  #schedule(delay: number): void {
    this.#timer ??= this.#options.clock.after(delay, () => void this.flush());
  }
}
