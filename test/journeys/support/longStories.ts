import type { Script } from '../../../src/local/completionsEndpoint.ts';

/** Edit in the reply to "Be more precise." */
export const edit = {
  path: 'src/temperature.ts',
  edits: [{ search: '/ 5 + 32', replace: '/ 5 + 32.0' }],
};

const long = 'It rained, and it rained again, and then it went on raining. '.repeat(200);

/** Stories outlast the journey; other messages get a short reply. */
const script: Script = ({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === 'tool') return { content: 'It is more precise now.' };
  const message = String(last?.content);
  if (message.includes('story')) return { content: long };
  if (!message.includes('precise')) return { content: 'Yes, it is.' };
  return { content: '', toolCalls: [{ name: 'edit_file', arguments: JSON.stringify(edit) }] };
};

/** A service that writes stories. */
export const longStories = { service: { script, pace: 40 } };
