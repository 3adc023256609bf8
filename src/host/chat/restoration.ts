import type { Conversation } from '../../core/conversation/conversation.ts';
import type { ConversationWindow } from '../../core/conversation/window.ts';

/** Reads a conversation, and gives its newest turns where all of it takes longer. */
export type ReadConversation = (
  show: (newest: ConversationWindow) => void,
) => Promise<Conversation | undefined>;

export interface RestorationOptions {
  /** Does the work before everything that is asked from now on. */
  readonly enqueue: (work: () => Promise<void>) => Promise<void>;
  /** Shows what was read; `isShown` where its newest turns were there to be shown already. */
  readonly open: (conversation: Conversation | undefined, isShown: boolean) => void;
}

/** Brings back the conversation that a chat begins with, once somebody needs it. */
export class Restoration {
  readonly #options: RestorationOptions;
  #unread: ReadConversation | undefined;
  #newest: ConversationWindow | undefined;
  #begun: Promise<void> = Promise.resolve();
  #restored: Promise<void> = Promise.resolve();

  constructor(options: RestorationOptions) {
    this.#options = options;
  }

  /** The newest turns, while the rest is still being read. */
  get newest(): ConversationWindow | undefined {
    return this.#newest;
  }

  /** Tells how to read it. Undefined: there is nothing to bring back any more. */
  readWith(read: ReadConversation | undefined): void {
    this.#unread = read;
  }

  /** Begins where it did not yet; resolves when there is something to show. */
  begun(): Promise<void> {
    void this.restored();
    return this.#begun;
  }

  /** Begins where it did not yet; resolves when all is there. */
  restored(): Promise<void> {
    const read = this.#unread;
    if (read === undefined) return this.#restored;
    this.#unread = undefined;
    this.#begun = new Promise((begun) => {
      this.#restored = this.#options.enqueue(() => this.#restore(read, begun)).finally(begun);
    });
    return this.#restored;
  }

  async #restore(read: ReadConversation, begun: () => void): Promise<void> {
    const conversation = await read((newest) => {
      this.#newest = newest;
      begun();
    });
    const wasShown = this.#newest !== undefined;
    this.#newest = undefined;
    const isShown = wasShown && conversation !== undefined;
    if (wasShown || conversation !== undefined) this.#options.open(conversation, isShown);
  }
}
