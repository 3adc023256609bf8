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
export type ChatShorten = EventOf<'chat-shorten'>;
export type TurnEnd = EventOf<'turn-end'>;

/** True for an event about any turn, which need not be the newest. */
export function changesAnyTurn({ type }: ConversationEvent): boolean {
  return type === 'files-change' || type === 'files-restore' || type === 'processes-change';
}

/** A record of the newest turn could not be read. Never stored: each reading detects it again. */
interface RecordLoss {
  readonly type: 'record-loss';
}

type TextEvent = EventOf<'text-delta' | 'reasoning-delta' | 'tool-call-output'>;

/** True if an event appends to a streaming text. Such events may occur many times a second. */
export function isTextEvent(event: ConversationEvent): event is TextEvent {
  const { type } = event;
  return type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-call-output';
}

/**
 * Appends an event to a queue, merging consecutive deltas of the same text: a slow reader gets one
 * long delta instead of many short ones. Reducing them gives the same conversation.
 */
export function pushEvent(waiting: ConversationEvent[], event: ConversationEvent): void {
  const last = waiting.at(-1);
  if (last !== undefined && isTextEvent(last) && isTextEvent(event) && isSameText(last, event))
    waiting[waiting.length - 1] = { ...last, text: last.text + event.text };
  else waiting.push(event);
}

function isSameText(earlier: TextEvent, later: TextEvent): boolean {
  if (earlier.type === 'tool-call-output' || later.type === 'tool-call-output')
    return (
      earlier.type === later.type && 'id' in earlier && 'id' in later && earlier.id === later.id
    );
  return earlier.type === later.type;
}
