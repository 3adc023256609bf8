import { emptyConversation, type Conversation, type Turn } from './conversation.ts';
import type { ConversationEvent } from './events.ts';
import { reduce } from './reduce.ts';
import { reduceWindow } from './window.ts';

/** So many turns are at hand at most; those further back are set aside. */
const atHand = 64;

/**
 * Applies many events in a row, as when a chat is read: each costs the same, however many turns
 * came before it.
 */
export class Replay {
  readonly #older: Turn[] = [];
  #recent: Conversation;

  constructor(id: string) {
    this.#recent = emptyConversation(id);
  }

  get conversation(): Conversation {
    return { ...this.#recent, turns: [...this.#older, ...this.#recent.turns] };
  }

  apply(event: ConversationEvent): void {
    if (event.type === 'files-change' && !this.#isRecent(event.turn)) {
      this.#recent = this.#reduceAll(event);
      return;
    }
    const held = { conversation: this.#recent, before: this.#older.length, after: 0 };
    this.#recent = reduceWindow(held, event)?.conversation ?? this.#reduceAll(event);
    const { turns } = this.#recent;
    if (turns.length <= atHand) return;
    this.#older.push(...turns.slice(0, -1));
    this.#recent = { ...this.#recent, turns: turns.slice(-1) };
  }

  #isRecent(id: string): boolean {
    const { turns, running } = this.#recent;
    return running?.id === id || turns.some((turn) => turn.id === id);
  }

  /** For what concerns a turn that was set aside. */
  #reduceAll(event: ConversationEvent): Conversation {
    const { conversation } = this;
    this.#older.length = 0;
    return reduce(conversation, event);
  }
}
