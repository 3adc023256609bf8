/** What fits into the context window: how many old turns, and how much of their results. */
import type { Turn } from '../conversation/conversation.ts';
import { wireLength } from '../service/requestUsage.ts';
import type { WireMessage } from '../service/wire.ts';
import { missingReply } from './messagePieces.ts';
import { placeOf, type ContextCut } from './sentTurns.ts';

interface TokenRoom {
  /** Maximum number of characters of all messages. */
  readonly characters: number;
  /** Characters of the new message, and of everything before the first turn. */
  readonly fixedCharacters: number;
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
  { characters, fixedCharacters }: TokenRoom,
): string | undefined {
  const lengths = turns.map(lengthOf);
  const excess = lengths.reduce((sum, length) => sum + length, fixedCharacters) - characters;
  if (excess <= 0) return undefined;
  const step = Math.max(1, characters / 4);
  let toOmit = Math.ceil(excess / step) * step;
  const first = turns[lengths.findIndex((length) => (toOmit -= length) <= 0) + 1];
  return toOmit > 0 ? '' : (first?.id ?? '');
}

/** The size of a context window, and of the turns before a message. */
export interface ContextSizes {
  /** Maximum number of characters of all messages. */
  readonly characters: number;
  /**
   * Characters of everything but earlier turns, where no earlier turn has an attachment of the
   * message.
   */
  readonly fixedCharacters: number;
  /** Characters of all messages that are sent with a cut. */
  readonly totalOf: (cut: ContextCut) => number;
  readonly lengthOf: (turn: Turn, hasShortResults: boolean) => number;
}

/**
 * Decides how much of the turns before a message is sent. If they don't fit, tool results of the
 * turns that would be left out become one line each; turns are left out only if that is not enough.
 * Each decision stays the same for many messages: see {@link findFirstSent}.
 *
 * @param before the decision for the last message to the same model
 */
export function cutContext(
  turns: readonly Turn[],
  sizes: ContextSizes,
  before: ContextCut = {},
): ContextCut {
  const { characters, totalOf } = sizes;
  const total = totalOf({});
  if (isStillGood(before, turns, total, sizes)) return before;
  if (total <= characters) return {};
  const full = findFirstSent(turns, (turn) => sizes.lengthOf(turn, false), sizes);
  if (full === undefined) return {};
  const shortened = { shortResultsBefore: full };
  const totalShortened = totalOf(shortened);
  if (totalShortened === total) return { firstSent: full };
  if (totalShortened <= characters) return shortened;
  const isShort = new Set(turns.slice(0, placeOf(full, turns)));
  const lengthOf = (turn: Turn): number => sizes.lengthOf(turn, isShort.has(turn));
  const firstSent = findFirstSent(turns, lengthOf, sizes);
  // Turns that fit in full are sent in full, whatever happens to the others.
  const leavesRest = placeOf(firstSent ?? full, turns) < placeOf(full, turns);
  return leavesRest ? presentCut({ firstSent, ...shortened }) : { firstSent: full };
}

/**
 * True if an earlier decision fits and makes good use of the space: then it stays, since estimates
 * change a little with each reply, and another beginning would have to be read again.
 */
function isStillGood(
  before: ContextCut,
  turns: readonly Turn[],
  total: number,
  { characters, totalOf }: ContextSizes,
): boolean {
  const ids = [before.firstSent, before.shortResultsBefore].filter((id) => id !== undefined);
  if (ids.length === 0 || total <= (characters * 3) / 4) return false;
  if (!ids.every((id) => turns.some((turn) => turn.id === id))) return false;
  const sent = totalOf(before);
  return sent <= characters && sent > characters / 2;
}

/** The cut without undefined fields, which a record must not contain. */
export function presentCut({ firstSent, shortResultsBefore }: ContextCut): ContextCut {
  return {
    ...(firstSent === undefined ? {} : { firstSent }),
    ...(shortResultsBefore === undefined ? {} : { shortResultsBefore }),
  };
}

/** One line that replaces an old tool result; the result itself if it is as short. */
export function shortResult(tool: string, result: string): string {
  const line = `[The result of ${tool} was left out to save space. Call the tool again if it is needed.]`;
  return line.length < result.length ? line : result;
}

/**
 * The messages of a turn whose requests no longer fit: its oldest tool results become one line
 * each, in steps of a quarter of the room, so that requests begin the same for many rounds. The
 * results of the last round stay, as the model has not read them yet.
 *
 * @param charactersBefore characters of everything before the turn
 * @param room characters of a whole request
 */
export function shortenRounds(
  messages: readonly WireMessage[],
  charactersBefore: number,
  room: number,
): readonly WireMessage[] {
  const lengths = messages.map(wireLength);
  const excess = lengths.reduce((sum, length) => sum + length, charactersBefore) - room;
  if (excess <= 0) return messages;
  const step = Math.max(1, room / 4);
  let toSave = Math.ceil(excess / step) * step;
  const lastRound = messages.findLastIndex(
    ({ role, content }) => role === 'assistant' && content !== missingReply,
  );
  const names = new Map<string, string>();
  return messages.map((message, index) => {
    if (message.role === 'assistant')
      for (const { id, function: called } of message.tool_calls ?? []) names.set(id, called.name);
    if (message.role !== 'tool' || index > lastRound || toSave <= 0) return message;
    const tool = names.get(message.tool_call_id) ?? '';
    const short = { ...message, content: shortResult(tool, message.content) };
    toSave -= message.content.length - short.content.length;
    return short;
  });
}
