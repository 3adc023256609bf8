import type { Conversation, Part, Turn } from '../../../src/core/conversation/conversation.ts';
import { zeroUsage } from '../../../src/core/conversation/usage.ts';
import type { HostMessage, PanelState, Snapshot } from '../../../src/protocol/messages.ts';
import {
  begin,
  call,
  chat,
  edit,
  finished,
  readFiles,
  start,
  startedAt,
  withParts,
} from '../../unit/webview/tools.ts';

/** What a person does to come to a state. */
interface ScenePage {
  /** Presses a button. */
  press(name: string): Promise<void>;
  /** Types into the composer. */
  type(text: string): Promise<void>;
}

/** A state of the chat in which a person may be. */
export interface ChatScene {
  readonly snapshot: Partial<Snapshot>;
  /** What the host posts after it. */
  readonly then?: readonly HostMessage[];
  /** What the person does to come there. */
  readonly act?: (page: ScenePage) => Promise<void>;
}

/** Connected, with a model. */
export const ready: PanelState = {
  connection: { kind: 'service', host: 'api.example.com' },
  model: { id: 'mistralai/mistral-small', fromWorkspace: false, missing: false },
  settings: {},
  attachments: [],
  cost: { tokens: 100, perCharacter: 0.25, toolTokens: 1000, contextWindow: 32_000 },
  waiting: 0,
  queued: [],
};

const notConnected: PanelState = {
  ...ready,
  connection: { kind: 'none' },
  model: { id: '', fromWorkspace: false, missing: false },
  cost: { tokens: 0, perCharacter: 0.25 },
};

const usage = { ...zeroUsage, prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 };

/** What a reply may consist of. */
const markdown = `# Why it fails

The **first** cause is in \`src/app.ts\`, see [the guide](https://example.com/guide).

1. Read the *file*
2. Fix it
   - [x] now
   - [ ] later

\`\`\`ts src/app.ts
const sum = 1 + 2;
\`\`\`

\`\`\`sh
npm test
\`\`\`

| Name | Value |
| :-- | --: |
| one | 1 |
| two | 2 |

The energy is $E = mc^2$, and

$$\\frac{a}{b}$$

> Quoted.

<details>
<summary>More</summary>

Press <kbd>Ctrl</kbd>.
</details>
`;

const reply: Part = { type: 'text', text: markdown };
const short: Part = { type: 'text', text: 'Because of the rain.' };

const answered = withParts([short], { usage: { ...usage, requests: 1 } });

function running(parts: readonly Part[], change: Partial<Turn> = {}): Conversation {
  const open = { ...finished, endedAt: undefined, finishReason: undefined };
  const turn: Turn = { ...open, status: 'streaming', parts, ...change };
  return { ...chat(), running: turn };
}

const tools: readonly Part[] = [
  call({ icon: 'file', summary: readFiles.summary }),
  call({
    id: 'c2',
    name: 'run_command',
    title: 'Run npm test',
    status: 'failed',
    result: 'Exit 1',
  }),
  call({ id: 'c3', name: 'edit_file', title: 'Edit src/app.ts', status: 'denied', grant: 'x' }),
  call({ id: 'c4', name: 'edit_file', title: 'Edit src/b.ts', status: 'stopped' }),
];

const manyCalls = Array.from({ length: 6 }, (_, index) =>
  call({ id: `m${index}`, icon: 'file', summary: readFiles.summary, title: `Read ${index}.ts` }),
);

const chips: PanelState['attachments'] = [
  { id: 'a', name: 'app.ts', path: 'src/app.ts', icon: 'file', tokens: 120, state: 'attached' },
  { id: 'b', name: 'b.ts:3-9', path: 'src/b.ts', icon: 'file', tokens: 40, state: 'offered' },
  { id: 'c', name: 'c.ts', path: 'src/c.ts', icon: 'file', tokens: 40, state: 'unchanged' },
  { id: 'd', name: 'd.ts', path: 'src/d.ts', icon: 'file', tokens: 40, state: 'changed' },
  { id: 'e', name: 'e.ts', path: 'src/e.ts', icon: 'file', tokens: 40, state: 'left-out' },
  {
    ...{ id: 'p', name: 'Pasted text', path: '', icon: 'note', tokens: 900, state: 'attached' },
    isPasted: true,
  },
  {
    ...{ id: 'i', name: 'AGENTS.md', path: 'AGENTS.md', icon: 'book', tokens: 70 },
    ...{ state: 'attached', isInstructions: true },
  },
  {
    ...{ id: 'g', name: 'map.png', path: 'map.png', icon: 'file-media', tokens: 700 },
    ...{ state: 'attached', image: 'hash' },
  },
];

