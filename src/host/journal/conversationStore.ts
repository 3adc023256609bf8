import { emptyConversation, type Conversation } from '../../core/conversation/conversation.ts';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import type { JournalContent } from '../../core/conversation/journalReader.ts';
import type { ChatChange } from '../../core/conversation/liveConversation.ts';
import { isNewerVersion } from '../../core/conversation/record.ts';
import { reduce } from '../../core/conversation/reduce.ts';
import { wholeEvents } from '../../core/conversation/wholeEvents.ts';
import type { ReadConversation } from '../../core/conversation/restoration.ts';
import { sleep } from '../../core/support/async.ts';
import { background, reported } from '../../core/support/background.ts';
import { disposeAll, Emitter, type Disposable, type Event } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { Leases } from '../leases.ts';
import type { Memento } from '../memento.ts';
import { continuationOf, Journal } from './journal.ts';
import { JournalLoader, type JournalLoaderOptions, type ShowNewest } from './journalLoader.ts';
import { LiveJournal } from './liveJournal.ts';
import { UnsavedText } from './unsavedText.ts';
import type { WriteAccess } from './writeAccess.ts';
import { WriterClaims } from './writerClaims.ts';

export interface StoredChat {
  readonly conversation: Conversation;
  readonly onDidChange: Event<ChatChange>;
  readonly access: WriteAccess;
  show(events: readonly ConversationEvent[]): void;
  /** Sets how to read the conversation, which is done on first use. */
  restoreWith(read: ReadConversation): void;
  /** Sets the function that reads additions of other windows before each turn. */
  refreshWith(read: () => Promise<Conversation | undefined>): void;
  restored(): Promise<void>;
  end(): Promise<void>;
}

export interface ConversationStoreOptions extends JournalLoaderOptions {
  readonly chat: StoredChat;
  /** Locks that record which window writes a chat; undefined if only this window can write. */
  readonly leases?: Leases | undefined;
  /** `workspaceState`, which stores events that could not be written. */
  readonly state: Memento;
  /** Origin of the chat: new, stored, or the last one that was open in the window. */
  readonly origin: ChatOrigin;
  /** Error message for attempts to change a chat that another window writes. */
  readonly elsewhere?: string;
  readonly onError: (what: string, error: unknown) => void;
  /** Called if the last chat could not be read, with a function that tries again. */
  readonly onUnread: (tryAgain: () => void) => void;
  /** Called when the chat continues in a copy, because another window writes it. */
  readonly onCopied?: () => void;
}

/** `last` may restore another chat if another window has the saved one. */
export type ChatOrigin = 'new' | 'stored' | 'last';

/**
 * Milliseconds before the older turns of a long chat are read unless they are needed, so that the
 * newest turns appear without delay.
 */
const restTime = 2000;

/** Result of a takeover: another window may have been faster, or may have deleted the chat. */
export type TakeOver = 'done' | 'too-late' | 'deleted';

/** State of the store with regard to the chat's journal. */
type StoreState = WritingState | FollowingState;

/**
 * This window writes the journal. It is leaving when another window has asked for it: then running
 * turns end, and none starts.
 */
interface WritingState {
  readonly kind: 'writing' | 'leaving';
  readonly journal: Journal;
  /** Number of characters that were read; 0 for a new journal. */
  readonly length: number;
}

/** Another window writes the journal, which this one follows. */
interface FollowingState {
  readonly kind: 'following';
  readonly journal: Journal;
  readonly live: LiveJournal;
  /** The workspace of that window; empty if unknown. */
  readonly holder: string;
}

const accessIn = { writing: 'write', leaving: 'leave', following: 'read' } as const;

/**
 * Saves a conversation as it changes, and restores it. Follows, read-only, what another window
 * writes.
 */
export class ConversationStore implements Disposable {
  readonly #options: ConversationStoreOptions;
  readonly #saved = new Emitter<boolean>();
  readonly #moved = new Emitter<string>();
  readonly #holderChanged = new Emitter<unknown>();
  readonly #unsaved: UnsavedText;
  readonly #claims: WriterClaims;
  readonly #loader: JournalLoader;
  readonly #listening: Disposable[];
  #state: StoreState;
  /** The state to enter when the chat gets the conversation that was just read. */
  #next: StoreState | undefined;
  /** Settles when the previous journal is written. */
  #leaving: Promise<void> | undefined;
  #takingOver: Promise<TakeOver> | undefined;

