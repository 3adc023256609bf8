import { runningTurns } from '../../core/conversation/comparison.ts';
import { emptyConversation, type Conversation } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import type { ChatChange } from '../../core/conversation/liveConversation.ts';
import type { ReadConversation } from '../../core/conversation/restoration.ts';
import type { JournalContent } from '../../core/conversation/journalReader.ts';
import { isNewerVersion, writeHeader } from '../../core/conversation/record.ts';
import { interruptedEnds, reduce } from '../../core/conversation/reduce.ts';
import { reduceWindow, type ConversationWindow } from '../../core/conversation/window.ts';
import { background, orUndefined, reported } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { disposeAll, Emitter, type Disposable, type Event } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { Memento } from '../memento.ts';
import { continuationOf, Journal, type JournalStorage } from './journal.ts';
import type { Leases } from '../leases.ts';
import { LiveJournal } from './liveJournal.ts';
import {
  newestOrAll,
  newestTurns,
  pieceLength,
  readInPieces,
} from '../../core/conversation/readInPieces.ts';
import { UnsavedText } from './unsavedText.ts';

/**
 * Access of this window to a conversation: it may write it, only end its own turns, or only show the
 * turns that another window writes.
 */
export type ChatAccess = 'write' | 'leave' | 'read';

/** A chat whose conversation is stored. */
export interface StoredChat {
  readonly conversation: Conversation;
  readonly onDidChange: Event<ChatChange>;
  /** Aborted once the chat is closed: nothing more is read or written. */
  readonly closed: AbortSignal;
  readonly mayWrite: boolean;
  /** @param reason message for a person who tries to change the chat */
  setAccess(access: ChatAccess, reason?: string): void;
  /** Adds events that another window has written. */
  show(events: readonly ConversationEvent[]): void;
  /** Sets how to read the conversation, which is done when it is first needed. */
  restoreWith(read: ReadConversation): void;
  /** Sets the function that reads the additions of other windows, which runs before each turn. */
  refreshWith(read: () => Promise<Conversation | undefined>): void;
  /** Resolves when the conversation is restored. */
  restored(): Promise<void>;
  /** Stops all running turns, and resolves when they have ended. */
  end(): Promise<void>;
}

export interface ConversationStoreOptions {
  readonly chat: StoredChat;
  readonly storage: JournalStorage;
  /** Locks that name the writing window of each chat; absent if only this window can write. */
  readonly leases?: Leases | undefined;
  /** The workspace state, which stores events that could not be written. */
  readonly state: Memento;
  /** Origin of the chat: new, stored, or the last one that was open in the window. */
  readonly origin: ChatOrigin;
  /** The workspace that conversations are tagged with; empty if there is none. */
  readonly workspace: string;
  readonly clock: Clock;
  /** Error message of a turn that was running when its window was closed. */
  readonly interrupted: string;
  /** Error message of a turn that another window left running; `interrupted` if absent. */
  readonly leftRunning?: string;
  /** Message for a person who tries to change a chat that another window writes. */
  readonly elsewhere?: string;
  /** Text of a message that could not be read. */
  readonly lostMessage?: string;
  readonly onError: (what: string, error: unknown) => void;
  /** Called when the last chat could not be read, with a function that tries again. */
  readonly onUnread: (tryAgain: () => void) => void;
  /** Called when the chat continues in a copy, as another window writes it now. */
  readonly onCopied?: () => void;
}

/** For `last`, another chat may be restored if another window has the saved one. */
export type ChatOrigin = 'new' | 'stored' | 'last';

/**
 * Milliseconds before the older turns of a long chat are read if they aren't needed earlier, so that
 * the newest turns appear without delay.
 */
const restTime = 2000;

/** Outcome of a takeover: a third window may be faster, or another one may have deleted the chat. */
export type TakeOver = 'done' | 'too-late' | 'deleted';

type Show = (newest: ConversationWindow) => void;

/** A journal that was read, and how much of it. */
interface OpenedJournal {
  readonly journal: Journal;
  /** Characters. */
  readonly length: number;
  /** Present while another window writes it. */
  readonly live?: LiveJournal;
}

/**
 * Saves a conversation as it changes, and restores it. What another window writes is shown as it
 * grows, and not changed.
 */
export class ConversationStore implements Disposable {
  readonly #options: ConversationStoreOptions;
  readonly #saved = new Emitter<boolean>();
  readonly #moved = new Emitter<string>();
  readonly #holderChanged = new Emitter<unknown>();
  readonly #unsaved: UnsavedText;
  readonly #listening: Disposable[];
  #open: OpenedJournal;
  #restored: OpenedJournal | undefined;
  #leaving: Promise<void> | undefined;
  /** Conversations that other windows were found to write. */
  readonly #foreign = new Set<string>();
  #holder = '';
  #takingOver: Promise<TakeOver> | undefined;