const sentWith = withParts([short], {
  question: {
    text: 'Why?',
    attachments: [
      { id: 'x', name: 'app.ts', path: 'src/app.ts', language: 'typescript', text: 'let a;' },
      {
        ...{ id: 'y', name: 'map.png', path: 'map.png', language: '', text: '', kind: 'image' },
        image: { type: 'image/png', width: 4, height: 4, size: 90, hash: 'hash' },
      },
    ],
  },
});

const changes = [
  ...[{ id: 'f1', path: 'src/app.ts', kind: 'edit', status: 'changed' } as const],
  ...[{ id: 'f2', path: 'src/new.ts', kind: 'create', status: 'kept' } as const],
  ...[{ id: 'f3', path: 'src/old.ts', kind: 'edit', status: 'undone' } as const],
].map((change) => ({ ...change, addedLines: 3, removedLines: 1 }));

const queued = [
  { id: 'q1', text: 'And then?' },
  { id: 'q2', text: 'And after that?' },
];

const recent = [
  { id: 'r1', title: 'Rain in July', at: startedAt },
  { id: 'r2', title: 'A failing test', at: startedAt - 86_400_000 },
];

const failed = withParts([], {
  status: 'failed',
  error: { kind: 'key', message: 'api.example.com refused the API key.', remedy: 'set-api-key' },
});

const compared = { ...finished, id: 'other', model: 'deepseek/chat', parts: [short] };

const edits = {
  turn: { attachments: chips.slice(0, 1), cost: { tokens: 100, perCharacter: 0.25 } },
};

const press =
  (name: string) =>
  (page: ScenePage): Promise<void> =>
    page.press(name);

