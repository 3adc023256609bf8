import { isTextEvent, pushEvent, type ConversationEvent } from '../../core/conversation/events.ts';
import { writeEvent, writeHeader } from '../../core/conversation/record.ts';
import type { Clock } from '../../core/support/clock.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';

/** Storage of journals: one append-only text per conversation. */
export interface JournalStorage {
  /** Appends text, and resolves when it is stored. */
  append(conversation: string, text: string): Promise<void>;
  /** The complete text; undefined if there is none. */
  read(conversation: string): Promise<string | undefined>;
}

export interface JournalOptions {
  readonly conversation: string;
  readonly workspace: string;
  /** Number of events that are stored already. */
  readonly records: number;
  readonly storage: JournalStorage;
  readonly clock: Clock;
}

/** Milliseconds after which text of a running reply is written at the latest. */
const maxWriteDelay = 1000;

/** Milliseconds until a failed write is retried; doubled after each failure. */
const minRetryDelay = 2000;
const maxRetryDelay = 60_000;

/**
 * Writes the events of one conversation: text at most once a second, all other events at once. A
 * failed write is kept in memory and retried; nothing is ever overwritten.
 */
export class Journal implements Disposable {
  readonly #options: JournalOptions;
  readonly #failed = new Emitter<Error | undefined>();
  #records: number;
  #pending: ConversationEvent[] = [];
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
    pushEvent(this.#pending, event);
    if (isTextEvent(event)) this.#schedule(maxWriteDelay);
    else void this.flush();
  }

  /** Writes all pending events. Resolves when they are stored, or when writing failed. */
  async flush(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    await (this.#writing ??= this.#write());
  }

  dispose(): void {
    void this.flush();
  }

  async #write(): Promise<void> {
    // Events of the same tick are written together: no crash may keep the removal of a turn but
    // lose the turn that replaces it.
    await Promise.resolve();
    try {
      while (this.#pending.length > 0 || this.#unsaved !== '') await this.#writeLines();
    } catch (error) {
      this.#fail(error);
    } finally {
      // Reset while nothing is pending: a later event starts its own write.
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
    let lines = this.#records === 0 && this.#pending.length > 0 ? writeHeader(first) : '';
    for (const event of this.#pending) lines += writeEvent(event, (this.#records += 1));
    this.#pending = [];
    return lines;
  }

  /**
   * Unsaved lines are kept and written first. Their numbers mark lines that were stored already.
   */
  #fail(error: unknown): void {
    this.#failed.fire(error instanceof Error ? error : new Error(String(error)));
    this.#schedule(this.#retryDelay);
    this.#retryDelay = Math.min(this.#retryDelay * 2, maxRetryDelay);
  }

  #schedule(delay: number): void {
    this.#timer ??= this.#options.clock.after(delay, () => void this.flush());
  }
}
