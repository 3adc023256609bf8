import type { TaskQueue } from '../support/async.ts';
import type { Conversation } from './conversation.ts';
import type { ConversationWindow } from './window.ts';

/**
 * Reads a conversation, and reports its newest turns as soon as they are known.
 *
 * @param needed resolves when more than the newest turns is needed
 */
export type ReadConversation = (
  show: (newest: ConversationWindow) => void,
  needed: Promise<void>,
) => Promise<Conversation | undefined>;

/** Restores the conversation of a chat on first use. */
export class Restoration {
  readonly #tasks: TaskQueue;
  readonly #open: (conversation: Conversation | undefined, isShown: boolean) => void;
  #unread: ReadConversation | undefined;
  #newest: ConversationWindow | undefined;
  #isReading = false;
  #newestRead: Promise<void> = Promise.resolve();
  #allRead: Promise<void> = Promise.resolve();
  #need: () => void = () => undefined;

  /**
   * @param tasks other work on the chat, which waits while it is read
   * @param open opens the conversation that was read; `isShown` is true if its newest turns are
   *   visible already
   */
  constructor(
    tasks: TaskQueue,
    open: (conversation: Conversation | undefined, isShown: boolean) => void,
  ) {
    this.#tasks = tasks;
    this.#open = open;
  }

  /** The newest turns, while the others are still being read. */
  get newest(): ConversationWindow | undefined {
    return this.#newest;
  }

  /** True once everything has been read. */
  get isComplete(): boolean {
    return this.#unread === undefined && !this.#isReading;
  }

  readWith(read: ReadConversation): void {
    this.#unread = read;
  }

  /** Starts the restoration if needed. Resolves when the newest turns are available. */
  newestRead(): Promise<void> {
    this.#begin();
    return this.#newestRead;
  }

  /** Starts the restoration if needed. Resolves when it is complete. */
  allRead(): Promise<void> {
    this.#begin();
    this.#need();
    return this.#allRead;
  }

  #begin(): void {
    const read = this.#unread;
    if (read === undefined) return;
    this.#unread = undefined;
    this.#isReading = true;
    const needed = new Promise<void>((resolve) => (this.#need = resolve));
    this.#newestRead = new Promise((newestRead) => {
      const restoring = this.#tasks.run(async () => {
        let isRead = false;
        const conversation = await read((newest) => {
          if (isRead) return;
          this.#newest ??= newest;
          newestRead();
        }, needed);
        isRead = true;
        this.#isReading = false;
        const newest = this.#newest;
        this.#newest = undefined;
        const isShown = newest !== undefined && isUnchanged(newest.conversation, conversation);
        if (newest !== undefined || conversation !== undefined) this.#open(conversation, isShown);
      });
      this.#allRead = restoring.finally(newestRead);
    });
  }
}

/** True if the newest turns, shown early, are the same in the whole conversation. */
function isUnchanged(newest: Conversation, read: Conversation | undefined): boolean {
  const isSame = newest.id === read?.id && newest.turns.at(-1)?.id === read.turns.at(-1)?.id;
  // Reading only the end of a journal may miss a summary, which another turn could follow.
  const hasSummaries = read?.summaries !== undefined;
  return isSame && !hasSummaries && newest.running === undefined;
}