/** All main states of the chat, by the names of their goldens. */
export const chatScenes: Readonly<Record<string, ChatScene>> = {
  'not connected': { snapshot: { state: notConnected } },
  'no model': { snapshot: { state: { ...ready, model: notConnected.model } } },
  demo: { snapshot: { state: { ...ready, connection: { kind: 'demo' } } } },
  'empty chat': { snapshot: { state: { ...ready, recent } } },
  attachments: {
    snapshot: {
      conversation: { ...chat(), options: { temperature: 0.2, json: true } },
      state: { ...ready, attachments: chips },
    },
  },
  'sent attachments': { snapshot: { conversation: sentWith, state: ready } },
  waiting: {
    snapshot: { conversation: running([], { status: 'waiting' }), state: { ...ready, waiting: 2 } },
  },
  running: {
    snapshot: {
      conversation: running([
        { type: 'reasoning', text: 'Rain, then.', startedAt, endedAt: startedAt + 2000 },
        short,
      ]),
    },
  },
  retrying: {
    snapshot: {
      conversation: running([], {
        status: 'retrying',
        retry: {
          ...{ attempt: 2, attempts: 4, resumeAt: startedAt + 65_000 },
          error: { kind: 'rate-limited', message: 'Too many requests.' },
        },
      }),
    },
  },
  reply: {
    snapshot: { conversation: withParts([reply], { usage: { ...usage, requests: 1 } }) },
  },
  'reply in json': {
    snapshot: { conversation: withParts([{ type: 'text', text: '{"a":1}' }], { json: true }) },
  },
  'tool calls': {
    snapshot: { conversation: withParts([...tools, short]) },
  },
  'many tool calls': { snapshot: { conversation: withParts([...manyCalls, short]) } },
  'running tool': {
    snapshot: {
      conversation: running(
        [
          call({ id: 'c1', name: 'run_command', title: 'Run npm test', status: 'running' }),
          call({ id: 'c2', status: 'waiting' }),
        ].map((part) => ({ ...part, result: undefined, endedAt: undefined, output: '1 passing' })),
        { status: 'calling' },
      ),
    },
  },
  approval: {
    snapshot: { conversation: chat() },
    then: [
      {
        type: 'events',
        events: [
          start,
          ...begin('c1', 'edit_file'),
          { type: 'tool-call-ask', id: 'c1', question: edit },
        ],
      },
    ],
  },
  'approval in a dialog': {
    snapshot: { conversation: chat() },
    then: [
      {
        type: 'events',
        events: [
          start,
          ...begin('c1', 'run_command'),
          {
            type: 'tool-call-ask',
            id: 'c1',
            question: { by: 'dialog', forChat: false, files: [] },
          },
        ],
      },
    ],
  },
  paused: {
    snapshot: {
      conversation: running([call()], { status: 'paused', pause: { reason: 'rounds' } }),
    },
  },
  error: { snapshot: { conversation: failed } },
  'cut reply': {
    snapshot: {
      conversation: withParts([short], {
        status: 'cut',
        error: { kind: 'network', message: 'Lost the connection.', remedy: 'try-again' },
      }),
    },
  },
  'refused request': {
    snapshot: { conversation: answered, state: { ...ready, notice: 'The chat cannot be saved.' } },
    act: press('Fork from Here'),
  },
  versions: {
    snapshot: {
      conversation: answered,
      versions: {
        turn: {
          message: { number: 1, count: 2, next: 'b' },
          reply: { number: 2, count: 3, previous: 'c', next: 'd' },
        },
      },
    },
  },
  'edited message': {
    snapshot: { conversation: answered, state: { ...ready, edits } },
    act: press('Edit Message'),
    then: [],
  },
  'changed files': {
    snapshot: {
      conversation: withParts([short], {
        changes,
        fileRestore: {
          ...{ id: 'r', turns: ['old'], files: ['src/a.ts'], left: ['src/b.ts'] },
          status: 'restored',
        },
      }),
    },
  },
  compare: {
    snapshot: {
      conversation: {
        ...chat({ ...finished, parts: [short], usage: { ...usage, requests: 1 } }),
        compared: [compared],
      },
    },
  },
  'running compare': {
    snapshot: {
      conversation: { ...running([short]), compared: [{ ...compared, usage: undefined }] },
    },
  },
  queue: { snapshot: { conversation: running([short]), state: { ...ready, queued } } },
  'edited in the queue': {
    snapshot: {
      conversation: running([short]),
      state: { ...ready, queued: queued.map((one) => ({ ...one, isEdited: one.id === 'q1' })) },
      draft: 'And then?',
    },
  },
  'over budget': {
    snapshot: {
      conversation: answered,
      state: {
        ...ready,
        cost: {
          ...{ tokens: 30_000, perCharacter: 0.25, contextWindow: 32_000, toolTokens: 1000 },
          budget: { of: 'chat', unit: 'tokens', limit: 20_000, left: 100, perToken: 1 },
        },
      },
    },
  },
  find: {
    snapshot: { conversation: answered },
    then: [{ type: 'show-match', turn: 'turn', query: 'rain' }],
  },
  options: { snapshot: { conversation: answered }, act: press('Options') },
  completions: {
    snapshot: { conversation: chat() },
    act: (page) => page.type('@ap'),
  },
  'no completions': {
    snapshot: { conversation: chat() },
    act: (page) => page.type('@no'),
  },
  summary: {
    snapshot: {
      conversation: {
        ...chat(
          { ...finished, id: 'first', parts: [short] },
          { ...finished, parts: [short], firstSent: 's' },
        ),
        summaries: [{ id: 's', text: 'It rained.', upTo: 'first', model: 'm', at: startedAt }],
      },
    },
  },
  'long chat': {
    snapshot: { conversation: answered, before: 40, after: 0 },
  },
  'open in another window': {
    snapshot: { conversation: answered, state: { ...ready, heldBy: 'weather' } },
  },
};
