import { isTextEvent, pushEvent, type ConversationEvent } from '../../core/conversation/events.ts';
import type { JournalContent } from '../../core/conversation/journalReader.ts';
import { writeEvent, writeHeader, type JournalPosition } from '../../core/conversation/record.ts';
import { background } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { KeptEnds } from '../platform/keptFiles.ts';
import type { ChatLocks } from './chatLocks.ts';

export interface JournalTexts {
  /** Undefined if there is no journal. */
  read(conversation: string): Promise<string | undefined>;
}

/** Stores journals: one append-only text per conversation. */
export interface JournalStorage extends JournalTexts {
  /**
   * Appends text, and resolves when it is stored.
   *
   * @param exists true if the journal must exist; then rejects if it doesn't
   */
  append(conversation: string, text: string, exists?: boolean): Promise<void>;
  /**
   * The first and last lines, see `KeptFiles.readEnds`; undefined if only the whole text can be
   * read.
   */
  readEnds?(conversation: string, bytes: number): Promise<KeptEnds | undefined>;
  /** Copies a damaged journal before anything is appended to it. */
  setAside?(conversation: string): Promise<void>;
}

export interface SavedJournals extends JournalTexts {
  /** The conversations with a journal, in no particular order. */
  list(): Promise<readonly string[]>;
  status(conversation: string): Promise<JournalStatus | undefined>;
}

/** Changes with each append to a journal. */
export interface JournalStatus {
  /** Bytes. */
  readonly size: number;
  /** Time of the last write, in milliseconds since the Unix epoch. */
  readonly modified: number;
}

/** Where a journal continues. */
interface Continuation {
  /** Number of stored events. */
  readonly records: number;
  /** Writer and number of the last line; undefined for a new conversation. */
  readonly position?: JournalPosition | undefined;
  /** True if the journal has damaged lines that weren't copied. */
  readonly isDamaged?: boolean;
  /** Number of characters that were read. */
  readonly length?: number;
}

export interface JournalOptions extends Continuation {
  readonly conversation: string;
  readonly workspace: string;
  /** Lines that an earlier window could not save. */
  readonly unsaved?: string;
  readonly storage: JournalStorage;
  /** Absent if no other window can write to the storage. */
  readonly locks?: ChatLocks | undefined;
  readonly clock: Clock;
  /**
   * The events of the whole conversation, to write it anew if its journal was deleted or belongs to
   * another window now. Undefined while a turn runs: then its lines wait.
   */
  readonly whole?: () => readonly ConversationEvent[] | undefined;
}

/** @param length number of characters of the journal */
export function continuationOf(content: JournalContent, length: number): Continuation {
  const { records, damaged, knownDamaged, lines } = content;
  return { records, position: { lines, damaged }, isDamaged: damaged > knownDamaged, length };
}

/**
 * Maximum milliseconds before text of a running reply is written. A person takes about twice as
 * long to notice a text, and a browser ends Aside without a warning.
 */
const maxWriteDelay = 200;

/** Milliseconds until a failed write is retried; doubled after each failure. */
const minRetryDelay = 2000;
const maxRetryDelay = 60_000;

/**
 * Writes the events of one conversation immediately, and further text of a reply after a short
 * delay. A failed write stays in memory and is retried; nothing is ever overwritten. Once another
 * window writes the journal, this one writes nothing more to it.
 */
export class Journal implements Disposable {
  readonly #options: JournalOptions;
  readonly #failed = new Emitter<Error | undefined>();
  readonly #lost = new Emitter<unknown>();
  readonly #stored = new Emitter<string>();
  #writer = newId().slice(0, 8);
  #conversation: string;
  /** The part of the journal that this object did not write. */
  #before: Continuation;
  #records: number;
  #isDamaged: boolean;
  #isBegun: boolean;
  #pending: ConversationEvent[] = [];
  #unsaved: string;
  #writing: Promise<void> | undefined;
  /** True if an added event must be written immediately. */
  #isDue = false;
  #isDisposed = false;
  #timer: Disposable | undefined;
  /** Runs while new lines can't be written, and are about to be stored elsewhere. */
  #unsavedTimer: Disposable | undefined;
  #retryDelay = minRetryDelay;
  #isLost = false;
  /** True if the last write failed, here or in an earlier window. */
  #hasFailed: boolean;

  /** Fires with the error when writing fails, and with undefined when it works again. */
  readonly onDidFail = this.#failed.event;
  /** Fires once when another window was found to write the journal. */
  readonly onDidLose = this.#lost.event;
  /** Fires with all lines that could not be saved when there are more, or with an empty text. */
  readonly onDidChangeUnsaved = this.#stored.event;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#before = options;
    this.#conversation = options.conversation;
    this.#records = options.records;
    this.#isDamaged = options.isDamaged === true;
    this.#isBegun = options.records > 0;
    this.#unsaved = options.unsaved ?? '';
    this.#hasFailed = this.#unsaved !== '';
    if (this.#hasFailed) this.#retryLater();
  }

  /** Id of the conversation, or of the copy to which it was moved. */
  get conversation(): string {
    return this.#conversation;
  }

  /** Lines that could not be saved. */
  get unsaved(): string {
    return this.#unsaved;
  }

  get isWriting(): boolean {
    return this.#pending.length > 0 || this.#unsaved !== '' || this.#writing !== undefined;
  }

