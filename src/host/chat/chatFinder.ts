import type { Turn } from '../../core/conversation/conversation.ts';
import { findInTurns, findPattern, type FindMatch } from '../../core/conversation/findInTurns.ts';
import type { Clock } from '../../core/support/clock.ts';
import type { FindResult } from '../../protocol/messages.ts';
import type { Chat } from './chat.ts';

/** More hits than these are not counted. */
const maxHits = 10_000;

/** Looks for words in all of the open chat, piece by piece, so that nothing else has to wait. */
export class ChatFinder {
  readonly #chat: Pick<Chat, 'conversation'>;
  readonly #clock: Clock;
  #latest = 0;

  constructor(chat: Pick<Chat, 'conversation'>, clock: Clock) {
    this.#chat = chat;
    this.#clock = clock;
  }

  /**
   * Resolves with undefined where something else is looked for meanwhile.
   * @param from the turn that the reader sees: the first hit to show is the next one from there
   */
  async find(query: string, from: string | undefined): Promise<FindResult | undefined> {
    const search = ++this.#latest;
    const { turns, running } = this.#chat.conversation;
    const all = running === undefined ? turns : [...turns, running];
    const pattern = findPattern(query);
    const places: FindMatch[] = [];
    let hits = 0;
    for (const place of pattern === undefined ? [] : findInTurns(all, pattern)) {
      if (place === undefined) await this.#pause();
      if (search !== this.#latest) return undefined;
      if (place === undefined) continue;
      places.push(place);
      hits += place.hits;
      if (hits >= maxHits) break;
    }
    return { query, places, start: startOf(places, all, from), complete: hits < maxHits };
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#clock.after(0, resolve));
  }
}

/** The first hit in the turn or after it; where there is none, the last one before. */
function startOf(
  places: readonly FindMatch[],
  turns: readonly Turn[],
  from: string | undefined,
): number {
  const order = new Map(turns.map(({ id }, index) => [id, index]));
  const wanted = from === undefined ? 0 : (order.get(from) ?? 0);
  let start = 0;
  for (const { turn, hits } of places) {
    if ((order.get(turn) ?? 0) >= wanted) return start;
    start += hits;
  }
  return Math.max(0, start - 1);
}