  /** Fires with false when saving fails, and with true when it works again. */
  readonly onDidSave = this.#saved.event;
  /** Fires with the new {@link id}. */
  readonly onDidMove = this.#moved.event;
  /** Fires when {@link heldBy} changes. */
  readonly onDidChangeHolder = this.#holderChanged.event;

  constructor(options: ConversationStoreOptions) {
    const { chat, origin, leases } = options;
    this.#options = options;
    this.#unsaved = new UnsavedText(options.state);
    this.#claims = new WriterClaims(leases, options.onError);
    this.#loader = new JournalLoader(options, this.#unsaved);
    // Unwritten lines of a stored chat belong to the journal that will be read.
    const journal = this.#create(chat.conversation.id, undefined, '');
    this.#state = { kind: 'writing', journal, length: 0 };
    if (origin !== 'new') chat.restoreWith((show, needed) => this.#readStored(show, needed));
    chat.refreshWith(() => this.#readNewer());
    this.#listening = [
      chat.onDidChange((change) => {
        if (change.type === 'replace') this.#enterNext();
        else if (this.#state.kind !== 'following') this.#state.journal.append(change.event);
      }),
    ];
    if (leases === undefined) return;
    this.#listening.push(
      leases.onDidAsk((id) => background(this.#transfer(id))),
      leases.onDidLose((id) => background(this.#noteLoss(id))),
    );
  }

  /** The id of the journal, which may be a copy. */
  get id(): string {
    return this.#state.journal.conversation;
  }

  /** False if events exist only in memory because they could not be written. */
  get isSaved(): boolean {
    return this.#state.journal.unsaved === '';
  }

  get heldBy(): string | undefined {
    return this.#state.kind === 'following' ? this.#state.holder : undefined;
  }

  get isWriter(): boolean {
    return this.#claims.holds(this.id);
  }

  /** Set to true while the chat is visible: only then is another window followed. */
  setSeen(isSeen: boolean): void {
    if (this.#state.kind === 'following') this.#state.live.follow(isSeen);
  }

  /** Makes this window the writer of a chat that another one writes. */
  continueHere(): Promise<TakeOver> {
    this.#takingOver ??= this.#takeOver().finally(() => (this.#takingOver = undefined));
    return this.#takingOver;
  }

  async flush(): Promise<void> {
    await Promise.all([this.#leaving, this.#state.journal.flush()]);
  }

  /** Lets other windows write the conversation, unless parts of it could not be written. */
  async release(): Promise<void> {
    if (!this.#state.journal.isWriting) await this.#claims.release(this.id);
  }

  dispose(): void {
    disposeAll(this.#listening);
    if (this.#state.kind === 'following') this.#state.live.dispose();
    this.#state.journal.dispose();
    for (const emitter of [this.#saved, this.#moved, this.#holderChanged]) emitter.dispose();
  }

  async #readStored(show: ShowNewest, needed: Promise<void>): Promise<Conversation | undefined> {
    const { leases, origin, storage, clock } = this.#options;
    const { id: saved } = this;
    let id = saved;
    const showMatch: ShowNewest = (newest) => {
      if (id === saved) show(newest);
    };
    const showing = this.#loader.showEarly(saved, showMatch, leases === undefined);
    if (origin === 'stored') await this.#claims.claim(saved);
    else id = await this.#claims.choose(saved);
    if (await this.#leaveIfClosed(id)) return undefined;
    // The journal of the open chat writes its own lines.
    if (origin === 'last') background(this.#unsaved.write(storage, id));
    const isShown = (await showing) && id === saved && !this.#claims.isElsewhere(id);
    if (isShown) await Promise.race([needed, sleep(clock, restTime)]);
    return this.#read(show, id);
  }

  /** Releases a chat that was closed while it was claimed. */
  async #leaveIfClosed(id: string): Promise<boolean> {
    if (!this.#isClosed) return false;
    await this.#claims.release(id);
    return true;
  }

  async #read(show: ShowNewest, id: string): Promise<Conversation | undefined> {
    const { chat, onError, onUnread } = this.#options;
    try {
      if (this.#claims.isElsewhere(id)) return await this.#readLive(show, id);
      const text = await this.#loader.text(id);
      if (text !== undefined)
        return await (isNewerVersion(text)
          ? this.#copy(text, show)
          : this.#restore(id, text, show));
      await this.#claims.release(id);
    } catch (error) {
      if (this.#isClosed) return undefined;
      onError(`Reading the chat ${id}`, error);
      // Another chat may have been opened in the meantime.
      onUnread(() => this.#restoreAgain((again) => this.#read(again, id)));
      // Later events must not be written to the unreadable journal.
      return id === chat.conversation.id ? emptyConversation(newId()) : undefined;
    }
    return undefined;
  }

  /** Continues in a copy, since a journal of a later version must not be changed. */
  async #copy(text: string, show: ShowNewest): Promise<Conversation | undefined> {
    if (this.#isClosed) return undefined;
    const copy = this.#loader.copyOf(text);
    await this.#claims.claim(copy.id);
    await this.#options.storage.append(copy.id, copy.text);
    return this.#restore(copy.id, copy.text, show);
  }

  async #restore(id: string, text: string, show: ShowNewest): Promise<Conversation | undefined> {
    const wasFollowed = this.#state.kind === 'following';
    const { content, ends } = await this.#loader.load(id, text, show, wasFollowed);
    // A chat that was deleted during the reading must not be written again.
    if (this.#isClosed) return undefined;
    const journal = this.#create(id, content);
    this.#next = { kind: 'writing', journal, length: text.length };
    for (const end of ends) journal.append(end);
    return ends.reduce((read, end) => reduce(read, end), content.conversation);
  }

  /** Keeps a running turn running: only the window that writes it knows how it ended. */
  async #readLive(show: ShowNewest, id: string): Promise<Conversation | undefined> {
    const { chat, storage, clock, lostMessage } = this.#options;
    const live: LiveJournal = new LiveJournal({
      conversation: id,
      storage,
      clock,
      lostMessage,
      show: (events) => chat.show(events),
      replace: (conversation) => {
        this.#next = this.#state;
        this.#restoreAgain(() => Promise.resolve(conversation));
      },
      onDidLook: () => this.#lookAtHolder(id, live),
    });
    const content = await live.read(show);
    const holder = content && ((await this.#claims.holder(id)) ?? '');
    if (content === undefined || holder === undefined || this.#isClosed) return undefined;
    this.#next = { kind: 'following', journal: this.#create(id, content, ''), live, holder };
    return content.conversation;
  }

  /** Checks whether another window writes the chat now, or none. */
  async #lookAtHolder(id: string, live: LiveJournal): Promise<void> {
    const holder = await this.#claims.holder(id);
    const state = this.#state;
    if (this.#takingOver !== undefined || state.kind !== 'following' || state.live !== live) return;
    if (holder === undefined && (await this.#claims.claim(id))) {
      if (!(await this.#leaveIfClosed(id))) await this.#readAgain(id);
      return;
    }
    if (holder === undefined || holder === state.holder) return;
    this.#state = { ...state, holder };
    this.#holderChanged.fire(undefined);
  }

  async #takeOver(): Promise<TakeOver> {
    const { id } = this;
    if (this.#state.kind !== 'following') return 'done';
    if (!(await this.#claims.takeOver(id))) return 'too-late';
    if (await this.#leaveIfClosed(id)) return 'done';
    await this.#readAgain(id);
    return this.heldBy === undefined ? 'done' : 'deleted';
  }

  /** Transfers the chat to the window that asked for it. */
  async #transfer(id: string): Promise<void> {
    const state = this.#state;
    if (state.kind !== 'writing' || this.id !== id) return;
    const leaving: StoreState = { ...state, kind: 'leaving' };
    this.#enter(leaving);
    if (!(await this.#finish(leaving, id))) {
      if (this.#state === leaving) this.#enter(state);
      return;
    }
    if (this.#claims.holds(id)) await this.#claims.transfer(id);
    else this.#claims.setElsewhere(id);
    await this.#readAgain(id);
  }

  /** Another window took over the chat. Lines that can't be written there continue in a copy. */
  async #noteLoss(id: string): Promise<void> {
    const state = this.#state;
    if (this.id !== id) return;
    this.#claims.setElsewhere(id);
    if (state.kind === 'writing' && (await this.#finish(state, id))) await this.#readAgain(id);
  }

  /**
   * Stops all turns, and writes all events. Resolves with false if this window must continue to
   * write: some events could not be written, or the chat shows another conversation.
   */
  async #finish(state: WritingState, id: string): Promise<boolean> {
    const { journal } = state;
    await this.#options.chat.end();
    await journal.flush();
    if (this.#state !== state || this.#isClosed) return false;
    return journal.conversation === id && !journal.isWriting;
  }

  async #readAgain(id: string): Promise<void> {
    const { chat } = this.#options;
    // A message that was sent before the reading may have continued in a copy.
    chat.restoreWith((show) =>
      this.id === id ? this.#read(show, id) : Promise.resolve(undefined),
    );
    await chat.restored();
  }

  #restoreAgain(read: ReadConversation): void {
    const { chat } = this.#options;
    chat.restoreWith(read);
    background(chat.restored());
  }

  /** Reads the additions of other windows before this one adds events. */
  async #readNewer(): Promise<Conversation | undefined> {
    const { chat, storage } = this.#options;
    const state = this.#state;
    if (state.kind === 'following' || state.length === 0 || state.journal.isUsed) return undefined;
    const { conversation: id } = state.journal;
    // A chat that was just taken over continues in a copy.
    if (!chat.access.mayWrite || !(await this.#claims.claim(id))) return undefined;
    const text = await reported(storage.read(id));
    if (text === undefined || text.length <= state.length) return undefined;
    return this.#restore(id, text, () => undefined);
  }

  #enter(state: StoreState): void {
    const { chat, elsewhere } = this.#options;
    this.#state = state;
    chat.access.set(accessIn[state.kind], elsewhere);
  }

  /** Continues with the journal of the chat's current conversation. */
  #enterNext(): void {
    const before = this.#state;
    const { id } = this.#options.chat.conversation;
    const next = this.#next ?? { kind: 'writing', journal: this.#create(id), length: 0 };
    this.#next = undefined;
    const live = next.kind === 'following' ? next.live : undefined;
    if (before.kind === 'following' && before.live !== live) before.live.dispose();
    live?.follow();
    this.#enter(next);
    if (before.journal !== next.journal) this.#leaving = this.#leave(before.journal);
    if (before.journal.conversation !== this.id) this.#moved.fire(this.id);
  }

  /** Lets other windows write a conversation that is no longer open here. */
  async #leave(journal: Journal): Promise<void> {
    await journal.flush();
    const { conversation } = journal;
    if (conversation !== this.id && journal.unsaved === '')
      await this.#claims.release(conversation);
  }

  get #isClosed(): boolean {
    return this.#options.chat.access.closed.aborted;
  }

  #create(
    conversation: string,
    content?: JournalContent,
    unsaved = this.#unsaved.of(conversation),
  ): Journal {
    const { storage, leases, workspace, clock } = this.#options;
    const stored = { ...continuationOf(content), unsaved };
    const whole = (): readonly ConversationEvent[] | undefined => {
      const { conversation: current } = this.#options.chat;
      const isOpen = journal === this.#state.journal && current.running === undefined;
      return isOpen ? wholeEvents(current) : undefined;
    };
    const options = { conversation, workspace, ...stored, storage, leases, clock, whole };
    const journal = new Journal(options);
    journal.onDidFork((id) => {
      if (journal !== this.#state.journal) return;
      this.#moved.fire(id);
      this.#options.onCopied?.();
    });
    journal.onDidChangeUnsaved((lines) =>
      background(this.#unsaved.keep(journal.conversation, lines)),
    );
    journal.onDidFail((error) => {
      if (error !== undefined) this.#options.onError('Writing the chat', error);
      this.#saved.fire(error === undefined);
    });
    return journal;
  }
}
