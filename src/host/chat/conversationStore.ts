import type { Conversation } from '../../core/conversation/conversation.ts';
import type { TurnEnd } from '../../core/conversation/events.ts';
import {
  JournalReader,
  readNewestTurns,
  type JournalContent,
} from '../../core/conversation/journalReader.ts';
import { isNewerVersion, writeHeader } from '../../core/conversation/record.ts';
import { interruptedTurnEnd, reduce } from '../../core/conversation/reduce.ts';
import { reduceWindow, type ConversationWindow } from '../../core/conversation/window.ts';
import type { Clock } from '../../core/support/clock.ts';
import { disposeAll, Emitter, type Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import type { Memento } from '../memento.ts';
import type { Chat } from './chat.ts';
import { Journal, type JournalStorage } from './journal.ts';

export interface ConversationStoreOptions {
  readonly chat: Chat;
  readonly storage: JournalStorage;
  /** The workspace state, which stores the ID of the open conversation. */
  readonly state: Memento;
  /** The workspace that conversations are tagged with; empty if there is none. */
  readonly workspace: string;
  readonly clock: Clock;
  /** Error message of a turn that was running when its window was closed. */
  readonly interrupted: string;
  readonly onError: (what: string, error: unknown) => void;
  /** Called when the last chat could not be read, with a function that tries again. */
  readonly onUnread: (tryAgain: () => void) => void;
}

type Show = (newest: ConversationWindow) => void;

const openChat = 'aside.openChat';

/** Characters of a journal that are parsed at once, which takes some milliseconds. */
const pieceLength = 1_000_000;

/** Characters at the end of a journal that contain the turns shown first. */
const newestLength = 200_000;

/** Saves the open conversation as it changes, and restores it. */
export class ConversationStore implements Disposable {
  readonly #options: ConversationStoreOptions;
  readonly #saved = new Emitter<boolean>();
  readonly #listening: Disposable[];
  #journal: Journal;
  #restored: Journal | undefined;

  /** Fires with false when saving the conversation fails, and with true when it works again. */
  readonly onDidSave = this.#saved.event;

  constructor(options: ConversationStoreOptions) {
    this.#options = options;
    this.#journal = this.#open(options.chat.conversation.id, 0);
    options.chat.restoreWith((show) => this.#read(show));
    this.#listening = [
      options.chat.onDidChange((change) => {
        if (change.type === 'replace') this.#switchJournal();
        else this.#journal.append(change.event);
        // An empty conversation is not restored.
        if (change.type === 'replace' || change.event.type === 'turn-start') this.#saveOpenChat();
      }),
    ];
  }

  /** Resolves when all pending events are written, or writing failed. */
  flush(): Promise<void> {
    return this.#journal.flush();
  }

  dispose(): void {
    disposeAll(this.#listening);
    this.#journal.dispose();
  }

  /** The conversation that was last open in this workspace, if any. */
  async #read(
    show: Show,
    id = this.#options.state.get(openChat),
  ): Promise<Conversation | undefined> {
    const { chat, storage, onError, onUnread } = this.#options;
    if (typeof id !== 'string') return undefined;
    try {
      const text = await storage.read(id);
      if (text === undefined) return undefined;
      return await (isNewerVersion(text) ? this.#copy(text, show) : this.#restore(id, text, show));
    } catch (error) {
      onError(`Reading the chat ${id}`, error);
      // Another chat may have been opened since.
      onUnread(() => {
        chat.restoreWith((later) => this.#read(later, id));
        void chat.restored();
      });
      return undefined;
    }
  }

  /** A journal written by a later version is not changed: the chat continues in a copy. */
  async #copy(text: string, show: Show): Promise<Conversation> {
    const { workspace, clock, storage } = this.#options;
    const conversation = newId();
    const first = writeHeader({ conversation, workspace, at: clock.wall() });
    const copy = first + text.slice(text.indexOf('\n') + 1);
    await storage.append(conversation, copy);
    return this.#restore(conversation, copy, show);
  }

  async #restore(id: string, text: string, show: Show): Promise<Conversation> {
    if (text.length > pieceLength) this.#showNewest(id, text, show);
    const { conversation, records, damaged } = await this.#parse(id, text);
    if (damaged > 0)
      this.#options.onError(`Reading a chat: ${damaged} damaged records left out`, undefined);
    this.#restored = this.#open(id, records);
    const end = this.#interruption(conversation);
    if (end === undefined) return conversation;
    this.#restored.append(end);
    return reduce(conversation, end);
  }

  /** Parses in slices, so that other work is not blocked. */
  async #parse(id: string, text: string): Promise<JournalContent> {
    const reader = new JournalReader(id);
    for (let start = 0; start < text.length;) {
      const lineEnd = text.indexOf('\n', start + pieceLength);
      const end = lineEnd < 0 ? text.length : lineEnd + 1;
      reader.read(text.slice(start, end));
      start = end;
      if (start < text.length) await this.#yieldToOthers();
    }
    return reader.content;
  }

  #yieldToOthers(): Promise<void> {
    return new Promise((resolve) => this.#options.clock.after(0, resolve));
  }

  #showNewest(id: string, text: string, show: Show): void {
    const lineEnd = text.indexOf('\n', text.length - newestLength);
    const newest = readNewestTurns(id, text.slice(lineEnd + 1));
    if (newest === undefined) return;
    const end = this.#interruption(newest.conversation);
    show((end && reduceWindow(newest, end)) ?? newest);
  }

  /** The end of a turn that was running when its window was closed. */
  #interruption(conversation: Conversation): TurnEnd | undefined {
    const message = this.#options.interrupted;
    return interruptedTurnEnd(conversation, { kind: 'interrupted', message, remedy: 'try-again' });
  }

  #switchJournal(): void {
    const { id } = this.#options.chat.conversation;
    void this.#journal.flush();
    this.#journal = this.#restored ?? this.#open(id, 0);
    this.#restored = undefined;
  }

  #saveOpenChat(): void {
    const { chat, state } = this.#options;
    void state.update(openChat, chat.conversation.id);
  }

  #open(conversation: string, records: number): Journal {
    const { storage, workspace, clock, onError } = this.#options;
    const journal = new Journal({ conversation, workspace, records, storage, clock });
    journal.onDidFail((error) => {
      if (error !== undefined) onError('Writing the chat', error);
      this.#saved.fire(error === undefined);
    });
    return journal;
  }
}