  append(event: ConversationEvent): void {
    pushEvent(this.#pending, event);
    if (!isTextEvent(event)) background(this.flush());
    else if (this.#timer === undefined) this.#writeText();
    else if (this.#hasFailed) this.#storeUnsavedSoon();
  }

  /** Lines that wait for the next attempt would be lost if the window was killed or reloaded. */
  #storeUnsavedSoon(): void {
    if (this.#isDisposed) return;
    this.#unsavedTimer ??= this.#options.clock.after(maxWriteDelay, () => {
      this.#unsavedTimer = undefined;
      if (!this.#hasFailed) return;
      this.#unsaved += this.#drainLines();
      this.#stored.fire(this.#unsaved);
    });
  }

  /** Writes all pending events. Resolves when they are stored, or the write failed. */
  async flush(): Promise<void> {
    this.#stopTimer();
    this.#isDue = true;
    await (this.#writing ??= this.#write());
  }

  /** Tries once more to write pending events, then lets other windows write the journal. */
  dispose(): void {
    this.#isDisposed = true;
    this.#stopTimer();
    this.#unsavedTimer?.dispose();
    if (this.isWriting) background(this.#leave());
  }

  async #leave(): Promise<void> {
    if (this.#pending.length > 0 || this.#writing !== undefined) await this.flush();
    await this.#options.locks?.release(this.#conversation);
  }

  /** Called when another window was found to write the journal. Then lines wait for {@link moveTo}. */
  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#lost.fire(undefined);
  }

  /** Writes the whole conversation to a new journal, and continues there. */
  async moveTo(id: string, events: readonly ConversationEvent[]): Promise<void> {
    this.#isLost = false;
    this.#conversation = id;
    this.#startAnew(events);
    await this.flush();
  }

  /** Writes the first text immediately, and later text together at the end of each interval. */
  #writeText(): void {
    background(this.flush());
    this.#schedule(maxWriteDelay, () => {
      if (this.#pending.length > 0) this.#writeText();
    });
  }

  async #write(): Promise<void> {
    // Events of the same tick are written together: no crash may keep the removal of a turn but
    // lose the turn that replaces it.
    await Promise.resolve();
    try {
      // Text that arrives meanwhile waits for its interval, or a slow disk would never rest.
      while (this.#isDue && !this.#isLost && (this.#pending.length > 0 || this.#unsaved !== '')) {
        this.#isDue = false;
        await this.#writeLines().catch((error: unknown) => this.#writeAnew(error));
      }
    } catch (error) {
      // Unsaved lines stay, and are written first. Their numbers identify lines that were stored.
      this.#hasFailed = true;
      this.#stored.fire(this.#unsaved);
      this.#failed.fire(error instanceof Error ? error : new Error(String(error)));
      this.#retryLater();
      this.#retryDelay = Math.min(this.#retryDelay * 2, maxRetryDelay);
    } finally {
      // Reset while nothing is due: a later event starts its own write.
      this.#writing = undefined;
    }
  }

  async #writeLines(): Promise<void> {
    const { storage } = this.#options;
    this.#unsaved += this.#drainLines();
    if (!(await this.#mayWrite())) {
      this.lose();
      return;
    }
    if (this.#isDamaged) await storage.setAside?.(this.#conversation);
    this.#isDamaged = false;
    const { length } = this.#unsaved;
    await storage.append(this.#conversation, this.#unsaved, this.#isBegun);
    this.#unsaved = this.#unsaved.slice(length);
    this.#isBegun = true;
    if (this.#hasFailed) {
      this.#stored.fire(this.#unsaved);
      this.#failed.fire(undefined);
    }
    this.#hasFailed = false;
    this.#retryDelay = minRetryDelay;
  }

  /** False if another window writes the journal, or wrote it before this one got the lock. */
  async #mayWrite(): Promise<boolean> {
    const { locks, storage } = this.#options;
    if (locks === undefined) return true;
    const chat = this.#conversation;
    const wasHeld = locks.holds(chat);
    if (!(await locks.acquire(chat))) return false;
    if (wasHeld || !this.#isBegun) return true;
    // The disk took no lock when the chat was read, or this window slept.
    const { length = 0 } = this.#before;
    const text = await storage.read(chat);
    if (text === undefined || text.length === length) return true;
    await locks.release(chat);
    return false;
  }

  /**
   * Writes the whole conversation if somebody has deleted its journal.
   *
   * @param error why lines could not be appended
   */
  async #writeAnew(error: unknown): Promise<void> {
    const isGone =
      this.#isBegun && (await this.#options.storage.read(this.#conversation)) === undefined;
    const events = isGone ? this.#options.whole?.() : undefined;
    if (events === undefined) throw error;
    this.#startAnew(events);
    await this.#writeLines();
  }

  #startAnew(events: readonly ConversationEvent[]): void {
    this.#before = { records: 0 };
    this.#writer = newId().slice(0, 8);
    this.#records = 0;
    this.#isBegun = false;
    this.#isDamaged = false;
    this.#unsaved = '';
    this.#pending = [...events];
  }

  #drainLines(): string {
    const { workspace, clock } = this.#options;
    const before = this.#before;
    let lines = '';
    if (this.#records === 0 && this.#pending.length > 0)
      lines = writeHeader({ conversation: this.#conversation, workspace, at: clock.wall() });
    for (const event of this.#pending) {
      const after = this.#records === before.records ? before.position : undefined;
      lines += writeEvent(event, (this.#records += 1), { writer: this.#writer, after });
    }
    this.#pending = [];
    return lines;
  }

  #retryLater(): void {
    this.#stopTimer();
    this.#schedule(this.#retryDelay, () => background(this.flush()));
  }

  #schedule(delay: number, work: () => void): void {
    if (this.#isDisposed) return;
    this.#timer = this.#options.clock.after(delay, () => {
      this.#timer = undefined;
      work();
    });
  }

  #stopTimer(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }
}
