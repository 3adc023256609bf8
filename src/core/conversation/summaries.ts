/**
 * Summaries of a conversation. Each is sent in place of the turns up to one of them. The turns
 * stay, so that they can be read, and sent again.
 */
import type { Conversation, Summary, Turn } from './conversation.ts';

/** A summary that is sent in place of turns, and the number of those turns. */
export interface SummaryPlace {
  readonly summary: Summary;
  readonly turns: number;
}

/**
 * The summary that is sent with a message after these turns: the newest enabled one that covers the
 * beginning of this path.
 */
export function summaryOf(
  summaries: readonly Summary[] | undefined,
  path: readonly Turn[],
): SummaryPlace | undefined {
  const summary = summaries?.findLast(
    (candidate) => candidate.unused !== true && placeOf(candidate, path) > 0,
  );
  return summary && { summary, turns: placeOf(summary, path) };
}

/** The number of turns of a path that a summary covers; 0 if its last is not on the path. */
function placeOf({ upTo }: Summary, path: readonly Turn[]): number {
  return path.findLastIndex(({ id }) => id === upTo) + 1;
}

/** Adds a summary, or replaces the one with the same id. */
export function addSummary(conversation: Conversation, summary: Summary): Conversation {
  const others = (conversation.summaries ?? []).filter(({ id }) => id !== summary.id);
  return { ...conversation, summaries: [...others, summary] };
}

/** Sends a summary, or the messages that it covers. */
export function switchSummary(conversation: Conversation, id: string, used: boolean): Conversation {
  const { summaries = [] } = conversation;
  const index = summaries.findIndex((candidate) => candidate.id === id);
  const summary = summaries[index];
  if (summary === undefined || (summary.unused !== true) === used) return conversation;
  const { unused, ...base } = summary;
  const next = unused === true ? base : { ...base, unused: true };
  return { ...conversation, summaries: summaries.with(index, next) };
}

/** Removes the summaries that end with a turn, because the turn is about to grow. */
export function withoutSummariesOf(conversation: Conversation, turn: string): Conversation {
  return keepSummaries(conversation, ({ upTo }) => upTo !== turn);
}

/** Removes the summaries that don't cover the beginning of the chosen path. */
export function onlySummariesOfPath(conversation: Conversation): Conversation {
  return keepSummaries(conversation, (summary) => placeOf(summary, conversation.turns) > 0);
}

function keepSummaries(
  conversation: Conversation,
  isKept: (summary: Summary) => boolean,
): Conversation {
  const { summaries, ...base } = conversation;
  const remaining = summaries?.filter(isKept) ?? [];
  if (remaining.length === (summaries?.length ?? 0)) return conversation;
  return remaining.length === 0 ? base : { ...base, summaries: remaining };
}

/**
 * The summaries to show between turns, keyed by the turn that precedes each. Summaries before the
 * used one are hidden.
 *
 * @param summaries of the path of the turns
 */
export function shownSummaries(summaries: readonly Summary[] = []): ReadonlyMap<string, Summary> {
  const inUse = summaries.findLastIndex(({ unused }) => unused !== true);
  const visible = summaries.slice(Math.max(0, inUse));
  return new Map(visible.map((summary) => [summary.upTo, summary]));
}
