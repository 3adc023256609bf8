/**
 * Summaries of a conversation: each is a text that is sent in place of the turns up to one of them.
 * The turns stay, so that they can be read, and sent again.
 */
import type { Conversation, Summary, Turn } from './conversation.ts';

/** Maximum number of characters of a summary. */
export const maxSummary = 100_000;

/** The summary that is sent in place of turns, and how many of them it stands for. */
export interface SummaryPlace {
  readonly summary: Summary;
  /** At least one. */
  readonly turns: number;
}

/**
 * The summary that is sent with a message after these turns: the newest that is used, and stands for
 * the beginning of this path.
 */
export function summaryOf(
  summaries: readonly Summary[] | undefined,
  path: readonly Turn[],
): SummaryPlace | undefined {
  const summary = summaries?.findLast((one) => one.unused !== true && placeOf(one, path) > 0);
  return summary && { summary, turns: placeOf(summary, path) };
}

/** How many turns of a path a summary stands for; 0 if the path does not lead through its last. */
function placeOf({ upTo }: Summary, path: readonly Turn[]): number {
  return path.findLastIndex(({ id }) => id === upTo) + 1;
}

/** The conversation with another summary, or with this one in the place of the same. */
export function addSummary(conversation: Conversation, summary: Summary): Conversation {
  const others = (conversation.summaries ?? []).filter(({ id }) => id !== summary.id);
  return { ...conversation, summaries: [...others, summary] };
}

/** Lets a summary be sent, or the messages in its place. */
export function switchSummary(conversation: Conversation, id: string, used: boolean): Conversation {
  const { summaries = [] } = conversation;
  const index = summaries.findIndex((summary) => summary.id === id);
  const found = summaries[index];
  if (found === undefined || (found.unused !== true) === used) return conversation;
  const { unused, ...rest } = found;
  const next = unused === true ? rest : { ...rest, unused: true };
  return { ...conversation, summaries: summaries.with(index, next) };
}

/** Without the summaries that end with a turn: they lack what is about to be added to it. */
export function withoutSummariesOf(conversation: Conversation, turn: string): Conversation {
  return keepSummaries(conversation, ({ upTo }) => upTo !== turn);
}

/** With those summaries only that stand for the beginning of the chosen path. */
export function onlySummariesOfPath(conversation: Conversation): Conversation {
  return keepSummaries(conversation, (summary) => placeOf(summary, conversation.turns) > 0);
}

function keepSummaries(
  conversation: Conversation,
  isKept: (summary: Summary) => boolean,
): Conversation {
  const { summaries, ...rest } = conversation;
  const kept = summaries?.filter(isKept) ?? [];
  if (kept.length === (summaries?.length ?? 0)) return conversation;
  return kept.length === 0 ? rest : { ...rest, summaries: kept };
}

/**
 * The summaries to show between turns, by the turn that each follows. One that a later one stands
 * for as well is left out.
 * @param summaries of the path that the turns are of
 */
export function shownSummaries(summaries: readonly Summary[] = []): ReadonlyMap<string, Summary> {
  const inUse = summaries.findLastIndex(({ unused }) => unused !== true);
  const shown = summaries.slice(Math.max(0, inUse));
  return new Map(shown.map((summary) => [summary.upTo, summary]));
}
