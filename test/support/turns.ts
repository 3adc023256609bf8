import type { Turn, UserMessage } from '../../src/core/conversation/conversation.ts';
import type { TurnStart } from '../../src/core/conversation/events.ts';

/** A message without attachments. */
export function userMessage(text = 'Why?'): UserMessage {
  return { text, attachments: [] };
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
