import type { Conversation, Summary, Turn } from '../conversation/conversation.ts';
import type { PartChoices } from '../conversation/partChoices.ts';
import { summaryOf } from '../conversation/summaries.ts';
import type { WireMessage } from '../service/wire.ts';
import { isTurnLeftOut, isTurnPinned } from './chosenParts.ts';
import { placeOf, roundsOf, type ContextCut } from './contextLimit.ts';
import { wireLength } from '../service/requestUsage.ts';

export interface SentTurn {
  readonly turn: Turn;
  /** True if its tool results are one line each. */
  readonly hasShortResults: boolean;
}

/** What a turn leaves out of the conversation before it. The next turn has no id. */
interface CutOfTurn extends ContextCut {
  readonly id?: string | undefined;
  readonly partChoices?: PartChoices | undefined;
}

/** The part of a conversation that is sent before a turn. */
interface SentBefore {
  /** Replaces all turns before the first that is sent. */
  readonly summary: Summary | undefined;
  /** Number of turns that the summary covers, even if it does not fit and is not sent. */
  readonly summarized: number;
  /** Oldest first. Those without a reply are not sent: the model never saw them. */
  readonly turns: readonly SentTurn[];
}

/**
 * The part of a conversation that is sent before one of its turns, or before the next turn, which
 * has no id. Includes pinned turns that a summary covers; excluded turns are missing.
 */
export function sentBefore(
  { turns, summaries }: Conversation,
  { id, firstSent, shortResultsBefore, partChoices }: CutOfTurn,
): SentBefore {
  const ownIndex = turns.findIndex((turn) => turn.id === id);
  const summaryPlace = summaryOf(summaries, ownIndex < 0 ? turns : turns.slice(0, ownIndex));
  const summarized = summaryPlace?.turns ?? 0;
  const first = Math.max(summarized, firstSent === undefined ? 0 : placeOf(firstSent, turns));
  const full = shortResultsBefore === undefined ? 0 : placeOf(shortResultsBefore, turns);
  return {
    summarized,
    summary: firstSent === '' ? undefined : summaryPlace?.summary,
    turns: turns.flatMap((turn, index) => {
      if (turn.id === id || roundsOf(turn).length === 0 || isTurnLeftOut(turn, partChoices))
        return [];
      if (index < first && !isTurnPinned(turn, partChoices)) return [];
      return [{ turn, hasShortResults: index < full }];
    }),
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
  const lastRound = messages.findLastIndex(({ role }) => role === 'assistant');
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
