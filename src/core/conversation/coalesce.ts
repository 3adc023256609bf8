import type { ConversationEvent } from './events.ts';

/**
 * Appends an event to those that wait, joining text that follows on text: a slow reader gets one
 * long delta instead of many short ones, and reducing them gives the same conversation.
 */
export function pushEvent(waiting: ConversationEvent[], event: ConversationEvent): void {
  const last = waiting.at(-1);
  const joins =
    (event.type === 'text-delta' || event.type === 'reasoning-delta') && last?.type === event.type;
  if (joins) waiting[waiting.length - 1] = { ...last, text: last.text + event.text };
  else waiting.push(event);
}
