import type { OpenChat } from './openChat.ts';

/** Switching between a few tabs reads nothing. */
const defaultMost = 4;

/** Which of the chats that are idle in hidden tabs stay in memory: those that were seen last. */
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

  /** Those of the idle chats that should not stay in memory. */
  surplus(idle: readonly OpenChat[]): readonly OpenChat[] {
    const seen = [...this.#seen];
    return idle.toSorted((one, other) => seen.indexOf(other) - seen.indexOf(one)).slice(this.#most);
  }
}
