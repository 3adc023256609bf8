import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import {
  usageCall,
  type UsageOverview,
  type UsageRow,
  type UsageTable,
} from '../../../src/protocol/usageMessages.ts';
import { usageOverview, usageRow as row } from '../../support/pages/tabStates.ts';
import { openTab } from './bundle.ts';

const hostile = '<img src=x onerror=alert(1)>\u202e$(flame)';
const total = row('', { estimated: false });
const rows: Readonly<Partial<Record<UsageTable['of'], readonly UsageRow[]>>> = {
  models: [row('a'), row(hostile, { estimated: false, unpriced: true })],
  workspaces: ['', 'file:///home/me/my%20shop', 'file:///x/app', 'file:///y/app'].map((key) =>
    row(key),
  ),
  chats: [row('one', { title: hostile }), row('two', { isDeleted: true }), row('')],
  purposes: ['chat', 'provider:a.b', 'of a later version'].map((key) => row(key)),
};
const overview: UsageOverview = {
  ...usageOverview,
  total,
  models: ['a', hostile],
  tiles: usageOverview.tiles.map((tile) => ({ ...tile, estimated: false })),
  bars: ['2030-01-30', '2030-01-31'].map((key) => ({ ...total, key, parts: [7000, 2000, 1000] })),
  tables: usageOverview.tables.map((table) => ({ ...table, rows: rows[table.of] ?? table.rows })),
};

async function openPage(firstOverview = overview, state?: unknown) {
  const { window, api, posted, all, drawn, post } = await openTab('usage', state);
  const show = (report: UsageOverview): Promise<void> => post({ type: 'state', state: report });
  await show(firstOverview);
  return {
    window,
    api,
    all,
    show,
    calls: () =>
      z
        .array(z.object({ call: usageCall }))
        .parse(posted)
        .map(({ call }) => call),
    texts: (selector: string): readonly string[] =>
      all(selector).map(({ textContent }) => textContent.trim()),
    async click(name: string): Promise<void> {
      const buttons = all('button, input').filter(
        (button) => (button.closest('label') ?? button).textContent === name,
      );
      assert.equal(buttons.length, 1, name);
      buttons[0]?.click();
      await drawn();
    },
  };
}

