import type { Conversation, Turn, UserMessage } from '../../src/core/conversation/conversation.ts';
import type { ConversationEvent, TurnStart } from '../../src/core/conversation/events.ts';
import type { Chat } from '../../src/host/chat/chat.ts';

/** A message without attachments. */
export function userMessage(text = 'Why?'): UserMessage {
  return { text, attachments: [] };
}

/** Resolves with the conversation after the next event of this type. */
export function nextEvent(chat: Chat, type: ConversationEvent['type']): Promise<Conversation> {
  return new Promise((resolve) => {
    const listener = chat.onDidChange((change) => {
      if (change.type !== 'event' || change.event.type !== type) return;
      listener.dispose();
      resolve(chat.conversation);
    });
  });
}

/** The start of turn `t` with model `m`. */
export function turnStart(fields: Partial<TurnStart> = {}): TurnStart {
  const usual = { id: 't', question: userMessage(), model: 'm', json: false, at: 1 };
  return { type: 'turn-start', ...usual, ...fields };
}

/** A finished turn `t` of no duration. */
export function turnWith(fields: Partial<Turn> = {}): Turn {
  const times = { startedAt: 0, runningSince: 0, duration: 0 };
  const usual = { id: 't', question: userMessage(), model: 'm', parts: [] };
  return { ...usual, status: 'finished', ...times, ...fields };
}
