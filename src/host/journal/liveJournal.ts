import type { Conversation } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { JournalReader, type JournalContent } from '../../core/conversation/journalReader.ts';
import type { ConversationWindow } from '../../core/conversation/window.ts';
import { background } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/event.ts';
import type { JournalStorage } from './journal.ts';
import { newestTurns, pieceLength, readInPieces } from '../../core/conversation/readInPieces.ts';

export interface LiveJournalOptions {
  readonly conversation: string;
  readonly storage: JournalStorage;
  readonly clock: Clock;
  /** Replaces the text of a message that could not be read. */
  readonly lostMessage?: string | undefined;
  readonly show: (events: readonly ConversationEvent[]) => void;
  /** Shows the conversation after it was read again. */
  readonly replace: (conversation: Conversation) => void;
  /** Called after each poll, as long as there is a journal. */
  readonly onDidLook: () => Promise<void>;
}

/** Milliseconds between two polls of a journal that another window writes. */
const followInterval = 500;

/**
 * A journal that another window writes, shown as it grows. Only additions are read. A journal that
 * is damaged, was replaced, or has overlapping writers is read again as a whole.
 */
export class LiveJournal implements Disposable {
  readonly #options: LiveJournalOptions;
  #reader: JournalReader | undefined;
  #end: string | undefined;
  #timer: Disposable | undefined;
  #isFollowed = false;
  #isLooking = false;

  constructor(options: LiveJournalOptions) {
    this.#options = options;
  }

  /**
   * Reads the whole journal; undefined if there is none.
   *
   * @param show shows the newest turns of a long one early
   */
  async read(show: (newest: ConversationWindow) => void): Promise<JournalContent | undefined> {
    const { conversation: id, storage, clock, lostMessage } = this.#options;
    const part = await storage.readOn?.(id);
    if (part === undefined) return undefined;
    const newest = part.text.length > pieceLength ? newestTurns(id, part.text) : undefined;
    if (newest !== undefined) show(newest);
    const reader = new JournalReader(id, lostMessage);
    const content = await readInPieces(id, part.text, clock, lostMessage, reader);
    this.#reader = reader;
    this.#end = part.end;
    return content;
  }

  /** Starts polling, or stops it while the chat is hidden. */
  follow(isSeen = true): void {
    if (this.#isFollowed === isSeen) return;
    this.#isFollowed = isSeen;
    this.#timer?.dispose();
    if (isSeen) background(this.#look());
  }

  dispose(): void {
    this.follow(false);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      if ((await this.#readOn()) && this.#isFollowed) await this.#options.onDidLook();
    } catch {
      // Lines that can't be read now are read at the next poll.
    }
    this.#isLooking = false;
    if (this.#isFollowed)
      this.#timer = this.#options.clock.after(followInterval, () => background(this.#look()));
  }

  /** @returns false if there is no journal */
  async #readOn(): Promise<boolean> {
    const { conversation: id, storage, show } = this.#options;
    const part = await storage.readOn?.(id, this.#end);
    if (part === undefined) return false;
    if (!this.#isFollowed || (part.text === '' && !part.isStart)) return true;
    const events = part.isStart ? undefined : this.#reader?.readOn(part.text);
    this.#end = events === undefined ? undefined : part.end;
    if (events === undefined) await this.#readAgain();
    else show(events);
    return true;
  }

  async #readAgain(): Promise<void> {
    const content = await this.read(() => undefined);
    if (content !== undefined) this.#options.replace(content.conversation);
  }
}
