/**
 * Traces stay on the host: the page shows nothing of them, and they are what a service signed. So the
 * view gets turns and events without.
 */
import type { Conversation, Part, Turn } from './conversation.ts';
import type { ConversationEvent } from './events.ts';

/** The turn without traces; the same object if it has none. */
export function turnWithoutTraces(turn: Turn): Turn {
  const { parts } = turn;
  const isTraced = parts.some((part) => part.type === 'tool-call' && part.trace !== undefined);
  const without = (part: Part): Part =>
    part.type === 'tool-call' ? { ...part, trace: undefined } : part;
  return isTraced ? { ...turn, parts: parts.map(without) } : turn;
}

/** A window of a conversation without traces. It contains no other paths. */
export function conversationWithoutTraces(conversation: Conversation): Conversation {
  const { turns, running } = conversation;
  return {
    ...conversation,
    turns: turns.map(turnWithoutTraces),
    running: running && turnWithoutTraces(running),
  };
}

export function eventWithoutTraces(event: ConversationEvent): ConversationEvent {
  switch (event.type) {
    case 'tool-call-start':
      return { ...event, call: { ...event.call, trace: undefined } };
    case 'tool-call-end':
      return { ...event, call: { ...event.call, trace: undefined } };
    case 'turn-import':
      return { ...event, turn: turnWithoutTraces(event.turn) };
    default:
      return event;
  }
}
