import type { Browser } from 'playwright-core';
import {
  requestViewMessage,
  type RequestHostMessage,
  type RequestOverview,
  type ShownRequestPart,
} from '../../../src/protocol/requestMessages.ts';
import type { UsageAmounts, UsageOverview, UsageRow } from '../../../src/protocol/usageMessages.ts';
import { BuiltPage } from './builtPage.ts';

const amounts: UsageAmounts = {
  ...{ prompt: 9000, cached: 2250, completion: 1000, reasoning: 400, total: 10_000 },
  ...{ requests: 3, estimated: true, costs: [{ currency: '$', amount: 0.42 }], unpriced: true },
};

const row = (key: string, more: Partial<UsageRow> = {}): UsageRow => ({ key, ...amounts, ...more });

const usage: UsageOverview = {
  ...{ range: '7days', language: 'en', currency: '$', isEmpty: false, total: amounts },
  tiles: [
    { of: 'today', ...amounts, budget: { unit: 'tokens', limit: 20_000, left: 10_000 } },
    { of: 'month', ...amounts, budget: { unit: 'money', limit: 5, left: 0.1 } },
    { of: 'session', ...amounts, costs: [] },
    { of: 'chat', ...amounts, total: 0, requests: 0 },
  ],
  models: ['mistralai/mistral-small', 'deepseek/chat'],
  bars: ['2026-01-01', '2026-01-02'].map((key) => ({ key, ...amounts, parts: [7000, 2000, 1000] })),
  tables: {
    models: [row('mistralai/mistral-small'), row('deepseek/chat')],
    workspaces: [row('file:///home/me/weather'), row('')],
    chats: [row('one', { title: 'Rain in July' }), row('two', { isDeleted: true }), row('')],
    purposes: [row('chat'), row('edit')],
  },
  leftOut: { models: 0, workspaces: 0, chats: 12, purposes: 0 },
  demo: [row('demo/small')],
};

/** Main states of the tab with the usage, by the names of their goldens. */
export const usageScenes: Readonly<Record<string, UsageOverview>> = {
  shown: usage,
  'without usage': { ...usage, isEmpty: true },
};

const sent = { tokens: 120, cached: 60 };
const parts: readonly ShownRequestPart[] = [
  { kind: 'tool', name: 'read_file', ...sent, choiceKey: 't1' },
  {
    kind: 'tool',
    name: 'edit_file',
    ...sent,
    choiceKey: 't2',
    unsent: 'left-out',
    choice: 'left-out',
  },
  { kind: 'system', name: '', ...sent },
  { kind: 'instructions', name: 'AGENTS.md', ...sent, choiceKey: 'i' },
  { kind: 'attachment', name: 'app.ts', ...sent, removable: 'a', choiceKey: 'a' },
  { kind: 'message', name: '', beginning: 'Why does it fail?', ...sent, choiceKey: 'm' },
  { kind: 'reply', name: '', beginning: 'Because of', ...sent, choiceKey: 'r', choice: 'pinned' },
  {
    ...{ kind: 'result', name: 'read_file', tokens: 0, cached: 0, choiceKey: 'c' },
    ...{ unsent: 'left-out', unsentTokens: 900, choice: 'left-out' },
  },
  { kind: 'option', name: 'temperature', tokens: 0, cached: 0 },
];

/** A request with parts that are left out and pinned. */
export const requestOverview: RequestOverview = {
  ...{ language: 'en', currency: '$', title: 'Rain in July', model: 'mistralai/mistral-small' },
  ...{ tokens: 720, contextWindow: 32_000, price: { input: 2, output: 6, cachedInput: 1 } },
  parts,
  cache: { basis: 'known', tokens: 360, reported: 400, brokenAt: 4, lost: 120, lostCost: 0.01 },
  ...{ isPinnedTooLong: true, json: '{"model":"m"}', curl: 'curl https://x', isWhole: false },
};

export async function openUsage(browser: Browser, report = usage): Promise<BuiltPage> {
  const page = await BuiltPage.open(browser, 'usage');
  await page.post({ type: 'usage', report });
  return page;
}

/** @param shown the request, or why there is none */
export async function openRequest(
  browser: Browser,
  shown: RequestOverview | string,
): Promise<BuiltPage> {
  const page = await BuiltPage.open(browser, 'request', answerRequestPage);
  const message: RequestHostMessage =
    typeof shown === 'string'
      ? { type: 'unavailable', reason: shown }
      : { type: 'request', request: shown };
  await page.post(message);
  return page;
}

function answerRequestPage(asked: unknown): readonly RequestHostMessage[] {
  const message = requestViewMessage.parse(asked);
  if (message.type === 'read')
    return [{ type: 'text', part: message.part, text: 'The beginning', isWhole: false }];
  if (message.type === 'show-all')
    return [{ type: 'text', part: message.part, text: 'The whole text', isWhole: true }];
  return [];
}
