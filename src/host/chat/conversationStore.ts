import { emptyConversation, type Conversation } from '../../core/conversation/conversation.ts';
import { type ConversationEvent, wholeEvents } from '../../core/conversation/events.ts';
import {
  newestOrAll,
  newestTurns,
  pieceLength,
  readInPieces,
} from '../../core/conversation/journalReader.ts';
import { isNewerVersion, writeHeader } from '../../core/conversation/record.ts';
import { interruptedEnds, reduce } from '../../core/conversation/reduce.ts';
import { reduceWindow, type ConversationWindow } from '../../core/conversation/window.ts';
import { sleep } from '../../core/support/async.ts';
import { background, orUndefined } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { Memento } from '../platform/memento.ts';
import type { Chat } from './chat.ts';
import type { ChatLocks } from './chatLocks.ts';
import { continuationOf, Journal, type JournalStorage } from './journal.ts';
import { interrupted, lostMessage, unfinished } from './storeMessages.ts';
import { UnsavedText } from './unsavedText.ts';
import type { ChatAccess } from './writeAccess.ts';

export interface ConversationStoreOptions {
  readonly chat: Chat;
  readonly storage: JournalStorage;
  /** Which window writes which chat. */
  readonly locks: ChatLocks;
  /** `workspaceState`, which stores events that could not be written. */
  readonly state: Memento;
  /** Origin of the chat: new, stored, or the last one that was open in the window. */
  readonly origin: ChatOrigin;
  /** Workspace of new conversations; empty if there is none. */
  readonly workspace: string;
  readonly clock: Clock;
  readonly onError: (what: string, error: unknown) => void;
  /** Called if the last chat could not be read, with a function that tries again. */
  readonly onUnread: (tryAgain: () => void) => void;
  /** Called when the chat continues in a copy, because another window writes it. */
  readonly onCopied?: () => void;
}

export type ChatOrigin = 'new' | 'stored' | 'last';

type ShowNewest = (newest: ConversationWindow) => void;

