import { emptyConversation, type Conversation } from '../../core/conversation/conversation.ts';
import { type ConversationEvent, wholeEvents } from '../../core/conversation/events.ts';
import type { ChatChange } from '../../core/conversation/liveConversation.ts';
import {
  newestOrAll,
  newestTurns,
  pieceLength,
  readInPieces,
} from '../../core/conversation/journalReader.ts';
import { isNewerVersion, writeHeader } from '../../core/conversation/record.ts';
import { interruptedEnds, reduce } from '../../core/conversation/reduce.ts';
import type { ReadConversation } from '../../core/conversation/restoration.ts';
import { reduceWindow, type ConversationWindow } from '../../core/conversation/window.ts';
import { sleep } from '../../core/support/async.ts';
import { background, orUndefined } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { disposeAll, Emitter, type Disposable, type Event } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { Memento } from '../memento.ts';
import type { ChatLocks } from '../chatLocks.ts';
import { continuationOf, Journal, type JournalStorage } from './journal.ts';
import { UnsavedText } from './unsavedText.ts';
import type { WriteAccess } from './writeAccess.ts';

export interface StoredChat {
  readonly conversation: Conversation;
  readonly onDidChange: Event<ChatChange>;
  readonly access: WriteAccess;
  /** Sets how to read the conversation, which is done on first use. */
  restoreWith(read: ReadConversation): void;
  restored(): Promise<void>;
  /** Stops the running turn. Resolves when it has ended. */
  end(): Promise<void>;
}

export interface ConversationStoreOptions {
  readonly chat: StoredChat;
  readonly storage: JournalStorage;
  /** Which window writes which chat; undefined if only this window can write. */
  readonly locks?: ChatLocks | undefined;
  /** `workspaceState`, which stores events that could not be written. */
  readonly state: Memento;
  /** Origin of the chat: new, stored, or the last one that was open in the window. */
  readonly origin: ChatOrigin;
  /** Workspace of new conversations; empty if there is none. */
  readonly workspace: string;
  readonly clock: Clock;
  /** Replaces the text of a message that could not be read. */
  readonly lostMessage?: string | undefined;
  /** Error message of a turn that was running when its window closed. */
  readonly interrupted: string;
  /** Error message of a turn that another window runs, which is shown as far as it was read. */
  readonly unfinished?: string;
  /** Error message for attempts to change a chat that another window writes. */
  readonly elsewhere?: string;
  readonly onError: (what: string, error: unknown) => void;
  /** Called if the last chat could not be read, with a function that tries again. */
  readonly onUnread: (tryAgain: () => void) => void;
  /** Called when the chat continues in a copy, because another window writes it. */
  readonly onCopied?: () => void;
}

export type ChatOrigin = 'new' | 'stored' | 'last';

type ShowNewest = (newest: ConversationWindow) => void;

/** A journal, and whether another window writes it. */
interface Opened {
  readonly journal: Journal;
  readonly isElsewhere: boolean;
}

/**
 * Milliseconds before the older turns of a long chat are read unless they are needed, so that the
 * newest turns appear without delay.
 */
const restTime = 2000;

/**
 * Milliseconds for which the lock of a chat that is opened is awaited, and between two attempts: a
 * window that is reloaded begins before its predecessor has ended.
 */
const maxWait = 3000;
const attemptInterval = 200;

/**
 * Saves a conversation as it changes, and restores it. A chat that another window writes is shown as
 * it was read, and isn't changed.
 */
export class ConversationStore implements Disposable {
  readonly #options: ConversationStoreOptions;
  readonly #saved = new Emitter<boolean>();
  readonly #moved = new Emitter<string>();
  readonly #unsaved: UnsavedText;
  readonly #listening: Disposable[];
  #opened: Opened;
  /** Takes effect when the chat gets the conversation that was just read. */
  #next: Opened | undefined;
  /** Settles when the previous journal is written. */
  #leaving: Promise<void> | undefined;

