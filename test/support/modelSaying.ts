import type { Script } from '../../src/local/completionsEndpoint.ts';

/** Text, or tool calls with their parameters. */
type ScriptedReply = string | readonly (readonly [name: string, parameters: object])[];

/** A model that gives these replies in each turn, one per request. */
export function modelSaying(...replies: readonly ScriptedReply[]): Script {
  return ({ messages }) => {
    const lastMessage = messages.findLastIndex(({ role }) => role === 'user');
    const round = messages.slice(lastMessage).filter(({ role }) => role === 'assistant').length;
    const reply = replies[Math.min(round, replies.length - 1)] ?? '';
    if (typeof reply === 'string') return { content: reply };
    const toolCalls = reply.map(([name, parameters]) => ({
      name,
      arguments: JSON.stringify(parameters),
    }));
    return { content: '', toolCalls };
  };
}

/**
 * A model with replies by message, which may have instructions or attachments before it. For other
 * messages, the service's default reply is used.
 */
export function modelAnswering(
  answers: Readonly<Record<string, readonly ScriptedReply[]>>,
): Script {
  return (request) => {
    const sent = request.messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const isAsked = ([message]: readonly [string, unknown]): boolean =>
      sent === message || sent.endsWith(`\n\n${message}`);
    const [, replies] = Object.entries(answers).find(isAsked) ?? [];
    return replies && modelSaying(...replies)(request);
  };
}
