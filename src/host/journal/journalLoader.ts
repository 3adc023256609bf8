import type { Conversation } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import type { JournalContent } from '../../core/conversation/journalReader.ts';
import {
  newestOrAll,
  newestTurns,
  pieceLength,
  readInPieces,
} from '../../core/conversation/readInPieces.ts';
import { isNewerVersion, writeHeader } from '../../core/conversation/record.ts';
import { interruptedEnds } from '../../core/conversation/reduce.ts';
import { reduceWindow, type ConversationWindow } from '../../core/conversation/window.ts';
import { orUndefined } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { newId } from '../../core/support/id.ts';
import type { JournalStorage } from './journal.ts';
import type { UnsavedText } from './unsavedText.ts';

export interface JournalLoaderOptions {
  readonly storage: JournalStorage;
  readonly clock: Clock;
  /** Workspace of new conversations; empty if there is none. */
  readonly workspace: string;
  /** Replaces the text of a message that could not be read. */
  readonly lostMessage?: string | undefined;
  /** Error message of a turn that was running when its window closed. */
  readonly interrupted: string;
  /** Error message of a turn that another window left running; default `interrupted`. */
  readonly leftRunning?: string | undefined;
}

export type ShowNewest = (newest: ConversationWindow) => void;

/** A journal, and the events that end turns left running by its window. */
interface LoadedJournal {
  readonly content: JournalContent;
  readonly ends: readonly ConversationEvent[];
}

/** Reads journals, the newest turns of a long one first. Writes nothing: the caller saves a copy. */
export class JournalLoader {
  readonly #options: JournalLoaderOptions;
  readonly #unsaved: UnsavedText;

  constructor(options: JournalLoaderOptions, unsaved: UnsavedText) {
    this.#options = options;
    this.#unsaved = unsaved;
  }

  /**
   * Shows the end of a saved chat while its writer is being determined.
   *
   * @param isAlone true if no other window can have left a turn running
   * @returns true for a long chat, whose older turns are still to be read
   */
  async showEarly(id: string, show: ShowNewest, isAlone: boolean): Promise<boolean> {
    const { storage, lostMessage } = this.#options;
    // An error here occurs again when the whole chat is read.
    const ends = storage.readEnds && (await orUndefined(storage.readEnds(id, pieceLength)));
    if (ends === undefined || isNewerVersion(ends.first) || this.#unsaved.of(id) !== '')
      return false;
    const newest = ends.isWhole
      ? newestOrAll(id, ends.last, lostMessage)
      : newestTurns(id, ends.last);
    if (newest === undefined) return false;
    show(isAlone ? this.#ended(newest, false) : newest);
    return !ends.isWhole && newest.conversation.running === undefined;
  }

  /** The journal, including lines that could not be written. */
  async text(id: string): Promise<string | undefined> {
    const text = await this.#options.storage.read(id);
    const unsaved = this.#unsaved.of(id);
    return unsaved === '' ? text : `${text ?? ''}\n${unsaved}`;
  }

  /** @param wasFollowed true if another window left its turns running */
  async load(
    id: string,
    text: string,
    show: ShowNewest,
    wasFollowed: boolean,
  ): Promise<LoadedJournal> {
    const newest = text.length > pieceLength ? newestTurns(id, text) : undefined;
    if (newest !== undefined) show(this.#ended(newest, wasFollowed));
    const { clock, lostMessage } = this.#options;
    const content = await readInPieces(id, text, clock, lostMessage);
    return { content, ends: this.#interruptions(content.conversation, wasFollowed) };
  }

  /** The journal under a new id, in the current version. */
  copyOf(text: string): { readonly id: string; readonly text: string } {
    const { workspace, clock } = this.#options;
    const id = newId();
    const first = writeHeader({ conversation: id, workspace, at: clock.wall() });
    return { id, text: first + text.slice(text.indexOf('\n') + 1) };
  }

  #ended(newest: ConversationWindow, wasFollowed: boolean): ConversationWindow {
    const ends = this.#interruptions(newest.conversation, wasFollowed);
    return ends.reduce((view, end) => reduceWindow(view, end) ?? view, newest);
  }

  #interruptions(conversation: Conversation, wasFollowed: boolean): readonly ConversationEvent[] {
    const { interrupted, leftRunning = interrupted } = this.#options;
    const message = wasFollowed ? leftRunning : interrupted;
    return interruptedEnds(conversation, { kind: 'interrupted', message, remedy: 'try-again' });
  }
}
