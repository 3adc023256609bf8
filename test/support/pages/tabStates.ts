import type { RequestOverview, ShownRequestPart } from '../../../src/protocol/requestMessages.ts';
import type { UsageCause, UsageOverview, UsageRow } from '../../../src/protocol/usageMessages.ts';
import type { PageState } from './pageState.ts';

const used: UsageRow = {
  key: '',
  prompt_tokens: 9000,
  cached_tokens: 2250,
  completion_tokens: 1000,
  reasoning_tokens: 400,
  total_tokens: 10_000,
  requests: 3,
  estimated: true,
  costs: [['$', 0.42]],
  unpriced: false,
};
export const usageRow = (key: string, more: Partial<UsageRow> = {}): UsageRow => ({
  ...used,
  key,
  ...more,
});
const rowOfCause = (cause: UsageCause, total_tokens: number, cost: number): UsageRow =>
  usageRow(cause, { cause, total_tokens, costs: [['$', cost]] });
const days = ['2026-01-25', '2026-01-26', '2026-01-27', '2026-01-28', '2026-01-29', '2026-01-30'];
const models = ['mistral/small', 'deepseek/chat', 'qwen/coder', 'openai/o', 'anthropic/c'];

export const usageOverview: UsageOverview = {
  range: '7days',
  language: 'en',
  currency: '$',
  isEmpty: false,
  isDemo: false,
  total: used,
  models,
  tiles: [
    { ...used, key: 'today', budget: { unit: 'tokens', limit: 20_000, remaining: 10_000 } },
    { ...used, key: 'month', budget: { unit: 'money', limit: 5, remaining: 0.1 } },
    { ...used, key: 'session' },
    { ...used, key: 'chat', total_tokens: 0, requests: 0 },
  ],
  bars: [...days, '2026-01-31'].map((key, index) => ({
    ...used,
    key,
    total_tokens: 10_000 + index * 1000,
    parts: [4000 + index * 1000, 2000, 1500, 1000, 500, 1000],
  })),
  tables: [
    {
      of: 'causes',
      rows: [
        rowOfCause('new', 2000, 0.1),
        rowOfCause('again', 3000, 0.15),
        rowOfCause('cached', 4000, 0.02),
        rowOfCause('reply', 700, 0.1),
        rowOfCause('reasoning', 300, 0.05),
      ],
      leftOut: 0,
    },
    {
      of: 'models',
      rows: [...models.map((key) => usageRow(key)), usageRow('a/unpriced', { unpriced: true })],
      leftOut: 0,
    },
    { of: 'workspaces', rows: [usageRow(''), usageRow('file:///home/me/weather')], leftOut: 0 },
    {
      of: 'chats',
      rows: [
        usageRow('one', { title: 'Why is the sum wrong?' }),
        usageRow('two', { isDeleted: true }),
      ],
      leftOut: 12,
    },
    { of: 'purposes', rows: [usageRow('chat'), usageRow('provider:a.b')], leftOut: 0 },
    { of: 'demo', rows: [usageRow('demo/guide')], leftOut: 0 },
  ],
};

const part = (more: Partial<ShownRequestPart>): ShownRequestPart => ({
  kind: 'message',
  name: '',
  tokens: 300,
  cached: 0,
  choiceKey: more.name ?? '',
  ...more,
});
const nextRequest: RequestOverview = {
  language: 'en',
  currency: '$',
  title: 'Why is the sum wrong?',
  model: 'mistral/small',
  tokens: 9000,
  contextWindow: 32_000,
  price: { input: 0.2, output: 0.6 },
  parts: [
    part({ kind: 'tool', name: 'read_file', tokens: 120, cached: 120 }),
    part({ kind: 'system', tokens: 900, cached: 900, choiceKey: undefined }),
    part({ kind: 'instructions', name: 'AGENTS.md', tokens: 400, choice: 'pinned' }),
    part({ kind: 'message', name: 'm1', beginning: 'Why is the sum wrong?' }),
    part({ kind: 'reply', name: 'r1', beginning: 'The loop begins at 1, so the first number' }),
    part({ kind: 'call', name: 'edit_file' }),
    part({ kind: 'result', name: 'edit_file', tokens: 2000 }),
    part({ kind: 'attachment', name: 'src/app.ts', removable: 'a' }),
    part({ kind: 'image', name: 'screen.png', tokens: 1500 }),
    part({
      kind: 'message',
      name: 'm2',
      beginning: 'An older message',
      tokens: 0,
      unsent: 'left-out',
      unsentTokens: 400,
      choice: 'left-out',
    }),
    part({ kind: 'summary', name: 's', tokens: 800 }),
    part({ kind: 'option', name: 'temperature', tokens: 0, choiceKey: undefined }),
  ],
  cache: { basis: 'known', tokens: 1020, reported: 1000, brokenAt: 2, lost: 400, lostCost: 0.001 },
  isPinnedTooLong: true,
  isWhole: false,
  json: '{\n  "model": "mistral/small",\n  "messages": []\n}',
  curl: 'curl https://api.example.com/v1/chat/completions -H "Authorization: Bearer $KEY"',
};

/** Every main state of the tabs with the usage and with the next request. */
export const tabStates: readonly PageState[] = [
  {
    name: 'usage',
    kind: 'usage',
    drawn: ['.usage-table', '.usage-bar'],
    messages: [{ type: 'state', state: usageOverview }],
  },
  {
    name: 'usage as a table',
    kind: 'usage',
    drawn: ['figure .usage-table'],
    messages: [{ type: 'state', state: usageOverview }],
    act: (person) => person.press('Show as Table'),
  },
  {
    name: 'no usage',
    kind: 'usage',
    drawn: ['.usage-empty'],
    messages: [{ type: 'state', state: { ...usageOverview, isEmpty: true } }],
  },
  {
    name: 'next request',
    kind: 'request',
    drawn: ['.request-bar', '.request-text'],
    messages: [{ type: 'state', state: nextRequest }],
    act: (person) => person.unfold(),
  },
  {
    name: 'next request, folded',
    kind: 'request',
    drawn: ['.request-bar'],
    messages: [{ type: 'state', state: nextRequest }],
  },
  {
    name: 'no request',
    kind: 'request',
    drawn: ['.request-reason'],
    messages: [{ type: 'state', state: { unavailable: 'Select a model first.' } }],
  },
];
