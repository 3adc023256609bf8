import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { FrameLocator, Locator } from 'playwright-core';
import { localDay, writeUsageRecord } from '../../src/host/usage/usageRecord.ts';
import { choosePath } from './support/choosePath.ts';
import { connect } from './support/connect.ts';
import { journey, type Journey } from './support/journey.ts';
import { usageItem } from './support/journeyWindow.ts';
import { storageOf } from './support/storage.ts';
import { takeSmallPicture } from './support/smallPicture.ts';
import { withWindowSize } from './support/withWindowSize.ts';

const price = { 'mistral/mistral-small': { price: { input: 0.2, output: 0.6 } } };
const settings = {
  'aside.models': price,
  'aside.budget': { day: 400_000, chat: 150_000 },
};
const day = 24 * 3_600_000;

describe('journey: usage', () => {
  journey('nothing yet, then a month', { freshWindow: true, settings }, async (walk) => {
    const { workbench, panel, picture } = walk;
    const tab = workbench.webview('aside-chat.aside', 'editor');
    await seeNothing(walk, tab);
    await connect(walk);
    await panel.ask('Explain how the temperature is converted.');
    await panel.settled();
    await seeCostOfReply(walk);
    await tab.getByRole('heading', { name: 'Tokens by Day' }).waitFor();
    await writeSampleUsage(walk);
    await workbench.command('View: Close All Editors');
    await workbench.statusItem(usageItem).click();
    await tab.getByText('anthropic/claude-sonnet').first().waitFor();
    await seeInNarrowWindow(walk);
    await seeMonth(walk, tab);
    await picture('3-days');
    await tab.getByRole('heading', { name: 'Purposes' }).scrollIntoViewIfNeeded();
    await picture('4-tables');
    await seeTable(walk, tab);
    await exportCsv(walk, tab);
    await deleteMonths(walk, tab);
    await openChat(walk, tab);
  });
});

async function seeNothing({ workbench, picture }: Journey, tab: FrameLocator): Promise<void> {
  await workbench.command('Aside: Show Token Usage');
  await tab.getByRole('heading', { name: 'No usage yet' }).waitFor();
  await picture('1-nothing');
}

async function seeCostOfReply({ panel, picture }: Journey): Promise<void> {
  await panel.frame.getByRole('button', { name: 'More Actions…' }).last().click();
  await panel.frame.getByRole('menuitem', { name: 'Show Cost of This Reply' }).click();
  const cost = panel.frame.getByRole('group', { name: 'Cost of This Reply' });
  await cost.getByRole('row', { name: /^New text [\d,]+ \$/ }).waitFor();
  await cost.getByRole('row', { name: /^Replies [\d,]+ \$/ }).waitFor();
  await picture('cost-of-a-reply');
  await cost.getByRole('button', { name: 'Close' }).click();
  await cost.waitFor({ state: 'detached' });
}

async function seeInNarrowWindow({ workbench: { page }, picture }: Journey): Promise<void> {
  await withWindowSize(page, [620, 900], async () => {
    await picture('narrow');
    await takeSmallPicture(page.locator('.editor-group-container').first(), 'cost');
  });
}

async function seeMonth({ picture }: Journey, tab: FrameLocator): Promise<void> {
  for (const name of ['Today', 'This Month', 'This Session', 'This Chat'])
    await tab.getByRole('region', { name, exact: true }).waitFor();
  await tab.getByRole('table', { name: 'Tokens by Day' }).waitFor({ state: 'attached' });
  await tab.getByText('12 Months').click();
  await tab.getByRole('heading', { name: 'Tokens by Month' }).waitFor();
  await picture('2-months');
  await tab.getByText('30 Days').click();
  await tab.getByRole('heading', { name: 'Tokens by Day' }).waitFor();
  assert.equal(await tab.locator('.usage-slot').count(), 30);
  assert.equal(await rowOf(tab, 'Models', '=SUM(A1)/formula').count(), 1);
  assert.equal(await rowOf(tab, 'Demo', 'demo/guide').count(), 1);
  assert.equal(await rowOf(tab, 'By Cause', 'Cached text').count(), 1);
}

function rowOf(tab: FrameLocator, section: string, name: string): Locator {
  return tab.locator(`section[aria-label="${section}"] tbody tr`, { hasText: name });
}

async function seeTable({ picture }: Journey, tab: FrameLocator): Promise<void> {
  await tab.getByRole('button', { name: 'Show as Table' }).click();
  await picture('5-as-table');
  await tab.getByRole('button', { name: 'Show as Chart' }).click();
}

async function exportCsv(walk: Journey, tab: FrameLocator): Promise<void> {
  const { workbench, workspace } = walk;
  await tab.getByRole('button', { name: 'Export…' }).click();
  await workbench.quickInput.getByText('Export Token Usage').waitFor();
  const file = join(workspace, 'usage.csv');
  await choosePath(walk, file);
  await workbench.toast('The token usage was exported').waitFor();
  const text = await readFile(file, 'utf8');
  assert.ok(text.includes(",'=SUM(A1)/formula,"));
  assert.ok(!text.includes(',=SUM'));
}

