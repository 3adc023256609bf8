import type { OpenChat } from './openChat.ts';

/** Enough to switch between a few tabs without reading. */
const defaultMost = 4;

/** Chooses the idle chats of hidden tabs that stay in memory: the most recently visible ones. */
export class IdleChats {
  readonly #most: number;
  /** Chats in the order in which they were visible, most recent last. */
  readonly #seen = new Set<OpenChat>();

  /** @param most maximum number of chats in memory */
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

  surplus(idle: readonly OpenChat[]): readonly OpenChat[] {
    const seen = [...this.#seen];
    return idle.toSorted((a, b) => seen.indexOf(b) - seen.indexOf(a)).slice(this.#most);
  }
}