  /** Fires with false when saving the conversation fails, and with true when it works again. */
  readonly onDidSave = this.#saved.event;
  /** Fires with the new {@link id}. */
  readonly onDidMove = this.#moved.event;
  /** Fires when {@link heldBy} changes. */
  readonly onDidChangeHolder = this.#holderChanged.event;

  constructor(options: ConversationStoreOptions) {
    const { chat, origin } = options;
    this.#options = options;
    this.#unsaved = new UnsavedText(options.state);
    // Lines of a stored chat that could not be written are those of the journal that is read.
    const journal = this.#create(chat.conversation.id, undefined, '');
    this.#open = { journal, length: 0 };
    if (origin !== 'new') chat.restoreWith((show, needed) => this.#readStored(show, needed));
    chat.refreshWith(() => this.#readNewer());
    this.#listening = [
      chat.onDidChange((change) => {
        if (change.type === 'replace') this.#switchJournal();
        else if (this.#open.live === undefined) this.#open.journal.append(change.event);
      }),
    ];
    const { leases } = options;
    if (leases === undefined) return;
    this.#listening.push(
      leases.onDidAsk((id) => background(this.#handOver(id, leases))),
      leases.onDidLose((id) => background(this.#noteLoss(id))),
    );
  }

  /** The id under which the conversation is stored: of its journal, which may be a copy. */
  get id(): string {
    return this.#open.journal.conversation;
  }

  /** False while events exist only in memory because they could not be written. */
  get isSaved(): boolean {
    return this.#open.journal.unsaved === '';
  }

  /**
   * The workspace of the window that writes the chat, empty if that is unknown; undefined if it is
   * this one.
   */
  get heldBy(): string | undefined {
    return this.#open.live && this.#holder;
  }

  /** Whether this window writes the conversation, and no other one does. */
  get isWriter(): boolean {
    return this.#options.leases?.holds(this.id) ?? true;
  }

  /** True while the chat is visible: only then updates of another window are shown. */
  setSeen(isSeen: boolean): void {
    this.#open.live?.follow(isSeen);
  }

  /** Makes this window the writer of the chat that another one writes. */
  continueHere(): Promise<TakeOver> {
    this.#takingOver ??= this.#takeOver().finally(() => (this.#takingOver = undefined));
    return this.#takingOver;
  }

  /** Resolves when all pending events are written, or writing failed. */
  async flush(): Promise<void> {
    await Promise.all([this.#leaving, this.#open.journal.flush()]);
  }

  /** The chat closes: other windows may write the conversation. */
  async close(): Promise<void> {
    const { journal } = this.#open;
    await journal.flush();
    if (journal.unsaved === '') await this.#options.leases?.release(journal.conversation);
  }

  dispose(): void {
    disposeAll(this.#listening);
    this.#open.live?.dispose();
    this.#open.journal.dispose();
    for (const emitter of [this.#saved, this.#moved, this.#holderChanged]) emitter.dispose();
  }

  async #readStored(show: Show, needed: Promise<void>): Promise<Conversation | undefined> {
    const { id: saved } = this;
    let id = saved;
    const showing = this.#showEarly(saved, (newest) => {
      if (id === saved) show(newest);
    });
    if (this.#options.origin === 'stored') await this.#claim(saved);
    else {
      id = await this.#choose(saved);
      // The lines of the open chat are written by its journal.
      background(this.#unsaved.write(this.#options.storage, id));
    }
    const isShown = (await showing) && id === saved && !this.#foreign.has(id);
    if (isShown) await this.#pause(needed);
    return this.#read(show, id);
  }

  /**
   * Shows the end of the saved chat while it is being found out which window writes it.
   * @returns whether it is a long chat, whose older turns are still to be read
   */
  async #showEarly(id: string, show: Show): Promise<boolean> {
    const { storage, leases, lostMessage } = this.#options;
    // An error here occurs again when all of the chat is read.
    const ends = storage.readEnds && (await orUndefined(storage.readEnds(id, pieceLength)));
    if (ends === undefined || isNewerVersion(ends.first) || this.#unsaved.of(id) !== '')
      return false;
    const newest = ends.isWhole
      ? newestOrAll(id, ends.last, lostMessage)
      : newestTurns(id, ends.last);
    if (newest === undefined) return false;
    // A running turn may be another window's.
    show(leases === undefined ? this.#ended(newest) : newest);
    return !ends.isWhole && runningTurns(newest.conversation).length === 0;
  }

  async #pause(needed: Promise<void>): Promise<void> {
    const { clock } = this.#options;
    const rested = new Promise<void>((resolve) => clock.after(restTime, resolve));
    await Promise.race([needed, rested]);
  }

  /**
   * The saved chat, unless another window has it: then one that another closed window of the same
   * workspace had.
   */
  async #choose(saved: string): Promise<string> {
    const { leases } = this.#options;
    if (leases === undefined || (await this.#claim(saved))) return saved;
    for (const other of await leases.abandoned()) if (await this.#claim(other)) return other;
    return saved;
  }

  /** True if no other window writes the chat. Chats are shown even if that is unknown. */
  async #claim(id: string): Promise<boolean> {
    const { leases, onError } = this.#options;
    if (leases === undefined) return true;
    try {
      // Another window may have been given it since.
      return this.#noteClaim(id, (await leases.claim(id)) && leases.holds(id));
    } catch (error) {
      onError(`Opening the chat ${id}`, error);
      // Messages stay in memory if nothing can be written.
      const holder = await orUndefined(leases.holder(id));
      return this.#noteClaim(id, holder === undefined);
    }
  }

  #noteClaim(id: string, isFree: boolean): boolean {
    if (isFree) this.#foreign.delete(id);
    else this.#foreign.add(id);
    return isFree;
  }

  async #read(show: Show, id: string): Promise<Conversation | undefined> {
    const { chat, leases, onError, onUnread } = this.#options;
    try {
      if (this.#foreign.has(id)) return await this.#readLive(show, id);
      const text = await this.#load(id);
      if (text === undefined) await leases?.release(id);
      else
        return await (isNewerVersion(text)
          ? this.#copy(text, show)
          : this.#restore(id, text, show));
    } catch (error) {
      onError(`Reading the chat ${id}`, error);
      // Another chat may have been opened since.
      onUnread(() => {
        chat.restoreWith((later) => this.#read(later, id));
        background(chat.restored());
      });
      // Later events must not be written to the journal that could not be read.
      return id === chat.conversation.id ? emptyConversation(newId()) : undefined;
    }
    return undefined;
  }

  /** The journal, with lines that could not be written. */
  async #load(id: string): Promise<string | undefined> {
    const text = await this.#options.storage.read(id);
    const unsaved = this.#unsaved.of(id);
    return unsaved === '' ? text : `${text ?? ''}\n${unsaved}`;
  }

  /** A journal written by a later version is not changed: the chat continues in a copy. */
  async #copy(text: string, show: Show): Promise<Conversation> {
    const { workspace, clock, storage } = this.#options;
    const conversation = newId();
    const first = writeHeader({ conversation, workspace, at: clock.wall() });
    const copy = first + text.slice(text.indexOf('\n') + 1);
    await this.#claim(conversation);
    await storage.append(conversation, copy);
    return this.#restore(conversation, copy, show);
  }

  async #restore(id: string, text: string, show: Show): Promise<Conversation> {
    if (text.length > pieceLength) this.#showNewest(id, text, show);
    const { clock, lostMessage } = this.#options;
    const content = await readInPieces(id, text, clock, lostMessage);
    const journal = this.#create(id, content);
    this.#restored = { journal, length: text.length };
    const { conversation } = content;
    const ends = this.#interruptions(conversation);
    for (const end of ends) journal.append(end);
    return ends.reduce((read, end) => reduce(read, end), conversation);
  }

  /** A running turn is shown as such: only the window that writes it may say how it ended. */
  async #readLive(show: Show, id: string): Promise<Conversation | undefined> {
    const { chat, storage, clock, lostMessage, leases } = this.#options;
    const live: LiveJournal = new LiveJournal({
      conversation: id,
      storage,
      clock,
      lostMessage,
      show: (events) => chat.show(events),
      replace: (conversation) => {
        this.#restored = this.#open;
        chat.restoreWith(() => Promise.resolve(conversation));
        background(chat.restored());
      },
      onDidLook: () => this.#lookAtHolder(id, live),
    });
    const content = await live.read(show);
    if (content === undefined) return undefined;
    this.#holder = (leases && (await reported(leases.holder(id)))) ?? '';
    this.#restored = { journal: this.#create(id, content, ''), length: 0, live };
    return content.conversation;
  }

  /** The window that writes the chat may be another one by now, or gone. */
  async #lookAtHolder(id: string, live: LiveJournal): Promise<void> {
    const { leases } = this.#options;
    const holder = await leases?.holder(id);
    if (this.#takingOver !== undefined || this.#open.live !== live) return;
    if (holder === undefined && (await this.#claim(id))) return this.#readAgain(id);
    if (holder === undefined || holder === this.#holder) return;
    this.#holder = holder;
    this.#holderChanged.fire(undefined);
  }

  async #takeOver(): Promise<TakeOver> {
    const { leases } = this.#options;
    const { id } = this;
    if (leases === undefined || this.#open.live === undefined) return 'done';
    if (!this.#noteClaim(id, await leases.takeOver(id))) return 'too-late';
    await this.#readAgain(id);
    return this.heldBy === undefined ? 'done' : 'deleted';
  }

  /** Hands the chat to another window: stops its turns and writes all events. */
  async #handOver(id: string, leases: Leases): Promise<void> {
    const { chat, elsewhere } = this.#options;
    const { journal, live } = this.#open;
    if (journal.conversation !== id || live !== undefined) return;
    chat.setAccess('leave', elsewhere);
    await this.#finish(journal);
    if (!this.#isLeft(journal, id) || !leases.holds(id)) {
      if (this.#open.live === undefined) chat.setAccess('write');
      return;
    }
    this.#foreign.add(id);
    await leases.handOver(id);
    await this.#readAgain(id);
  }

  /** Another window took over the chat. Events that could not be written continue in a copy. */
  async #noteLoss(id: string): Promise<void> {
    const { journal } = this.#open;
    if (journal.conversation !== id) return;
    this.#foreign.add(id);
    await this.#finish(journal);
    if (this.#isLeft(journal, id)) await this.#readAgain(id);
  }

  async #finish(journal: Journal): Promise<void> {
    await this.#options.chat.end();
    await journal.flush();
  }

  /** True if this window has nothing more to write to the journal. */
  #isLeft(journal: Journal, id: string): boolean {
    return this.#open.journal === journal && journal.conversation === id && !journal.isWriting;
  }

  async #readAgain(id: string): Promise<void> {
    const { chat } = this.#options;
    // A message that was sent before it is read may have gone on in a copy.
    chat.restoreWith((show) =>
      this.id === id ? this.#read(show, id) : Promise.resolve(undefined),
    );
    await chat.restored();
  }

  #showNewest(id: string, text: string, show: Show): void {
    const newest = newestTurns(id, text);
    if (newest !== undefined) show(this.#ended(newest));
  }

  #ended(newest: ConversationWindow): ConversationWindow {
    const ends = this.#interruptions(newest.conversation);
    return ends.reduce((view, end) => reduceWindow(view, end) ?? view, newest);
  }

  /** The ends of turns that were running when their window was closed. */
  #interruptions(conversation: Conversation): readonly ConversationEvent[] {
    const { interrupted, leftRunning = interrupted } = this.#options;
    const message = this.#open.live === undefined ? interrupted : leftRunning;
    return interruptedEnds(conversation, { kind: 'interrupted', message, remedy: 'try-again' });
  }

  /** Reads the additions of other windows, before this one adds something. */
  async #readNewer(): Promise<Conversation | undefined> {
    const { chat } = this.#options;
    const { journal, length } = this.#open;
    if (length === 0 || journal.isUsed) return undefined;
    const { conversation: id } = journal;
    // A chat that was taken over just now continues in a copy.
    if (!chat.mayWrite || !(await this.#claim(id))) return undefined;
    const text = await reported(this.#options.storage.read(id));
    if (text === undefined || text.length <= length) return undefined;
    return this.#restore(id, text, () => undefined);
  }

  #switchJournal(): void {
    const { chat, elsewhere } = this.#options;
    const { journal, live } = this.#open;
    this.#open = this.#restored ?? { journal: this.#create(chat.conversation.id), length: 0 };
    this.#restored = undefined;
    if (live !== this.#open.live) live?.dispose();
    this.#open.live?.follow();
    chat.setAccess(this.#open.live === undefined ? 'write' : 'read', elsewhere);
    if (journal !== this.#open.journal) this.#leaving = this.#leave(journal);
    if (journal.conversation !== this.id) this.#moved.fire(this.id);
  }

  /** Other windows may write a conversation that is no longer open here. */
  async #leave(journal: Journal): Promise<void> {
    await journal.flush();
    const isOpen = journal.conversation === this.#open.journal.conversation;
    if (!isOpen && journal.unsaved === '')
      await this.#options.leases?.release(journal.conversation);
  }

  #create(
    conversation: string,
    content?: JournalContent,
    unsaved = this.#unsaved.of(conversation),
  ): Journal {
    const { storage, leases, workspace, clock } = this.#options;
    const stored = { ...continuationOf(content), unsaved };
    const journal = new Journal({ conversation, workspace, ...stored, storage, leases, clock });
    journal.onDidFork((id) => {
      if (journal !== this.#open.journal) return;
      this.#moved.fire(id);
      this.#options.onCopied?.();
    });
    journal.onDidFail((error) => this.#reportSaving(journal, error));
    return journal;
  }

  #reportSaving(journal: Journal, error: Error | undefined): void {
    if (error !== undefined) this.#options.onError('Writing the chat', error);
    background(this.#unsaved.keep(journal.conversation, journal.unsaved));
    this.#saved.fire(error === undefined);
  }
}
