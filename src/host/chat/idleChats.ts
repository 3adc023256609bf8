import type { OpenChat } from './openChat.ts';

/** Switching between a few tabs reads nothing. */
const defaultMost = 4;

/** Chooses the idle chats of hidden tabs that stay in memory: those that were seen last. */
export class IdleChats {
  readonly #most: number;
  /** The chats that were visible, the last one at the end. */
  readonly #seen = new Set<OpenChat>();

  /** @param most how many of them stay */
  constructor(most = defaultMost) {
    this.#most = most;
  }

  noteSeen(open: OpenChat): void {
    this.#seen.delete(open);
    this.#seen.add(open);
  }

  forget(open: OpenChat): void {
    this.#seen.delete(open);
  }

  /** The idle chats that should not stay in memory. */
  surplus(idle: readonly OpenChat[]): readonly OpenChat[] {
    const seen = [...this.#seen];
    return idle.toSorted((a, b) => seen.indexOf(b) - seen.indexOf(a)).slice(this.#most);
  }
}
