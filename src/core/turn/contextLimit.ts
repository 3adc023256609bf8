import type { Turn, ToolCallPart } from '../conversation/conversation.ts';

/** What a model can read at once. */
interface TokenRoom {
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
  { characters, taken }: TokenRoom,
): string | undefined {
  const lengths = turns.map(lengthOf);
  const excess = lengths.reduce((sum, length) => sum + length, taken) - characters;
  if (excess <= 0) return undefined;
  const step = Math.max(1, characters / 4);
  let open = Math.ceil(excess / step) * step;
  const first = turns[lengths.findIndex((length) => (open -= length) <= 0) + 1];
  return open > 0 ? '' : (first?.id ?? '');
}

/** What one request of a turn brought: its text, and the calls that were carried out. */
interface Round {
  readonly text: string;
  readonly calls: readonly ToolCallPart[];
}

/** The rounds of a turn, oldest first, without those of which nothing is left to send. */
export function roundsOf(turn: Turn): readonly Round[] {
  const rounds: { text: string; calls: ToolCallPart[] }[] = [];
  let last: { text: string; calls: ToolCallPart[] } | undefined;
  for (const part of turn.parts) {
    if (part.type === 'reasoning') continue;
    if (part.type === 'text' ? isBlank(part.text) : !wasCarriedOut(part)) continue;
    const begins =
      last === undefined ||
      (part.type === 'text' ? last.calls.length > 0 : isOfLaterRound(part, last.calls));
    if (last === undefined || begins) {
      last = { text: '', calls: [] };
      rounds.push(last);
    }
    if (part.type === 'text') last.text += part.text;
    else last.calls.push(part);
  }
  return rounds.filter(({ text, calls }) => text !== '' || calls.length > 0);
}

function isOfLaterRound({ round }: ToolCallPart, calls: readonly ToolCallPart[]): boolean {
  return calls.some((call) => call.round !== round);
}

/** Some services refuse a message that says nothing but white space, as models do before a call. */
function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Those of a reply that broke off never began, and have no result. */
function wasCarriedOut({ result, startedAt }: ToolCallPart): boolean {
  return result !== undefined || startedAt !== undefined;
}