describe('the usage page', () => {
  it('has a tile for each period, with the remaining budget', async () => {
    const page = await openPage();
    const tiles = page.texts('.usage-tile');
    assert.deepEqual(tiles, [
      'Today10k tokens$0.42 · 3 requests10k of 20k tokens left',
      'This Month10k tokens$0.42 · 3 requests$0.10 of $5.00 left',
      'This Session10k tokens$0.42 · 3 requestsReset Session',
      'This Chat0 tokens$0.42 · 0 requests',
    ]);
    const levels = page.all('.usage-tile .usage-level').map((level) => level.getAttribute('width'));
    assert.deepEqual(levels, ['50.00%', '2.00%']);
    assert.equal(page.all('.usage-share.low').length, 1);
  });

  it('has a table behind the chart with the same numbers', async () => {
    const page = await openPage();
    const table = 'figure table';
    assert.deepEqual(page.texts(`${table} thead th`), [
      'Time',
      'Total',
      'Cost',
      'a',
      hostile,
      'Other models',
    ]);
    assert.deepEqual(page.texts(`${table} tbody tr:first-child > *`), [
      'Wed, Jan 30, 2030',
      '10,000',
      '$0.42',
      '7,000',
      '2,000',
      '1,000',
    ]);
    assert.match(page.all('[role=img]')[0]?.getAttribute('aria-label') ?? '', /^Tokens by Day: /);
    assert.equal(page.all('.unseen table').length, 1);
    await page.click('Show as Table');
    assert.equal(page.all('.unseen table').length, 0);
    assert.equal(page.all('[role=img]').length, 0);
    await page.click('Show as Chart');
    assert.equal(page.all('[role=img]').length, 1);
  });

  it('announces another range, but not growing numbers', async () => {
    const page = await openPage();
    const said = (): readonly string[] => page.texts('[role=status]');
    assert.deepEqual(said(), ['']);
    await page.show({ ...overview, total: { ...total, total_tokens: 12_000 } });
    assert.deepEqual(said(), ['']);
    await page.show({ ...overview, range: '30days' });
    assert.deepEqual(said(), ['30 Days: 10k tokens · $0.42 · 3 requests']);
  });

  it('asks for the range of before, runs commands and opens chats', async () => {
    const page = await openPage(overview, { range: 'month' });
    await page.click('12 Months');
    assert.equal(JSON.stringify(page.api.state), '{"range":"12months"}');
    await page.click('Export…');
    await page.click(hostile);
    assert.deepEqual(page.calls(), [
      { name: 'ready', parameters: { range: 'month' } },
      { name: 'show', parameters: { range: '12months' } },
      { name: 'run', parameters: { command: 'exportUsage' } },
      { name: 'open-chat', parameters: { id: 'one' } },
    ]);
  });

  it('focuses the heading of a section whose button is removed', async () => {
    const page = await openPage();
    const { document } = page.window;
    document.hasFocus = () => true;
    const reset = page.all('.usage-tile button')[0];
    reset?.focus();
    assert.equal(document.activeElement, reset);
    const tiles = overview.tiles.map((tile) => ({ ...tile, total_tokens: 0 }));
    await page.show({ ...overview, tiles });
    assert.equal(document.activeElement.textContent, 'This Session');
  });

  it('has tables by model, workspace, chat and purpose, with the share from the cache', async () => {
    const page = await openPage();
    const names = (title: string): readonly string[] =>
      page.texts(`section[aria-label="${title}"] tbody th`);
    assert.deepEqual(names('Models'), ['a', hostile]);
    assert.deepEqual(names('Workspaces'), ['No workspace', 'my shop', '/x/app', '/y/app']);
    assert.deepEqual(names('Chats'), [hostile, 'Deleted chat', 'Outside of chats']);
    assert.deepEqual(names('Purposes'), ['Messages', 'Extension a.b', 'of a later version']);
    assert.deepEqual(page.texts('section[aria-label="By Cause"] tbody tr > *'), [
      ...['New text', '≈2,000', '20%', '$0.10'],
      ...['Text sent again without cache', '≈3,000', '30%', '$0.15'],
      ...['Cached text', '≈4,000', '40%', '$0.02'],
      ...['Replies', '≈700', '7%', '$0.10'],
      ...['Reasoning', '≈300', '3%', '$0.05'],
    ]);
    const cells = page.texts('section[aria-label="Models"] tbody tr:last-child td');
    assert.deepEqual(cells, ['10,000', '9,000', '25%', '1,000', '3', '≥$0.42']);
    assert.ok(
      page.texts('section[aria-label="Chats"] p').includes('12 more, included in the total'),
    );
    for (const table of page.all('table'))
      for (const cells of table.querySelectorAll('tbody tr, tfoot tr'))
        assert.equal(cells.children.length, table.querySelectorAll('thead th').length);
  });

  it('shows outside names as text that affects nothing around it', async () => {
    const page = await openPage();
    assert.equal(page.all('img').length, 0);
    for (const element of page.all('main *'))
      for (const child of element.childNodes)
        if (child.nodeType === 3 && child.textContent?.includes('\u202e') === true)
          assert.equal(element.tagName, 'BDI', element.outerHTML);
  });

  it("shows the demo's numbers if there are no others, and says that they are not billed", async () => {
    const none = { ...total, total_tokens: 0, requests: 0, costs: [] };
    const demo = { ...total, total_tokens: 7400, costs: [], unpriced: true };
    const page = await openPage({
      ...overview,
      isDemo: true,
      total: demo,
      tiles: [
        { ...none, key: 'today', demo },
        { ...total, key: 'month', demo },
      ],
    });
    assert.deepEqual(page.texts('.usage-tile'), [
      'Today7.4k tokensDemo, not billed · 3 requests',
      'This Month10k tokens$0.42 · 3 requests7.4k tokens · Demo, not billed · 3 requests',
    ]);
    assert.match(page.texts('.usage-caption')[0] ?? '', /7\.4k tokens · Demo, not billed/);
    for (const title of ['Models', 'Workspaces', 'Chats', 'Purposes'])
      assert.match(page.texts(`section[aria-label="${title}"]`)[0] ?? '', /Demo, not billed/);
    assert.ok(!page.texts('th').includes('Cost'));
  });
});
