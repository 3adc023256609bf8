import { emptyConversation, type Conversation, type Turn } from './conversation.ts';
import type { ConversationEvent } from './events.ts';
import { reduce } from './reduce.ts';
import { reduceWindow } from './window.ts';

/** Maximum number of turns that each event is applied to; older ones are set aside. */
const maxRecentTurns = 64;

/**
 * Applies a sequence of events, as when a chat is loaded. The cost of an event does not depend on
 * the number of earlier turns.
 */
export class Replay {
  readonly #older: Turn[] = [];
  #recent: Conversation;

  /** @param start what the events are applied to */
  constructor(id: string, start = emptyConversation(id)) {
    this.#recent = start;
  }

  /** The running turn, if any. */
  get running(): Turn | undefined {
    return this.#recent.running;
  }

  get conversation(): Conversation {
    return { ...this.#recent, turns: [...this.#older, ...this.#recent.turns] };
  }

  apply(event: ConversationEvent): void {
    if (event.type === 'files-change' && !this.#isRecent(event.turn)) {
      this.#recent = this.#reduceAll(event);
      return;
    }
    const current = { conversation: this.#recent, before: this.#older.length, after: 0 };
    this.#recent = reduceWindow(current, event)?.conversation ?? this.#reduceAll(event);
    const { turns } = this.#recent;
    if (turns.length <= maxRecentTurns) return;
    this.#older.push(...turns.slice(0, -1));
    this.#recent = { ...this.#recent, turns: turns.slice(-1) };
  }

  #isRecent(id: string): boolean {
    const { turns, running } = this.#recent;
    return running?.id === id || turns.some((turn) => turn.id === id);
  }

  /** Applies an event that concerns a turn that was set aside. */
  #reduceAll(event: ConversationEvent): Conversation {
    const { conversation } = this;
    this.#older.length = 0;
    return reduce(conversation, event);
  }
}
