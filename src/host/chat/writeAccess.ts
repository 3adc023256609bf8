import { chatIsElsewhere } from './storeMessages.ts';

/**
 * Access of this window to a conversation: it may write it, only end its own turns, or only show it,
 * since another window writes it.
 */
export type ChatAccess = 'write' | 'leave' | 'read';

/** Says whether this window may change a chat. */
export class WriteAccess {
  readonly #closing = new AbortController();
  #access: ChatAccess = 'write';

  set(access: ChatAccess): void {
    this.#access = access;
  }

  /** Aborted when the chat is closed: it no longer sends, reads or changes anything. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  get isReadOnly(): boolean {
    return this.#access === 'read';
  }

  /** True if the chat is being left to another window. */
  get isLeaving(): boolean {
    return this.#access === 'leave';
  }

  get mayWrite(): boolean {
    return this.#access === 'write' && !this.closed.aborted;
  }

  /**
   * Must be called right before every effect of a message or a button, with no other work between.
   *
   * @throws {UserError} if this window may not change the conversation
   * @throws {DOMException} an `AbortError`, which isn't shown, if the chat is closed
   */
  requireWrite(): void {
    this.closed.throwIfAborted();
    if (!this.mayWrite) throw chatIsElsewhere();
  }

  close(): void {
    this.#closing.abort();
  }
}
