import type { Conversation } from '../../core/conversation/conversation.ts';
import { readJournal } from '../../core/conversation/record.ts';
import { interruption, reduce } from '../../core/conversation/reduce.ts';
import type { Clock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/disposable.ts';
import { Emitter } from '../../core/support/emitter.ts';
import type { Memento } from '../memento.ts';
import type { Chat } from './chat.ts';
import { Journal, type JournalStorage } from './journal.ts';

export interface ConversationStoreOptions {
  readonly chat: Chat;
  readonly storage: JournalStorage;
  /** That of the workspace: remembers which conversation was open. */
  readonly state: Memento;
  /** What conversations are tagged with; empty without a workspace. */
  readonly workspace: string;
  readonly clock: Clock;
  /** Words for a turn that was going on when its window closed. */
  readonly interrupted: string;
  readonly onError: (what: string, error: unknown) => void;
}

const openChat = 'aside.openChat';

/** Keeps the open conversation safe: writes it as it happens, and brings it back. */
export class ConversationStore implements Disposable {
  readonly #options: ConversationStoreOptions;
  readonly #saved = new Emitter<boolean>();
  readonly #listening: Disposable[];
  #journal: Journal;
  #restored: Journal | undefined;

  /** Fires with false when the conversation cannot be written, and with true when it can again. */
  readonly onDidSave = this.#saved.event;

  constructor(options: ConversationStoreOptions) {
    this.#options = options;
    this.#journal = this.#open(options.chat.conversation.id, 0);
    this.#listening = [
      options.chat.onDidChange((change) => {
        if (change.type === 'replace') this.#follow();
        else this.#journal.append(change.event);
        // Only a conversation in which something was said is worth coming back to.
        if (change.type === 'replace' || change.event.type === 'turn-start') this.#remember();
      }),
    ];
  }

  /** Shows the conversation that was open in this workspace, if there is one. */
  restore(): Promise<void> {
    return this.#options.chat.restore(() => this.#read());
  }

  /** Resolves when everything is written that can be. */
  flush(): Promise<void> {
    return this.#journal.flush();
  }

  dispose(): void {
    disposeAll(this.#listening);
    this.#journal.dispose();
  }

  async #read(): Promise<Conversation | undefined> {
    const { state, storage, onError } = this.#options;
    const id = state.get(openChat);
    if (typeof id !== 'string') return undefined;
    try {
      const text = await storage.read(id);
      if (text === undefined) return undefined;
      const { conversation, records, damaged } = readJournal(id, text);
      if (damaged > 0) onError(`Reading a chat: ${damaged} damaged records left out`, undefined);
      this.#restored = this.#open(id, records);
      return this.#endRunning(conversation, this.#restored);
    } catch (error) {
      onError('Reading the last chat', error);
      return undefined;
    }
  }

  #endRunning(conversation: Conversation, journal: Journal): Conversation {
    const message = this.#options.interrupted;
    const end = interruption(conversation, { kind: 'interrupted', message, remedy: 'try-again' });
    if (end === undefined) return conversation;
    journal.append(end);
    return reduce(conversation, end);
  }

  #follow(): void {
    const { id } = this.#options.chat.conversation;
    void this.#journal.flush();
    this.#journal = this.#restored ?? this.#open(id, 0);
    this.#restored = undefined;
  }

  #remember(): void {
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