async function deleteMonths(walk: Journey, tab: FrameLocator): Promise<void> {
  const { workbench, picture } = walk;
  const before = await usageFiles(walk);
  await tab.getByRole('button', { name: 'Delete Token Usage Before…' }).click();
  await workbench.rows.last().waitFor();
  await picture('6-delete');
  await workbench.rows.last().click();
  const dialog = workbench.page.locator('.monaco-dialog-box');
  await dialog.waitFor();
  // The dialog ignores keys that are pressed right after it opens.
  await setTimeout(700);
  await picture('7-confirm');
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await workbench.toast('was deleted').waitFor();
  const after = await usageFiles(walk);
  assert.deepEqual(after, before.slice(1));
}

async function openChat({ panel }: Journey, tab: FrameLocator): Promise<void> {
  const name = 'Explain how the temperature is converted.';
  await tab.getByRole('button', { name }).click();
  await panel.messages.filter({ hasText: name }).waitFor();
}

async function usageFiles(walk: Journey): Promise<readonly string[]> {
  const names = await storageOf(walk).names('usage');
  return names.filter((name) => name.endsWith('.jsonl')).toSorted();
}

/** Writes a month of invented usage, and a little for each month before it. */
async function writeSampleUsage(walk: Journey): Promise<void> {
  const now = Date.now();
  const lines = new Map<string, string>();
  const add = (at: number, line: string): void => {
    const name = `${localDay(at).slice(0, 7)}.jsonl`;
    lines.set(name, `${lines.get(name) ?? ''}${line}\n`);
  };
  for (let ago = 1; ago < 320; ago += ago < 30 ? 1 : 9)
    for (const [index, request] of requestsOf(ago).entries())
      add(now - ago * day, sampleRecord(`${ago} ${index}`, now - ago * day, request));
  const storage = storageOf(walk);
  await storage.folder('usage').prepare();
  for (const [name, text] of lines) await storage.append(`usage/${name}`, text);
}

type SampleRequest = Pick<Parameters<typeof writeUsageRecord>[0], 'model' | 'chat' | 'purpose'> & {
  readonly tokens: number;
  readonly workspace: string;
};

/** Weekends are quiet, and one day has much more usage than the others. */
function requestsOf(ago: number): readonly SampleRequest[] {
  const isWeekend = new Date(Date.now() - ago * day).getDay() % 6 === 0;
  const busy = (isWeekend ? 0.15 : 1) * (ago === 12 ? 2.4 : 1) * (0.7 + ((ago * 7) % 10) / 15);
  const at = (
    model: string,
    chat: string,
    purpose: string,
    tokens: number,
    workspace = 'weather',
  ) => {
    return {
      model,
      chat,
      purpose,
      tokens: Math.round(tokens * busy),
      workspace: `file:///home/me/${workspace}`,
    };
  };
  return [
    at('mistral/mistral-small', `chat-${ago % 5}`, 'chat', 42_000),
    at('mistral/mistral-small', `chat-${ago % 5}`, 'tools', 88_000),
    at(
      'anthropic/claude-sonnet',
      `chat-${ago % 3}`,
      'chat',
      ago % 3 === 0 ? 64_000 : 9000,
      'shop%20backend',
    ),
    at('openai/gpt-mini', '', 'commit', 4000),
    at('deepseek/deepseek-reasoner', 'chat-9', 'compare', ago % 4 === 0 ? 31_000 : 0),
    at('qwen/qwen-coder', '', 'fix', ago % 5 === 0 ? 22_000 : 0),
    at('=SUM(A1)/formula', '', 'provider:other.extension', ago % 6 === 0 ? 12_000 : 0),
    at('demo/guide', 'chat-1', 'chat', ago === 29 ? 900 : 0),
  ].filter(({ tokens }) => tokens > 0);
}

function sampleRecord(id: string, at: number, { tokens, ...request }: SampleRequest): string {
  const completion = Math.round(tokens * 0.12);
  return writeUsageRecord({
    id,
    state: 'used',
    at,
    day: localDay(at),
    service: 'https://api.example.com',
    ...request,
    usage: {
      prompt_tokens: tokens - completion,
      cached_tokens: request.purpose === 'tools' ? Math.round(tokens * 0.6) : 0,
      completion_tokens: completion,
      total_tokens: tokens,
      requests: request.purpose === 'tools' ? 6 : 2,
      estimated: request.model.startsWith('qwen'),
    },
    price: { input: 0.4, output: 2, cachedInput: 0.1, currency: '$' },
    demo: request.model.startsWith('demo/'),
    reserve: { prompt: 0, reply: 0 },
    duration: 4200,
    outcome: 'finished',
  });
}
