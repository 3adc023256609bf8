import { attachmentsOf, lastTurn, partText, type Conversation, type Turn } from './conversation.ts';
import { changesAnyTurn, type ConversationEvent } from './events.ts';
import { withoutOthers } from './paths.ts';
import { reduce } from './reduce.ts';
import { onlySummariesOfPath } from './summaries.ts';

/**
 * A part of a conversation: consecutive ended turns, and the numbers of ended turns before and
 * after.
 */
export interface ConversationWindow {
  /**
   * The conversation with only the turns of the window. Always includes the running turn, and never
   * other paths.
   */
  readonly conversation: Conversation;
  /** Number of turns before the window. */
  readonly before: number;
  /** Number of ended turns after the window. */
  readonly after: number;
}

export type WindowSide = 'before' | 'after';

export interface AdjacentTurns {
  /** Oldest first. */
  readonly turns: readonly Turn[];
  /** Number of further turns on that side. */
  readonly remaining: number;
}

/** The maximum size of a batch of turns. */
export interface BatchLimit {
  readonly turns: number;
  readonly length: number;
}

/** Size of a batch sent to the view: a few screens. */
export const viewBatchLimit: BatchLimit = { turns: 20, length: 60_000 };

/** The number of characters of a turn, which approximates its memory use. */
export function turnLength(turn: Turn): number {
  const texts = [...turn.parts.map(partText), ...attachmentsOf(turn).map(({ text }) => text)];
  return texts.reduce((sum, text) => sum + text.length, turn.question.text.length);
}

/** The number of leading turns that fit the limit: at least one if there are any. */
export function countFitting(turns: Iterable<Turn>, limit: BatchLimit): number {
  let count = 0;
  let length = 0;
  for (const turn of turns) {
    length += turnLength(turn);
    if (count === limit.turns || (count > 0 && length > limit.length)) return count;
    count++;
  }
  return count;
}

/** The window around the turn with this id; around the newest turns if there is none. */
export function windowAround(conversation: Conversation, id?: string): ConversationWindow {
  const { turns } = conversation;
  const index = turns.findIndex((turn) => turn.id === id);
  const middle = index < 0 ? turns.length : index;
  const first = middle - countBack(turns, middle);
  const last =
    middle + countFitting(turns.slice(middle, middle + viewBatchLimit.turns), viewBatchLimit);
  return {
    conversation: {
      ...withoutOthers(onlySummariesOfPath(conversation)),
      turns: turns.slice(first, last),
    },
    before: first,
    after: turns.length - last,
  };
}

/** A batch of ended turns adjacent to the turn with this id; undefined if there is no such turn. */
export function adjacentTurns(
  { turns, running }: Conversation,
  side: WindowSide,
  id: string,
): AdjacentTurns | undefined {
  const index = running?.id === id ? turns.length : turns.findIndex((turn) => turn.id === id);
  if (index < 0) return undefined;
  if (side === 'before') {
    const first = index - countBack(turns, index);
    return { turns: turns.slice(first, index), remaining: first };
  }
  const from = index + 1;
  const to = from + countFitting(turns.slice(from, from + viewBatchLimit.turns), viewBatchLimit);
  return { turns: turns.slice(from, to), remaining: turns.length - to };
}

/** The number of turns before an index that fit one batch. */
function countBack(turns: readonly Turn[], end: number): number {
  const nearest = turns.slice(Math.max(0, end - viewBatchLimit.turns), end);
  return countFitting(nearest.reverse(), viewBatchLimit);
}

/**
 * Applies an event to a window, as `reduce` does to a whole conversation. Undefined if that needs
 * turns outside the window: then a new window must be created.
 */
export function reduceWindow(
  current: ConversationWindow,
  event: ConversationEvent,
): ConversationWindow | undefined {
  const { conversation, before, after } = current;
  if (event.type === 'version-select') return undefined;
  if (event.type === 'turn-remove') {
    // Summaries depend on turns before the window.
    return conversation.summaries === undefined ? removeTurn(current, event) : undefined;
  }
  if (event.type === 'turn-start' && after === 0) {
    // The turn must follow the newest turn of the window.
    const newest = lastTurn(conversation)?.id ?? (before === 0 ? '' : undefined);
    if (newest !== undefined && (event.after ?? newest) !== newest) return undefined;
  }
  const hasNewest = after === 0 && (before === 0 || conversation.turns.length > 0);
  if (event.type === 'turn-continue' && !hasNewest) return undefined;
  // Other versions are outside the window, but a reply of version 1.0 may replace the newest one.
  if (event.type === 'compared-turn-start')
    return event.replaces === lastTurn(conversation)?.id ? undefined : current;
  if (after === 0) return { conversation: reduce(conversation, event), before, after };
  if (changesAnyTurn(event)) return { ...current, conversation: reduce(conversation, event) };
  // A turn that ends now follows those after the window.
  const { turns, ...reduced } = reduce({ ...conversation, turns: [] }, event);
  return {
    conversation: { ...reduced, turns: conversation.turns },
    before,
    after: after + turns.length,
  };
}

function removeTurn(
  current: ConversationWindow,
  event: Extract<ConversationEvent, { type: 'turn-remove' }>,
): ConversationWindow | undefined {
  const reduced = reduce(current.conversation, event);
  const { before, after } = current;
  if (reduced === current.conversation) return before + after === 0 ? current : undefined;
  const conversation = withoutOthers(reduced);
  if (conversation.turns.length === 0 && before > 0) return undefined;
  const isRunning = conversation.turns.length === current.conversation.turns.length;
  return { conversation, before, after: isRunning ? after : 0 };
}
