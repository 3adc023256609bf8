import assert from 'node:assert/strict';
import { build } from 'esbuild';
import { JSDOM, type DOMWindow } from 'jsdom';
import {
  usageCall,
  type UsageAmounts,
  type UsageOverview,
  type UsageRow,
} from '../../../src/protocol/usageMessages.ts';

const amounts: UsageAmounts = {
  prompt: 9000,
  cached: 2250,
  completion: 1000,
  reasoning: 400,
  total: 10_000,
  requests: 3,
  estimated: false,
  costs: [{ currency: '$', amount: 0.42 }],
  unpriced: false,
};
const row = (key: string, more: Partial<UsageRow> = {}): UsageRow => ({ key, ...amounts, ...more });
const hostile = '<img src=x onerror=alert(1)>\u202e$(flame)';

const overview: UsageOverview = {
  range: '7days',
  language: 'en',
  currency: '$',
  isEmpty: false,
  total: amounts,
  isDemo: false,
  tiles: [
    { of: 'today', ...amounts, budget: { unit: 'tokens', limit: 20_000, remaining: 10_000 } },
    { of: 'month', ...amounts, budget: { unit: 'money', limit: 5, remaining: 0.1 } },
    { of: 'session', ...amounts, costs: [] },
    { of: 'chat', ...amounts, total: 0, requests: 0 },
  ],
  models: ['a', hostile],
  bars: ['2030-01-30', '2030-01-31'].map((key) => ({ key, ...amounts, parts: [7000, 2000, 1000] })),
  causes: [
    { cause: 'new', tokens: 4000, costs: [{ currency: '$', amount: 0.4 }] },
    { cause: 'cached', tokens: 6000, costs: [{ currency: '$', amount: 0.02 }] },
    { cause: 'retries', tokens: 0, costs: [] },
  ],
  tables: {
    models: [row('a'), row(hostile, { unpriced: true })],
    workspaces: [
      row(''),
      row('file:///home/me/my%20shop'),
      row('file:///x/app'),
      row('file:///y/app'),
    ],
    chats: [row('one', { title: hostile }), row('two', { isDeleted: true }), row('')],
    purposes: [row('chat'), row('provider:a.b'), row('of a later version')],
  },
  leftOut: { models: 0, workspaces: 0, chats: 12, purposes: 0 },
  demo: [],
};

let script: Promise<string> | undefined;

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [new URL('../../../src/webview/tabs.ts', import.meta.url).pathname],
    bundle: true,
    write: false,
    format: 'iife',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  return outputFiles[0]?.text ?? '';
}

/** The usage page as it is built for VS Code, with the test as its host. */
class UsageTestPage {
  readonly posted: ReturnType<typeof usageCall.parse>[] = [];
  readonly window: DOMWindow;
  state: unknown;

  private constructor(state: unknown) {
    this.state = state;
    const html = '<!doctype html><html><body><div id="root" data-page="usage"></div></body></html>';
    this.window = new JSDOM(html, { runScripts: 'outside-only', pretendToBeVisual: true }).window;
    const api = {
      postMessage: ({ call }: { call: unknown }) => this.posted.push(usageCall.parse(call)),
      getState: () => this.state,
      setState: (state: unknown) => (this.state = state),
    };
    Object.assign(this.window, { acquireVsCodeApi: () => api });
  }

  static async open(
    firstOverview: UsageOverview = overview,
    state?: unknown,
  ): Promise<UsageTestPage> {
    script ??= bundle();
    const page = new UsageTestPage(state);
    page.window.eval(await script);
    await page.show(firstOverview);
    return page;
  }

  async show(report: UsageOverview): Promise<void> {
    const data = { type: 'state', state: report };
    this.window.dispatchEvent(new this.window.MessageEvent('message', { data }));
    await this.drawn();
  }

  async drawn(): Promise<void> {
    for (let frame = 0; frame < 3; frame++)
      await new Promise((resolve) => this.window.requestAnimationFrame(resolve));
  }

  all(selector: string): readonly HTMLElement[] {
    return [...this.window.document.querySelectorAll<HTMLElement>(selector)];
  }

  texts(selector: string): readonly string[] {
    return this.all(selector).map(({ textContent }) => textContent.trim());
  }

  async click(name: string): Promise<void> {
    const [button, ...others] = this.all('button').filter(
      (candidate) => candidate.textContent === name,
    );
    assert.ok(button && others.length === 0, name);
    button.click();
    await this.drawn();
  }
}

describe('the usage page', () => {
  it('has a tile for each period, with the remaining budget', async () => {
    const page = await UsageTestPage.open();
    const tiles = page.all('.usage-tile').map((tile) => tile.textContent);
    assert.deepEqual(tiles, [
      'Today10k tokens$0.42 · 3 requests10k of 20k tokens left',
      'This Month10k tokens$0.42 · 3 requests$0.10 of $5.00 left',
      'This Session10k tokens3 requestsReset Session',
      'This Chat0 tokens$0.42 · 0 requests',
    ]);
    const levels = page.all('.usage-tile .usage-level').map((level) => level.getAttribute('width'));
    assert.deepEqual(levels, ['50.00%', '2.00%']);
    assert.equal(page.all('.usage-share.low').length, 1);
  });

  it('has a table behind the chart with the same numbers', async () => {
    const page = await UsageTestPage.open();
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
    const page = await UsageTestPage.open();
    const said = (): readonly string[] => page.texts('[role=status]');
    assert.deepEqual(said(), ['']);
    await page.show({ ...overview, total: { ...amounts, total: 12_000 } });
    assert.deepEqual(said(), ['']);
    await page.show({ ...overview, range: '30days' });
    assert.deepEqual(said(), ['30 Days: 10k tokens · $0.42 · 3 requests']);
  });

  it('focuses the heading of a section whose button is removed', async () => {
    const page = await UsageTestPage.open();
    const { document } = page.window;
    document.hasFocus = () => true;
    const reset = page.all('.usage-tile button')[0];
    reset?.focus();
    assert.equal(document.activeElement, reset);
    const tiles = overview.tiles.map((tile) => ({ ...tile, total: 0 }));
    await page.show({ ...overview, tiles });
    assert.equal(document.activeElement.textContent, 'This Session');
  });

  it('has tables by model, workspace, chat and purpose, with the share from the cache', async () => {
    const page = await UsageTestPage.open();
    const names = (title: string): readonly string[] =>
      page.texts(`section[aria-label="${title}"] tbody th`);
    assert.deepEqual(names('Models'), ['a', hostile]);
    assert.deepEqual(names('Workspaces'), ['No workspace', 'my shop', '/x/app', '/y/app']);
    assert.deepEqual(names('Chats'), [hostile, 'Deleted chat', 'Outside of chats']);
    assert.deepEqual(names('Purposes'), ['Messages', 'Extension a.b', 'of a later version']);
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
    const page = await UsageTestPage.open();
    assert.equal(page.all('img').length, 0);
    for (const element of page.all('main *'))
      for (const child of element.childNodes)
        if (child.nodeType === 3 && child.textContent?.includes('\u202e') === true)
          assert.equal(element.tagName, 'BDI', element.outerHTML);
  });

  it("shows the demo's numbers if there are no others, and says that they are not billed", async () => {
    const none = { ...amounts, total: 0, requests: 0, costs: [] };
    const demo = { ...amounts, total: 7400, costs: [], unpriced: true };
    const page = await UsageTestPage.open({
      ...overview,
      isDemo: true,
      total: demo,
      tiles: [
        { of: 'today', ...none, demo },
        { of: 'month', ...amounts, demo },
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
