import { messagesOf, type Conversation, type Turn } from '../../core/conversation/conversation.ts';
import { pathOf } from '../../core/conversation/paths.ts';
import { findInTurns, findPattern, type FindMatch } from '../../core/conversation/findInTurns.ts';
import { sleep } from '../../core/support/async.ts';
import type { Clock } from '../../core/support/clock.ts';
import { oneLine } from '../../core/support/text.ts';
import type { FindResult } from '../../protocol/rpc.ts';

/** Further matches aren't counted. */
const maxHits = 10_000;
/** Maximum number of characters of a listed message. */
const longestLine = 100;

export class ChatFinder {
  readonly #conversation: () => Conversation;
  readonly #clock: Clock;
  #latest = 0;

  constructor(conversation: () => Conversation, clock: Clock) {
    this.#conversation = conversation;
    this.#clock = clock;
  }

  /**
   * Resolves with undefined if another search was started meanwhile.
   *
   * @param from the first visible turn: its first match, or the next one, becomes current
   */
  async find(query: string, from: string | undefined): Promise<FindResult | undefined> {
    const search = ++this.#latest;
    const all = pathOf(this.#conversation());
    const pattern = findPattern(query);
    if (pattern === undefined) {
      const messages = all.flatMap((turn) =>
        messagesOf(turn).map(({ text }) => ({ turn: turn.id, text: oneLine(text, longestLine) })),
      );
      return { places: [], start: 0, complete: true, messages };
    }
    const matches: FindMatch[] = [];
    let hits = 0;
    for (const match of findInTurns(all, pattern)) {
      if (match === undefined) await sleep(this.#clock, 0);
      if (search !== this.#latest) return undefined;
      if (match === undefined) continue;
      matches.push(match);
      hits += match.hits;
      if (hits >= maxHits) break;
    }
    return { places: matches, start: startOf(matches, all, from), complete: hits < maxHits };
  }
}

/** Index of the first match in or after the turn; otherwise of the last match. */
function startOf(
  places: readonly FindMatch[],
  turns: readonly Turn[],
  from: string | undefined,
): number {
  const order = new Map(turns.map(({ id }, index) => [id, index]));
  const fromIndex = from === undefined ? 0 : (order.get(from) ?? 0);
  let start = 0;
  for (const { turn, hits } of places) {
    if ((order.get(turn) ?? 0) >= fromIndex) return start;
    start += hits;
  }
  return Math.max(0, start - 1);
}
