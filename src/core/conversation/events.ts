import type { Conversation, OtherPaths, Turn } from './conversation.ts';
import type { Stored, storedEvent, turnEvent } from './conversationSchema.ts';

/**
 * Everything that can happen to a conversation. The host creates the events, writes them to the
 * journal and posts them to the view; both sides apply them with `reduce`.
 */
export type ConversationEvent =
  | Exclude<StoredEvent, { type: 'chat-import' | 'turn-import' }>
  | ChatImport
  | TurnImport
  | RecordLoss;

/** Stored events; see `conversationSchema.ts`. */
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
  const idOf = (of: TextEvent): string => ('id' in of ? of.id : '');
  if (
    last?.type === event.type &&
    isTextEvent(last) &&
    isTextEvent(event) &&
    idOf(last) === idOf(event)
  )
    waiting[waiting.length - 1] = { ...last, text: last.text + event.text };
  else waiting.push(event);
}

/**
 * The events of a journal that has a whole conversation, to write it anew. The ids stay. Without
 * the running turn, which isn't complete.
 *
 * Turns off the chosen path are only stored for imported chats, so a chat that has some counts as
 * imported afterwards.
 */
export function wholeEvents(conversation: Conversation): readonly ConversationEvent[] {
  const { options, turns, others, summaries = [], partChoices = {}, preset, title } = conversation;
  const { importedUsage, pinned, usage, demoUsage = {} } = conversation;
  const isImport = importedUsage !== undefined || others !== undefined;
  const events: (ConversationEvent | false)[] = [
    isImport && { type: 'chat-import', usage: importedUsage ?? {}, others },
    Object.keys(options).length > 0 && { type: 'options-change', options },
    preset !== undefined && { type: 'preset-change', preset },
    title !== undefined && { type: 'title-change', title },
    pinned === true && { type: 'pin-change', pinned },
    ...turns.map((turn) => ({ type: 'turn-import', turn }) as const),
    ...summaries.map((summary) => ({ type: 'chat-shorten', summary }) as const),
    ...Object.entries(partChoices).map(
      ([part, choice]) => ({ type: 'part-choice', parts: [part], choice }) as const,
    ),
    ...Object.entries(usage).map(
      ([model, used]) => ({ type: 'chat-usage', model, usage: used }) as const,
    ),
    ...Object.entries(demoUsage).map(
      ([model, used]) => ({ type: 'chat-usage', model, usage: used, demo: true }) as const,
    ),
  ];
  return events.filter((event) => event !== false);
}
