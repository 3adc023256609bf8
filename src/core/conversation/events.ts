import type { OtherPaths, Turn } from './conversation.ts';
import type { Stored } from './conversationSchema.ts';
import type { storedEvent, turnEvent } from './eventSchema.ts';

/**
 * Everything that can happen to a conversation. The host creates the events, writes them to the
 * journal and posts them to the view; both sides apply them with `reduce`.
 */
export type ConversationEvent =
  | Exclude<StoredEvent, { type: 'chat-import' | 'turn-import' }>
  | ChatImport
  | TurnImport
  | RecordLoss;

/** Stored events; see `eventSchema.ts`. */
type StoredEvent = Stored<typeof storedEvent>;

interface ChatImport extends Omit<Extract<StoredEvent, { type: 'chat-import' }>, 'others'> {
  readonly others?: readonly OtherPaths[] | undefined;
}

interface TurnImport {
  readonly type: 'turn-import';
  readonly turn: Turn;
}

export type TurnEvent = Stored<typeof turnEvent>;

type EventOf<Type extends ConversationEvent['type']> = Extract<ConversationEvent, { type: Type }>;

export type TurnStart = EventOf<'turn-start'>;
export type ComparedTurnStart = EventOf<'compared-turn-start'>;
type ComparedTurnEvent = EventOf<'compared-turn-event'>;
export type ChatShorten = EventOf<'chat-shorten'>;
export type TurnEnd = EventOf<'turn-end'>;

/** A record of the newest turn could not be read. Never stored: each reading detects it again. */
interface RecordLoss {
  readonly type: 'record-loss';
}

type TextEvent = EventOf<'text-delta' | 'reasoning-delta' | 'tool-call-output'>;

/** The inner event of a compared turn; other events unchanged. */
export function withoutTurn(
  event: ConversationEvent,
): Exclude<ConversationEvent, ComparedTurnEvent> {
  return event.type === 'compared-turn-event' ? event.event : event;
}

/** True if an event appends to a streaming text. Such events may occur many times a second. */
export function isTextEvent(event: ConversationEvent): boolean {
  return textOf(event) !== undefined;
}

function textOf(event: ConversationEvent): TextEvent | undefined {
  const plain = withoutTurn(event);
  const { type } = plain;
  return type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-call-output'
    ? plain
    : undefined;
}

/**
 * Appends an event to a queue, merging consecutive deltas of the same text: a slow reader gets one
 * long delta instead of many short ones. Reducing them gives the same conversation.
 */
export function pushEvent(waiting: ConversationEvent[], event: ConversationEvent): void {
  const index = indexOfSameText(waiting, event);
  const before = waiting[index];
  const text = textOf(event)?.text;
  if (before === undefined || text === undefined) waiting.push(event);
  else waiting[index] = withText(before, text);
}

/**
 * Index of the event that a delta can be merged with; -1 if there is none. Deltas of other turns,
 * which run side by side, may be in between.
 */
function indexOfSameText(waiting: readonly ConversationEvent[], event: ConversationEvent): number {
  const text = textOf(event);
  if (text === undefined) return -1;
  const index = waiting.findLastIndex(
    (other) => !isTextEvent(other) || turnOf(other) === turnOf(event),
  );
  const previous = waiting[index];
  const before = previous && textOf(previous);
  return before !== undefined && isSameText(before, text) ? index : -1;
}

function turnOf(event: ConversationEvent): string {
  return event.type === 'compared-turn-event' ? event.turn : '';
}

function withText(event: ConversationEvent, end: string): ConversationEvent {
  if (event.type === 'compared-turn-event') return { ...event, event: grown(event.event, end) };
  return grown(event, end);
}

function grown<T extends ConversationEvent>(event: T, end: string): T {
  return 'text' in event ? { ...event, text: event.text + end } : event;
}

function isSameText(earlier: TextEvent, later: TextEvent): boolean {
  if (earlier.type === 'tool-call-output' || later.type === 'tool-call-output')
    return (
      earlier.type === later.type && 'id' in earlier && 'id' in later && earlier.id === later.id
    );
  return earlier.type === later.type;
}
