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

/** A model with replies by message. For other messages, the service's default reply is used. */
export function modelAnswering(
  answers: Readonly<Record<string, readonly ScriptedReply[]>>,
): Script {
  const scripts = new Map(
    Object.entries(answers).map(([question, replies]) => [question, modelSaying(...replies)]),
  );
  return (request) => {
    const message = request.messages.findLast(({ role }) => role === 'user');
    return scripts.get(message?.content ?? '')?.(request);
  };
}
