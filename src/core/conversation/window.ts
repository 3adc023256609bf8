import type { Conversation, Turn } from './conversation.ts';
import type { ConversationEvent } from './events.ts';
import { reduce } from './reduce.ts';

/** A part of a conversation: neighbouring turns that ended, and how many lie around them. */
export interface ConversationWindow {
  /** With no more than these turns. The running turn is always in it, wherever the window is. */
  readonly conversation: Conversation;
  /** How many turns come before those of the window. */
  readonly before: number;
  /** How many turns that ended come after those of the window. */
  readonly after: number;
}

/** One of the two edges of a window. */
export type WindowSide = 'before' | 'after';

/** Turns next to an edge of a window. */
export interface AdjacentTurns {
  /** Oldest first. */
  readonly turns: readonly Turn[];
  /** How many more there are beyond them. */
  readonly left: number;
}

/** How much of a conversation is handled at once. */
export interface BatchLimit {
  readonly turns: number;
  /** Characters. */
  readonly length: number;
}

/** What is handed to the view at once: a few screens. */
export const viewBatchLimit: BatchLimit = { turns: 20, length: 60_000 };

/** The characters that a turn holds, as a measure of what it costs to keep. */
export function turnLength({ question: message, parts }: Turn): number {
  const attached = message.attachments.reduce((sum, { text }) => sum + text.length, 0);
  return parts.reduce(
    (sum, part) => sum + (part.type === 'tool-call' ? part.arguments : part.text).length,
    message.text.length + attached,
  );
}

/** How many turns from the front make up a portion: at least one, where there is one. */
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

/** The window around the turn with this id; where there is none, the newest turns. */
export function windowAround(conversation: Conversation, id?: string): ConversationWindow {
  const { turns } = conversation;
  const index = turns.findIndex((turn) => turn.id === id);
  const middle = index < 0 ? turns.length : index;
  const first = middle - countBack(turns, middle);
  const last =
    middle + countFitting(turns.slice(middle, middle + viewBatchLimit.turns), viewBatchLimit);
  return {
    conversation: { ...conversation, turns: turns.slice(first, last) },
    before: first,
    after: turns.length - last,
  };
}

/** Turns that ended next to the one with this id; undefined where there is no such turn. */
export function adjacentTurns(
  { turns, running }: Conversation,
  side: WindowSide,
  id: string,
): AdjacentTurns | undefined {
  const index = running?.id === id ? turns.length : turns.findIndex((turn) => turn.id === id);
  if (index < 0) return undefined;
  if (side === 'before') {
    const first = index - countBack(turns, index);
    return { turns: turns.slice(first, index), left: first };
  }
  const from = index + 1;
  const to = from + countFitting(turns.slice(from, from + viewBatchLimit.turns), viewBatchLimit);
  return { turns: turns.slice(from, to), left: turns.length - to };
}

/** How many turns in front of an index make up a portion. */
function countBack(turns: readonly Turn[], end: number): number {
  const nearest = turns.slice(Math.max(0, end - viewBatchLimit.turns), end);
  return countFitting(nearest.reverse(), viewBatchLimit);
}

/**
 * The window after the event, which `reduce` applies as it does to a whole conversation. Undefined
 * where that takes turns that the window does not have: then it must be made anew.
 */
export function reduceWindow(
  held: ConversationWindow,
  event: ConversationEvent,
): ConversationWindow | undefined {
  const { conversation, before, after } = held;
  if (event.type === 'turn-remove') return removeTurn(held, event);
  const hasNewest = after === 0 && (before === 0 || conversation.turns.length > 0);
  if (event.type === 'turn-continue' && !hasNewest) return undefined;
  if (after === 0) return { conversation: reduce(conversation, event), before, after };
  if (event.type === 'files-change') return { ...held, conversation: reduce(conversation, event) };
  // A turn that ends now comes after those that lie behind the window.
  const { turns, ...others } = reduce({ ...conversation, turns: [] }, event);
  return {
    conversation: { ...others, turns: conversation.turns },
    before,
    after: after + turns.length,
  };
}

function removeTurn(
  held: ConversationWindow,
  event: Extract<ConversationEvent, { type: 'turn-remove' }>,
): ConversationWindow | undefined {
  const conversation = reduce(held.conversation, event);
  const { before, after } = held;
  if (conversation === held.conversation) return before + after === 0 ? held : undefined;
  if (conversation.turns.length === 0 && before > 0) return undefined;
  const isRunning = conversation.turns.length === held.conversation.turns.length;
  return { conversation, before, after: isRunning ? after : 0 };
}
