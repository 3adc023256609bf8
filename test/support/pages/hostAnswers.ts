import type { HostMessage, ViewMessage } from '../../../src/protocol/messages.ts';
import type { Call, CallName, CallResults } from '../../../src/protocol/rpc.ts';

/** A teal rectangle of 96 by 64 pixels. */
const image =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAGAAAABAAQMAAADf+uBNAAAAA1BMVEUAgIBxQSaxAAAAEElEQVR42mNgGAWjYBSQCwADQAAB8oOzpwAAAABJRU5ErkJggg==';
const completions = [
  { id: '1', label: 'app.ts', detail: 'src', icon: 'file' },
  { id: '2', label: 'a-very-long-name-of-a-file.test.ts', detail: 'test/unit', icon: 'file' },
  { id: '3', label: 'Problems', icon: 'warning' },
  { id: '4', label: 'Choose File…', icon: 'folder-opened', isAction: true },
];

/**
 * The host's responses to a request. All requests except forks succeed, and every image is the same
 * small one.
 */
export function answersTo(message: ViewMessage): readonly HostMessage[] {
  if (message.type !== 'call') return [];
  const { id, call } = message;
  if (call.name === 'fork')
    return [{ type: 'answer', id, error: 'A fork needs a place to be saved.' }];
  return [{ type: 'answer', id, value: resultOf(call) }];
}

function resultOf({ name, parameters }: Call): CallResults[CallName] {
  switch (name) {
    case 'find':
      return { places: [{ turn: 'turn-1', part: 0, hits: 4 }], start: 1, complete: true };
    case 'changed-lines': {
      const lines = [
        { sign: '-', number: 12, text: "  return celsius > 25 ? 'hot' : 'cold';" },
        { sign: '+', number: 12, text: "  return celsius > 25 ? 'warm' : 'cold';" },
      ] as const;
      return [{ path: 'src/app.ts', change: { lines, more: 0 } }];
    }
    case 'find-restorable':
      return { files: ['src/app.ts'], left: ['src/other.ts'] };
    case 'reply-cost':
      return {
        currency: '$',
        language: 'en',
        requests: 3,
        tokens: 41_250,
        estimated: true,
        cost: 0.042,
        isPartial: false,
        billed: 0.05,
        differs: true,
        rows: [
          { cause: 'new', tokens: 1200, cost: 0.006 },
          { cause: 'again', tokens: 20_000, cost: 0.02 },
          { cause: 'cached', tokens: 19_000, cost: 0.002 },
          { cause: 'reply', tokens: 1050, cost: 0.014 },
        ],
        misses: ['instructions', 'old'],
      };
    case 'find-references':
      return parameters.words.map(({ text }) => (text.includes('.ts') ? { path: text } : null));
    case 'read-image':
      return image;
    case 'complete': {
      const { query } = parameters;
      const items = completions.filter(({ label }) => query === '' || label.startsWith(query));
      return { items, mayGrow: false };
    }
    default:
      return undefined;
  }
}