  /** Fires with false when saving fails, and with true when it works again. */
  readonly onDidSave = this.#saved.event;
  /** Fires with the new {@link id}. */
  readonly onDidMove = this.#moved.event;

  constructor(options: ConversationStoreOptions) {
    const { chat, origin, locks } = options;
    this.#options = options;
    this.#unsaved = new UnsavedText(options.state);
    // Unwritten lines of a stored chat belong to the journal that will be read.
    const journal = this.#create(chat.conversation.id, undefined, '');
    this.#opened = { journal, isElsewhere: false };
    if (origin !== 'new')
      chat.restoreWith((show, needed) => this.#open(this.id, show, { needed, wait: maxWait }));
    this.#listening = [
      chat.onDidChange((change) => {
        if (change.type === 'replace') this.#enterNext();
        else if (!this.isElsewhere) this.#opened.journal.append(change.event);
      }),
    ];
    if (locks === undefined) return;
    this.#listening.push(
      locks.onDidLose((id) => {
        if (id === this.id) background(this.#leaveToOther(this.#opened.journal));
      }),
    );
  }

  /** The id of the journal, which may be a copy. */
  get id(): string {
    return this.#opened.journal.conversation;
  }

  /** False if events exist only in memory because they could not be written. */
  get isSaved(): boolean {
    return this.#opened.journal.unsaved === '';
  }

  /** True if another window writes the chat, which this one shows as it was read. */
  get isElsewhere(): boolean {
    return this.#opened.isElsewhere;
  }

  get isWriter(): boolean {
    const { locks } = this.#options;
    return locks === undefined || locks.holds(this.id);
  }

  /**
   * Reads the chat of another window anew, and makes this window its writer if no other one is that
   * by now. Resolves with false if it was deleted.
   */
  async reload(): Promise<boolean> {
    const { chat } = this.#options;
    let isThere = true;
    const { id } = this;
    // Nothing is shown early: the page that has the older turns waits for the whole chat.
    const show: ShowNewest = () => undefined;
    chat.restoreWith(async () => {
      const read = this.id === id ? await this.#open(id, show, { wait: 0 }) : undefined;
      isThere = read !== undefined || this.id !== id;
      return read;
    });
    await chat.restored();
    return isThere;
  }

