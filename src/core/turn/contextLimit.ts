import type { Turn, ToolCallPart } from '../conversation/conversation.ts';

/** The space of a model's context window. */
interface TokenRoom {
  /** Maximum number of characters of all messages. */
  readonly characters: number;
  /** Characters that are always sent: the new message and everything before the chat. */
  readonly taken: number;
}

/**
 * Finds the oldest turn that is still sent with the next message; undefined if all of them fit. The
 * omitted part grows in steps of a quarter of the space, so that the start of the request stays the
 * same for many turns, and a service can cache it.
 *
 * @param turns that ended, oldest first
 * @param lengthOf number of characters of a turn's messages
 * @returns its id, or an empty string if no turn fits
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
  let toOmit = Math.ceil(excess / step) * step;
  const first = turns[lengths.findIndex((length) => (toOmit -= length) <= 0) + 1];
  return toOmit > 0 ? '' : (first?.id ?? '');
}

/** The result of one request of a turn: its text, and the calls that were run. */
interface Round {
  readonly text: string;
  readonly calls: readonly ToolCallPart[];
}

/** The rounds of a turn, oldest first. Rounds with nothing to send are omitted. */
export function roundsOf(turn: Turn): readonly Round[] {
  const rounds: { text: string; calls: ToolCallPart[] }[] = [];
  let last: { text: string; calls: ToolCallPart[] } | undefined;
  for (const part of turn.parts) {
    if (part.type === 'reasoning') continue;
    if (part.type === 'text' ? isBlank(part.text) : !wasCarriedOut(part)) continue;
    const startsRound =
      last === undefined ||
      (part.type === 'text' ? last.calls.length > 0 : isOfLaterRound(part, last.calls));
    if (last === undefined || startsRound) {
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

/** Some services refuse a message with only white space, which models write before a call. */
function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Calls of an interrupted reply were never started and have no result. */
function wasCarriedOut({ result, startedAt }: ToolCallPart): boolean {
  return result !== undefined || startedAt !== undefined;
}
