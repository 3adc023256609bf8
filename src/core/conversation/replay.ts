import {
  emptyConversation,
  lastTurn,
  type Conversation,
  type OtherPaths,
  type Turn,
} from './conversation.ts';
import type { ConversationEvent } from './events.ts';
import { addOthers, withoutOthers } from './paths.ts';
import { reduce } from './reduce.ts';

/** Maximum number of turns that an event is applied to; older ones are set aside. */
const maxRecentTurns = 64;

/**
 * Applies a sequence of events, as when a chat is loaded. The cost of an event doesn't depend on
 * the number of earlier turns.
 */
export class Replay {
  readonly #older: { turns: Turn[]; others: OtherPaths[] } = { turns: [], others: [] };
  #recent: Conversation;

  constructor(id: string, start = emptyConversation(id)) {
    this.#recent = start;
  }

  get running(): Turn | undefined {
    return this.#recent.running;
  }

  get conversation(): Conversation {
    const { turns, others } = this.#older;
    const all = (this.#recent.others ?? []).reduce(addOthers, others);
    return {
      ...this.#recent,
      turns: [...turns, ...this.#recent.turns],
      ...(all.length === 0 ? {} : { others: all }),
    };
  }

  apply(event: ConversationEvent): void {
    if (this.#older.turns.length > 0 && !this.#suffices(event)) this.#takeBack();
    this.#recent = reduce(this.#recent, event);
    if (this.#recent.turns.length > maxRecentTurns) this.#setAside();
  }

  /** True if the event needs no turns besides the recent ones. */
  #suffices(event: ConversationEvent): boolean {
    const { turns, running } = this.#recent;
    const last = lastTurn(this.#recent);
    switch (event.type) {
      case 'files-change':
      case 'files-restore':
        return running?.id === event.turn || turns.some(({ id }) => id === event.turn);
      case 'turn-remove':
        return running?.id === event.id
          ? turns.length > 0
          : turns.findLastIndex(({ id }) => id === event.id) > 0;
      case 'version-select':
      case 'compared-turn-start':
      case 'compared-turn-event':
        return false;
      case 'turn-start':
        return (event.after ?? last?.id) === last?.id;
      default:
        return last !== undefined;
    }
  }

  #setAside(): void {
    const { turns, others = [] } = this.#recent;
    const last = turns.slice(-1);
    // The other paths after the last turn are needed as long as that turn is.
    const needed = others.findIndex(({ after }) => after === last[0]?.id);
    const count = needed < 0 ? others.length : needed;
    this.#older.turns.push(...turns.slice(0, -1));
    this.#older.others.push(...others.slice(0, count));
    const remaining = others.slice(count);
    const recent = { ...withoutOthers(this.#recent), turns: last };
    this.#recent = remaining.length === 0 ? recent : { ...recent, others: remaining };
  }

  #takeBack(): void {
    this.#recent = this.conversation;
    this.#older.turns = [];
    this.#older.others = [];
  }
}