  async flush(): Promise<void> {
    await Promise.all([this.#leaving, this.#opened.journal.flush()]);
  }

  /** Lets other windows write the conversation, unless parts of it could not be written. */
  async release(): Promise<void> {
    if (!this.#opened.journal.isWriting) await this.#options.locks?.release(this.id);
  }

  dispose(): void {
    disposeAll(this.#listening);
    this.#opened.journal.dispose();
    for (const emitter of [this.#saved, this.#moved]) emitter.dispose();
  }

  /**
   * Reads a chat as its writer, or as it is if another window is that. Shows the newest turns of a
   * long one first.
   *
   * @param options.needed resolves when more than the newest turns is needed
   * @param options.wait milliseconds to wait for the lock
   */
  async #open(
    id: string,
    show: ShowNewest,
    options: { readonly needed?: Promise<void>; readonly wait: number },
  ): Promise<Conversation | undefined> {
    const { locks, origin, storage, clock } = this.#options;
    const showing = this.#showEarly(id, show);
    const isElsewhere = !(await this.#acquire(id, options.wait));
    if (this.#isClosed) {
      await locks?.release(id);
      return undefined;
    }
    // The journal of the open chat writes its own lines.
    if (origin === 'last') background(this.#unsaved.write(storage, locks, id));
    if ((await showing) && !isElsewhere && options.needed !== undefined)
      await Promise.race([options.needed, sleep(clock, restTime)]);
    return this.#read(id, show, isElsewhere);
  }

  /**
   * Shows the end of a saved chat while its writer is being determined.
   *
   * @returns true for a long chat, whose older turns are still to be read
   */
  async #showEarly(id: string, show: ShowNewest): Promise<boolean> {
    const { storage, lostMessage, locks } = this.#options;
    // An error here occurs again when the whole chat is read.
    const ends = storage.readEnds && (await orUndefined(storage.readEnds(id, pieceLength)));
    if (ends === undefined || isNewerVersion(ends.first) || this.#unsaved.of(id) !== '')
      return false;
    const newest = ends.isWhole
      ? newestOrAll(id, ends.last, lostMessage)
      : newestTurns(id, ends.last);
    if (newest === undefined) return false;
    // Another window may be running the last turn.
    show(locks === undefined ? this.#ended(newest, false) : newest);
    return !ends.isWhole && newest.conversation.running === undefined;
  }

  /** True if no other window writes the conversation. Chats are shown even if that is unknown. */
  async #acquire(id: string, wait: number): Promise<boolean> {
    const { locks, clock, onError } = this.#options;
    if (locks === undefined) return true;
    try {
      const start = clock.monotonic();
      while (!(await locks.acquire(id))) {
        if (this.#isClosed || clock.monotonic() - start >= wait) return false;
        await sleep(clock, attemptInterval);
      }
      return true;
    } catch (error) {
      onError(`Opening the chat ${id}`, error);
      // Messages stay in memory until the lock can be created.
      return true;
    }
  }

  async #read(
    id: string,
    show: ShowNewest,
    isElsewhere: boolean,
  ): Promise<Conversation | undefined> {
    const { chat, storage, locks, onError, onUnread } = this.#options;
    try {
      const text = await storage.read(id);
      const unsaved = isElsewhere ? '' : this.#unsaved.of(id);
      if (text === undefined && unsaved === '') {
        await locks?.release(id);
        return undefined;
      }
      if (text !== undefined && isNewerVersion(text)) return await this.#copy(text, show);
      return await this.#load(id, text ?? '', show, { unsaved, isElsewhere });
    } catch (error) {
      if (this.#isClosed) return undefined;
      onError(`Reading the chat ${id}`, error);
      // Another chat may have been opened in the meantime.
      onUnread(() => {
        chat.restoreWith((again) => this.#open(id, again, { wait: 0 }));
        background(chat.restored());
      });
      // Later events must not be written to the unreadable journal.
      return id === chat.conversation.id ? emptyConversation(newId()) : undefined;
    }
  }

  /** Continues in a copy, since a journal of a later version must not be changed. */
  async #copy(text: string, show: ShowNewest): Promise<Conversation | undefined> {
    if (this.#isClosed) return undefined;
    const { workspace, clock, storage, locks } = this.#options;
    const id = newId();
    await locks?.acquire(id);
    const header = writeHeader({ conversation: id, workspace, at: clock.wall() });
    const copy = header + text.slice(text.indexOf('\n') + 1);
    await storage.append(id, copy);
    return this.#load(id, copy, show, { unsaved: '', isElsewhere: false });
  }

  async #load(
    id: string,
    text: string,
    show: ShowNewest,
    { unsaved, isElsewhere }: { readonly unsaved: string; readonly isElsewhere: boolean },
  ): Promise<Conversation | undefined> {
    const { clock, lostMessage } = this.#options;
    const all = unsaved === '' ? text : `${text}\n${unsaved}`;
    const newest = all.length > pieceLength ? newestTurns(id, all) : undefined;
    if (newest !== undefined) show(this.#ended(newest, isElsewhere));
    const content = await readInPieces(id, all, clock, lostMessage);
    // A chat that was deleted during the reading must not be written again.
    if (this.#isClosed) return undefined;
    const journal = this.#create(id, continuationOf(content, text.length), unsaved);
    this.#next = { journal, isElsewhere };
    const ends = this.#interruptions(content.conversation, isElsewhere);
    if (!isElsewhere) for (const end of ends) journal.append(end);
    return ends.reduce(reduce, content.conversation);
  }

  #ended(newest: ConversationWindow, isElsewhere: boolean): ConversationWindow {
    const ends = this.#interruptions(newest.conversation, isElsewhere);
    return ends.reduce((view, end) => reduceWindow(view, end) ?? view, newest);
  }

  /** The ends of turns that were left running, or that another window still runs. */
  #interruptions(conversation: Conversation, isElsewhere: boolean): readonly ConversationEvent[] {
    const { interrupted, unfinished = interrupted } = this.#options;
    return interruptedEnds(
      conversation,
      isElsewhere
        ? { kind: 'interrupted', message: unfinished }
        : { kind: 'interrupted', message: interrupted, remedy: 'try-again' },
    );
  }

  /**
   * Ends the running turn, since another window writes the journal now. What could not be written
   * continues in a copy. If there is nothing, the chat is shown as the other window has it.
   */
  async #leaveToOther(journal: Journal): Promise<void> {
    const { chat, locks, elsewhere, onCopied } = this.#options;
    const isOpen = (): boolean => journal === this.#opened.journal && !this.#isClosed;
    if (!isOpen() || this.isElsewhere || chat.access.isLeaving) return;
    chat.access.set('leave', elsewhere);
    await chat.end();
    await journal.flush();
    if (!isOpen()) return;
    const { conversation: before } = journal;
    if (!journal.isWriting) {
      if ((await this.reload()) || !isOpen()) return;
      // The other window deleted the chat, which stays readable here.
      this.#next = { journal, isElsewhere: true };
      chat.restoreWith(() => Promise.resolve(chat.conversation));
      await chat.restored();
      return;
    }
    const id = newId();
    if (locks !== undefined) await orUndefined(locks.acquire(id));
    await journal.moveTo(id, wholeEvents(chat.conversation));
    chat.access.set('write');
    await this.#unsaved.keep(before, '');
    this.#moved.fire(id);
    onCopied?.();
  }

  /** Continues with the journal of the chat's current conversation. */
  #enterNext(): void {
    const { chat, elsewhere } = this.#options;
    const before = this.#opened.journal;
    const { id } = chat.conversation;
    const next = this.#next ?? { journal: this.#create(id), isElsewhere: false };
    this.#next = undefined;
    this.#opened = next;
    chat.access.set(next.isElsewhere ? 'read' : 'write', elsewhere);
    if (before !== next.journal) this.#leaving = this.#leave(before);
    if (before.conversation !== this.id) this.#moved.fire(this.id);
  }

  /** Lets other windows write a conversation that is no longer open here. */
  async #leave(journal: Journal): Promise<void> {
    await journal.flush();
    const { conversation } = journal;
    if (conversation !== this.id && journal.unsaved === '')
      await this.#options.locks?.release(conversation);
  }

  get #isClosed(): boolean {
    return this.#options.chat.access.closed.aborted;
  }

  #create(
    conversation: string,
    stored: ReturnType<typeof continuationOf> = { records: 0 },
    unsaved = this.#unsaved.of(conversation),
  ): Journal {
    const { storage, locks, workspace, clock, chat, onError } = this.#options;
    const journal = new Journal({
      ...stored,
      conversation,
      workspace,
      unsaved,
      storage,
      locks,
      clock,
      whole: () => {
        const isOpen = journal === this.#opened.journal && chat.conversation.running === undefined;
        return isOpen ? wholeEvents(chat.conversation) : undefined;
      },
    });
    journal.onDidLose(() => background(this.#leaveToOther(journal)));
    journal.onDidChangeUnsaved((lines) =>
      background(this.#unsaved.keep(journal.conversation, lines)),
    );
    journal.onDidFail((error) => {
      if (error !== undefined) onError('Writing the chat', error);
      this.#saved.fire(error === undefined);
    });
    return journal;
  }
}