/** Access to a journal that is read: to write it, or only to show it, since another window writes it. */
type ReadAccess = Extract<ChatAccess, 'write' | 'read'>;

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
  readonly #listening: Disposable;
  #journal: Journal;
  /** Takes effect when the chat gets the conversation that was just read. */
  #next: { readonly journal: Journal; readonly access: ReadAccess } | undefined;
  /** Settles when the previous journal is written. */
  #leaving: Promise<void> | undefined;

  /** Fires with false when saving fails, and with true when it works again. */
  readonly onDidSave = this.#saved.event;
  /** Fires with the new {@link id}. */
  readonly onDidMove = this.#moved.event;

  constructor(options: ConversationStoreOptions) {
    const { chat, locks } = options;
    this.#options = options;
    this.#unsaved = new UnsavedText(options.state);
    // Unwritten lines of a stored chat belong to the journal that will be read.
    this.#journal = this.#create(chat.conversation.id, undefined, '');
    this.#listening = locks.onDidLose((id) => {
      if (id === this.id) this.#journal.lose();
    });
  }

  /** The id of the journal, which may be a copy. */
  get id(): string {
    return this.#journal.conversation;
  }

  /** False if events may exist only in memory, because they could not be written where they belong. */
  get isSaved(): boolean {
    return this.#journal.unsaved === '' && !this.#options.chat.access.isLeaving;
  }

  get isWriter(): boolean {
    return this.#options.locks.holds(this.id);
  }

  /**
   * Reads the chat, whose journal is used from {@link enter} on. Resolves with undefined if there is
   * none.
   *
   * @param needed resolves when more than the newest turns is needed
   */
  read(show: ShowNewest, needed: Promise<void>): Promise<Conversation | undefined> {
    return this.#open(this.id, show, { needed, wait: maxWait });
  }

  /** Called when the chat has got the conversation that was read, or a new one. */
  enter(): void {
    const { chat } = this.#options;
    const before = this.#journal;
    const { id } = chat.conversation;
    const { journal, access } = this.#next ?? { journal: this.#create(id), access: 'write' };
    this.#next = undefined;
    this.#journal = journal;
    chat.access.set(access);
    if (before !== journal) this.#leaving = this.#leave(before);
    if (before.conversation !== this.id) this.#moved.fire(this.id);
  }

  /** Saves an event of the chat. */
  append(event: ConversationEvent): void {
    if (!this.#options.chat.access.isReadOnly) this.#journal.append(event);
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
    await chat.allRead();
    return isThere;
  }

  async flush(): Promise<void> {
    await Promise.all([this.#leaving, this.#journal.flush()]);
  }

  /** Lets other windows write the conversation, unless parts of it could not be written. */
  async release(): Promise<void> {
    if (!this.#journal.isWriting) await this.#options.locks.release(this.id);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#journal.dispose();
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
    const access = await this.#acquire(id, options.wait);
    if (this.#isClosed) {
      await locks.release(id);
      return undefined;
    }
    // The journal of the open chat writes its own lines.
    if (origin === 'last') background(this.#unsaved.write(storage, locks, id));
    if ((await showing) && access === 'write' && options.needed !== undefined)
      await Promise.race([options.needed, sleep(clock, restTime)]);
    return this.#read(id, show, access);
  }

  /**
   * Shows the end of a saved chat while its writer is being determined.
   *
   * @returns true for a long chat, whose older turns are still to be read
   */
  async #showEarly(id: string, show: ShowNewest): Promise<boolean> {
    const { storage } = this.#options;
    // An error here occurs again when the whole chat is read.
    const ends = storage.readEnds && (await orUndefined(storage.readEnds(id, pieceLength)));
    if (ends === undefined || isNewerVersion(ends.first) || this.#unsaved.of(id) !== '')
      return false;
    const newest = ends.isWhole
      ? newestOrAll(id, ends.last, lostMessage())
      : newestTurns(id, ends.last);
    if (newest === undefined) return false;
    // As it is, since another window may be running the last turn.
    show(newest);
    return !ends.isWhole && newest.conversation.running === undefined;
  }

  /** Makes this window the writer, unless another one is. Chats are shown even if that is unknown. */
  async #acquire(id: string, wait: number): Promise<ReadAccess> {
    const { locks, clock, onError } = this.#options;
    try {
      const start = clock.monotonic();
      while (!(await locks.acquire(id))) {
        if (this.#isClosed || clock.monotonic() - start >= wait) return 'read';
        await sleep(clock, attemptInterval);
      }
      return 'write';
    } catch (error) {
      onError(`Opening the chat ${id}`, error);
      // Messages stay in memory until the lock can be created.
      return 'write';
    }
  }

  async #read(id: string, show: ShowNewest, access: ReadAccess): Promise<Conversation | undefined> {
    const { chat, storage, locks, onError, onUnread } = this.#options;
    try {
      const text = await storage.read(id);
      const unsaved = access === 'read' ? '' : this.#unsaved.of(id);
      if (text === undefined && unsaved === '') {
        await locks.release(id);
        return undefined;
      }
      if (text !== undefined && isNewerVersion(text)) return await this.#copy(text, show);
      return await this.#load(id, text ?? '', show, { unsaved, access });
    } catch (error) {
      if (this.#isClosed) return undefined;
      onError(`Reading the chat ${id}`, error);
      // Another chat may have been opened in the meantime.
      onUnread(() => {
        chat.restoreWith((again) => this.#open(id, again, { wait: 0 }));
        background(chat.allRead());
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
    await locks.acquire(id);
    const header = writeHeader({ conversation: id, workspace, at: clock.wall() });
    const copy = header + text.slice(text.indexOf('\n') + 1);
    await storage.append(id, copy);
    return this.#load(id, copy, show, { unsaved: '', access: 'write' });
  }

  async #load(
    id: string,
    text: string,
    show: ShowNewest,
    { unsaved, access }: { readonly unsaved: string; readonly access: ReadAccess },
  ): Promise<Conversation | undefined> {
    const { clock } = this.#options;
    const all = unsaved === '' ? text : `${text}\n${unsaved}`;
    const newest = all.length > pieceLength ? newestTurns(id, all) : undefined;
    if (newest !== undefined) show(this.#ended(newest, access));
    const content = await readInPieces(id, all, clock, lostMessage());
    // A chat that was deleted during the reading must not be written again.
    if (this.#isClosed) return undefined;
    const journal = this.#create(id, continuationOf(content, text.length), unsaved);
    this.#next = { journal, access };
    const ends = this.#interruptions(content.conversation, access);
    if (access === 'write') for (const end of ends) journal.append(end);
    return ends.reduce(reduce, content.conversation);
  }

  #ended(newest: ConversationWindow, access: ReadAccess): ConversationWindow {
    const ends = this.#interruptions(newest.conversation, access);
    return ends.reduce((view, end) => reduceWindow(view, end) ?? view, newest);
  }

  /** The ends of turns that were left running, or that another window still runs. */
  #interruptions(conversation: Conversation, access: ReadAccess): readonly ConversationEvent[] {
    return interruptedEnds(
      conversation,
      access === 'read'
        ? { kind: 'interrupted', message: unfinished() }
        : { kind: 'interrupted', message: interrupted(), remedy: 'try-again' },
    );
  }

  /**
   * Ends the running turn, since another window writes the journal now. What could not be written
   * continues in a copy. If there is nothing, the chat is shown as the other window has it.
   */
  async #leaveToOther(journal: Journal): Promise<void> {
    const { chat, locks, onCopied } = this.#options;
    const isOpen = (): boolean => journal === this.#journal && !this.#isClosed;
    if (!isOpen() || chat.access.isReadOnly || chat.access.isLeaving) return;
    chat.access.set('leave');
    await chat.end();
    await journal.flush();
    if (!isOpen()) return;
    const { conversation: before } = journal;
    if (!journal.isWriting) {
      if ((await this.reload()) || !isOpen()) return;
      // The other window deleted the chat, which stays readable here.
      this.#next = { journal, access: 'read' };
      chat.restoreWith(() => Promise.resolve(chat.conversation));
      await chat.allRead();
      return;
    }
    const id = newId();
    await orUndefined(locks.acquire(id));
    await journal.moveTo(id, wholeEvents(chat.conversation));
    chat.access.set('write');
    await this.#unsaved.keep(before, '');
    this.#moved.fire(id);
    onCopied?.();
  }

  /** Lets other windows write a conversation that is no longer open here. */
  async #leave(journal: Journal): Promise<void> {
    await journal.flush();
    const { conversation } = journal;
    if (conversation !== this.id && journal.unsaved === '')
      await this.#options.locks.release(conversation);
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
        const isOpen = journal === this.#journal && chat.conversation.running === undefined;
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
