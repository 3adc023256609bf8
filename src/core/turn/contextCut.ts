import type { Turn } from '../conversation/conversation.ts';

/** What a model can read at once. */
export interface Room {
  /** Characters of all messages together. */
  readonly characters: number;
  /** Characters that are sent in any case: the question, and what stands before the chat. */
  readonly taken: number;
}

/**
 * The oldest turn that is still sent along with the next question; undefined where all of them fit.
 * What is left out grows by a quarter of the room at a time, so that the beginning of the request
 * stays the same for many turns, and a service can cache it.
 *
 * @param turns that ended, oldest first
 * @param lengthOf characters of a turn's messages
 * @returns its id, or an empty text where no turn fits
 */
export function findFirstSent(
  turns: readonly Turn[],
  lengthOf: (turn: Turn) => number,
  { characters, taken }: Room,
): string | undefined {
  const lengths = turns.map(lengthOf);
  const excess = lengths.reduce((sum, length) => sum + length, taken) - characters;
  if (excess <= 0) return undefined;
  const step = Math.max(1, characters / 4);
  let open = Math.ceil(excess / step) * step;
  const first = turns[lengths.findIndex((length) => (open -= length) <= 0) + 1];
  return open > 0 ? '' : (first?.id ?? '');
}
