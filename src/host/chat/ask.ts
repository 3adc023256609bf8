import * as z from 'zod/mini';
import {
  textOf,
  type ToolCallPart,
  type ToolOutcome,
  type Turn,
} from '../../core/conversation/conversation.ts';
import { noUsage, type Usage } from '../../core/conversation/usage.ts';
import type { Chat } from './chat.ts';

/** What `aside.ask` resolves with. */
export interface AskResult {
  readonly text: string;
  /** A value of the service, or `stopped`, or `cut`. */
  readonly finishReason: string;
  readonly model: string;
  readonly usage: Pick<Usage, 'prompt_tokens' | 'completion_tokens' | 'total_tokens' | 'estimated'>;
  readonly toolCalls: readonly AskedCall[];
}

interface AskedCall extends Pick<ToolCallPart, 'name' | 'arguments'> {
  readonly outcome: ToolOutcome;
}

/** The options of `aside.ask`: from another extension or a keybinding, so checked. */
export const askOptions = z.optional(
  z.object({
    newChat: z.optional(z.boolean()),
    model: z.optional(z.string().check(z.minLength(1))),
  }),
);

export interface Ask {
  readonly prompt: string;
  readonly model: string;
  readonly newChat: boolean;
}

/**
 * Asks in the open chat, after what runs there. Rejects with the words that the panel shows, only
 * when nothing of an answer was received.
 */
export async function askInChat(chat: Chat, { prompt, model, newChat }: Ask): Promise<AskResult> {
  const turn = await chat.ask({ text: prompt, attachments: [] }, model, newChat);
  const result = resultOf(turn);
  if (turn.status === 'failed' && result.text === '' && result.toolCalls.length === 0) {
    throw new Error(turn.error?.message ?? 'The request failed.');
  }
  return result;
}

function resultOf(turn: Turn): AskResult {
  const { prompt_tokens, completion_tokens, total_tokens, estimated } = turn.usage ?? noUsage;
  return {
    text: textOf(turn),
    finishReason: finishReasonOf(turn),
    model: turn.model,
    usage: { prompt_tokens, completion_tokens, total_tokens, estimated },
    toolCalls: turn.parts
      .filter((part) => part.type === 'tool-call')
      .map((part) => ({ name: part.name, arguments: part.arguments, outcome: outcomeOf(part) })),
  };
}

/** Every call has ended when its turn has. */
function outcomeOf({ status }: ToolCallPart): ToolOutcome {
  return status === 'waiting' || status === 'asking' || status === 'running' ? 'stopped' : status;
}

function finishReasonOf(turn: Turn): string {
  if (turn.status === 'stopped' || turn.status === 'cut') return turn.status;
  return turn.finishReason ?? 'stop';
}
