import { emptyConversation, type Conversation } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { hasEndedTurn, type JournalContent } from '../../core/conversation/journalReader.ts';
import { isNewerVersion, writeHeader } from '../../core/conversation/record.ts';
import { interruptedEnds, reduce } from '../../core/conversation/reduce.ts';
import { reduceWindow, type ConversationWindow } from '../../core/conversation/window.ts';
import type { Clock } from '../../core/support/clock.ts';
import { disposeAll, Emitter, type Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { Memento } from '../memento.ts';
import type { Chat } from './chat.ts';
import { continuationOf, Journal, type JournalStorage } from './journal.ts';
import type { Leases } from './leases.ts';
import {
  newestLength,
  newestOrAll,
  newestTurns,
  pieceLength,
  readInPieces,
} from './readInPieces.ts';
import { UnsavedText } from './unsavedText.ts';

export interface ConversationStoreOptions {
  readonly chat: Chat;
  readonly storage: JournalStorage;
  /** Which window writes which chat; absent where no other window can. */
  readonly leases?: Leases | undefined;
  /** The workspace state, which keeps what could not be written. */
  readonly state: Memento;
  /** Where the chat comes from: it is new, stored, or the one that was open last in the window. */
  readonly origin: ChatOrigin;
  /** The workspace that conversations are tagged with; empty if there is none. */
  readonly workspace: string;
  readonly clock: Clock;
  /** Error message of a turn that was running when its window was closed. */
  readonly interrupted: string;
  /** Error message of a turn that runs in another window. */
  readonly elsewhere?: string;
  /** Text of a message that could not be read. */
  readonly lostMessage?: string;
  readonly onError: (what: string, error: unknown) => void;
  /** Called when the last chat could not be read, with a function that tries again. */
  readonly onUnread: (tryAgain: () => void) => void;
}

/** Of the last chat, another one may be restored: if another window has it. */
export type ChatOrigin = 'new' | 'stored' | 'last';

type Show = (newest: ConversationWindow) => void;

/** Milliseconds between two looks at a turn that runs in another window. */
const followInterval = 2000;

/** A journal that was read, and how much of it. */
interface OpenedJournal {
  readonly journal: Journal;
  /** Characters. */
  readonly length: number;
}

/** Saves a conversation as it changes, and restores it. */
export class ConversationStore implements Disposable {
  readonly #options: ConversationStoreOptions;
  readonly #saved = new Emitter<boolean>();
  readonly #moved = new Emitter<string>();
  readonly #unsaved: UnsavedText;
  readonly #listening: Disposable[];
  #open: OpenedJournal;
  #restored: OpenedJournal | undefined;
  #following: Disposable | undefined;
  #leaving: Promise<void> | undefined;

  /** Fires with false when saving the conversation fails, and with true when it works again. */
  readonly onDidSave = this.#saved.event;
  /** Fires with the new {@link id}. */
  readonly onDidMove = this.#moved.event;

  constructor(options: ConversationStoreOptions) {
    const { chat, origin } = options;
    this.#options = options;
    this.#unsaved = new UnsavedText(options.state);
    // Lines of a stored chat that could not be written are those of the journal that is read.
    const journal = this.#create(chat.conversation.id, undefined, '');
    this.#open = { journal, length: 0 };
    if (origin !== 'new') chat.restoreWith((show) => this.#readStored(show));
    chat.refreshWith(() => this.#readNewer());
    this.#listening = [
      chat.onDidChange((change) => {
        if (change.type === 'replace') this.#switchJournal();
        else this.#open.journal.append(change.event);
      }),
    ];
  }

  /** The id under which the conversation is stored: of its journal, which may be a copy. */
  get id(): string {
    return this.#open.journal.conversation;
  }

  /** Whether nothing is kept in memory alone because it could not be written. */
  get isSaved(): boolean {
    return this.#open.journal.unsaved === '';
  }

  /** Whether this window writes the conversation, and no other one does. */
  get isWriter(): boolean {
    return this.#mayWrite(this.id);
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
    this.#following?.dispose();
    this.#open.journal.dispose();
    this.#saved.dispose();
    this.#moved.dispose();
  }

  async #readStored(show: Show): Promise<Conversation | undefined> {
    const { storage, origin, lostMessage } = this.#options;
    const { id: saved } = this;
    let isChosen = false;
    const reading = this.#readEarly(saved, (id, text) => {
      const newest = isChosen ? undefined : newestOrAll(id, text, lostMessage);
      if (newest !== undefined) show(newest);
    });
    // What fails here fails again below.
    reading.catch(() => undefined);
    if (origin === 'stored') {
      await this.#claim(saved);
      isChosen = true;
      return this.#read(show, saved);
    }
    const id = await this.#choose(saved);
    isChosen = true;
    // The lines of the open chat are written by its journal.
    void this.#unsaved.write(storage, id);
    return this.#read(show, id);
  }

  /**
   * Reads the saved chat while it is being found out which window writes it: what is saved can be
   * shown before. It is read again to go on with it.
   */
  async #readEarly(id: string | undefined, use: (id: string, text: string) => void): Promise<void> {
    if (id === undefined || this.#options.leases === undefined) return;
    const text = await this.#load(id);
    if (text !== undefined && !isNewerVersion(text)) use(id, text);
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

  /** Whether this window writes the chat. Chats are shown even where that cannot be told. */
  async #claim(id: string): Promise<boolean> {
    try {
      return (await this.#options.leases?.claim(id)) ?? true;
    } catch (error) {
      this.#options.onError(`Opening the chat ${id}`, error);
      return false;
    }
  }

  async #read(show: Show, id: string): Promise<Conversation | undefined> {
    const { chat, leases, onError, onUnread } = this.#options;
    try {
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
        void chat.restored();
      });
      // What is written from now on must not get into the journal that could not be read.
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
    if (ends.length === 0) return conversation;
    // Only the window that writes a turn may say how it ended.
    const isWriter = this.#mayWrite(id);
    for (const end of ends) {
      if (isWriter) journal.append(end);
      else journal.defer(end);
    }
    if (!isWriter) this.#follow(id);
    return ends.reduce((read, end) => reduce(read, end), conversation);
  }

  #showNewest(id: string, text: string, show: Show): void {
    const newest = newestTurns(id, text);
    if (newest === undefined) return;
    const ends = this.#interruptions(newest.conversation);
    show(ends.reduce((shown, end) => reduceWindow(shown, end) ?? shown, newest));
  }

  #mayWrite(id: string): boolean {
    return this.#options.leases?.holds(id) ?? true;
  }

  /** The ends of turns that were running when their window was closed, or run in another one. */
  #interruptions(conversation: Conversation): readonly ConversationEvent[] {
    const { interrupted, elsewhere = '' } = this.#options;
    return interruptedEnds(
      conversation,
      this.#mayWrite(conversation.id)
        ? { kind: 'interrupted', message: interrupted, remedy: 'try-again' }
        : { kind: 'elsewhere', message: elsewhere },
    );
  }

  /** Shows a turn of another window when it has ended, or that window is gone. */
  #follow(id: string): void {
    this.#following?.dispose();
    this.#following = this.#options.clock.after(followInterval, () => void this.#look(id));
  }

  async #look(id: string): Promise<void> {
    const { chat } = this.#options;
    const isOver = (await this.#claim(id)) || (await this.#hasEnded(id));
    const { journal } = this.#open;
    if (journal.conversation !== id || journal.isUsed) return;
    if (isOver) {
      chat.restoreWith((show) => this.#read(show, id));
      void chat.restored();
    } else this.#follow(id);
  }

  async #hasEnded(id: string): Promise<boolean> {
    const text = (await this.#options.storage.read(id).catch(() => undefined)) ?? '';
    return text.length > this.#open.length && hasEndedTurn(text.slice(-newestLength));
  }

  /** What another window has added to the conversation, before this one adds something. */
  async #readNewer(): Promise<Conversation | undefined> {
    const { journal, length } = this.#open;
    if (length === 0 || journal.isUsed) return undefined;
    const { conversation: id } = journal;
    await this.#claim(id);
    const text = await this.#options.storage.read(id).catch(() => undefined);
    if (text === undefined || text.length <= length) return undefined;
    return this.#restore(id, text, () => undefined);
  }

  #switchJournal(): void {
    const { journal } = this.#open;
    this.#open = this.#restored ?? {
      journal: this.#create(this.#options.chat.conversation.id),
      length: 0,
    };
    this.#restored = undefined;
    this.#leaving = this.#leave(journal);
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
      if (journal === this.#open.journal) this.#moved.fire(id);
    });
    journal.onDidFail((error) => this.#reportSaving(journal, error));
    return journal;
  }

  #reportSaving(journal: Journal, error: Error | undefined): void {
    if (error !== undefined) this.#options.onError('Writing the chat', error);
    void this.#unsaved.keep(journal.conversation, journal.unsaved);
    this.#saved.fire(error === undefined);
  }
}
