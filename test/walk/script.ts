import type { Script } from '../../src/local/completionsEndpoint.ts';
import type { ScriptedReply } from '../../src/local/completionsEndpoint.ts';

/** Kinds of replies that the messages of a walk request. */
export const kinds = ['words', 'read', 'edit', 'cut', 'refused', 'broken'] as const;
export type MessageKind = (typeof kinds)[number];

/** A message that {@link script} understands. `number` makes it unique in the walk. */
export function messageOf(kind: MessageKind, number: number, words: number): string {
  const text = `walk ${number}: ${kind} ${words}`;
  const fault = faults[kind];
  return fault === undefined ? text : `${text}\n\n${fault}`;
}

/** Faults that the service triggers for a message. */
const faults: Partial<Record<MessageKind, string>> = {
  cut: '/fault socket 60',
  refused: '/fault 503 1',
  broken: '/fault error 60',
};

/** Model of a walk. Replies are plain words, so that the page shows them as they are stored. */
export const script: Script = ({ messages }) => {
  const lastMessage = messages.findLastIndex(({ role }) => role === 'user');
  const round = messages.slice(lastMessage).filter(({ role }) => role === 'assistant').length;
  const [, number = '', kind = '', words = ''] =
    /walk (\d+): (\w+) (\d+)/.exec(messages[lastMessage]?.content ?? '') ?? [];
  if (number === '') return undefined;
  if (round === 0 && kind === 'read') return calling('read_file', { path: 'src/temperature.ts' });
  if (round === 0 && kind === 'edit') {
    return calling('create_file', { path: `walk/${number}.txt`, content: `Number ${number}\n` });
  }
  return { content: wordsOf(number, Number(words)) };
};

function calling(name: string, parameters: object): ScriptedReply {
  return { content: '', toolCalls: [{ name, arguments: JSON.stringify(parameters) }] };
}

function wordsOf(number: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `word${number}x${index}`).join(' ');
}
