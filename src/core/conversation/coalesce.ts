import type { ConversationEvent } from './events.ts';

type TextEvent = Extract<
  ConversationEvent,
  { type: 'text-delta' | 'reasoning-delta' | 'tool-call-output' }
>;

/** Whether an event brings more of a text that goes on, and may come many times a second. */
export function isText(event: ConversationEvent): event is TextEvent {
  const { type } = event;
  return type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-call-output';
}

/**
 * Appends an event to those that wait, joining text that follows on text: a slow reader gets one
 * long delta instead of many short ones, and reducing them gives the same conversation.
 */
export function pushEvent(waiting: ConversationEvent[], event: ConversationEvent): void {
  const last = waiting.at(-1);
  if (isText(event) && last !== undefined && isText(last) && isSameText(last, event))
    waiting[waiting.length - 1] = { ...last, text: last.text + event.text };
  else waiting.push(event);
}

function isSameText(one: TextEvent, other: TextEvent): boolean {
  if (one.type === 'tool-call-output' || other.type === 'tool-call-output')
    return one.type === other.type && 'id' in one && 'id' in other && one.id === other.id;
  return one.type === other.type;
}
