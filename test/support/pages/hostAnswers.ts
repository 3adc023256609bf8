import type { HostMessage, ViewMessage, ViewRequest } from '../../../src/protocol/messages.ts';

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
 * What the host says to the chat that asks for something. It fulfills every request but to fork, and has
 * one small image for all that are asked for.
 */
export function answersTo(message: ViewMessage): readonly HostMessage[] {
  switch (message.type) {
    case 'find': {
      const places = [{ turn: 'turn-1', part: 0, hits: 4 }];
      return [{ type: 'found', query: message.query, places, start: 1, complete: true }];
    }
    case 'find-restorable': {
      const files = { files: ['src/app.ts'], left: ['src/other.ts'] };
      return [{ type: 'restorable', turn: message.turn, ...files }];
    }
    case 'find-references': {
      const places = message.words.map(({ text }) =>
        text.includes('.ts') ? { path: text } : null,
      );
      return [{ type: 'references', number: message.number, places }];
    }
    case 'request': {
      const isRefused = message.request.type === 'fork';
      const refusal = isRefused ? 'A fork needs a place to be saved.' : undefined;
      return [...given(message.request), { type: 'settled', id: message.id, refusal }];
    }
    default:
      return [];
  }
}

function given(request: ViewRequest): readonly HostMessage[] {
  if (request.type === 'read-image') return [{ type: 'image', hash: request.hash, url: image }];
  if (request.type !== 'complete') return [];
  const { trigger, query } = request;
  const items = completions.filter(({ label }) => query === '' || label.startsWith(query));
  return [{ type: 'completions', trigger, query, items }];
}
