import type { Script } from '../../src/local/completionsEndpoint.ts';

/** Text, or tool calls with their arguments. */
type Said = string | readonly (readonly [name: string, given: object])[];

/** A model that replies with these in each turn, one per request. */
export function modelSaying(...said: readonly Said[]): Script {
  return ({ messages }) => {
    const lastMessage = messages.findLastIndex(({ role }) => role === 'user');
    const round = messages.slice(lastMessage).filter(({ role }) => role === 'assistant').length;
    const now = said[Math.min(round, said.length - 1)] ?? '';
    if (typeof now === 'string') return { content: now };
    const toolCalls = now.map(([name, parameters]) => ({
      name,
      arguments: JSON.stringify(parameters),
    }));
    return { content: '', toolCalls };
  };
}

/** A model with a script per message; other messages get its default reply. */
export function modelAnswering(answers: Readonly<Record<string, readonly Said[]>>): Script {
  const scripts = new Map(
    Object.entries(answers).map(([question, said]) => [question, modelSaying(...said)]),
  );
  return (request) => {
    const message = request.messages.findLast(({ role }) => role === 'user');
    return scripts.get(message?.content ?? '')?.(request);
  };
}
