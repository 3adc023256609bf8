import assert from 'node:assert/strict';
import { emptyConversation } from '../../../../src/core/conversation/conversation.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import type { AnswerMessage, StateMessage } from '../../../../src/protocol/call.ts';
import {
  usageCall,
  type UsageOverview,
  usageRanges,
  type UsageRow,
} from '../../../../src/protocol/usageMessages.ts';
import { readSettings } from '../../../../src/host/platform/settingValues.ts';
import type { Ledger } from '../../../../src/host/usage/ledger.ts';
import { paidUsage } from '../../../../src/host/usage/usageByModel.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import {
  accountOf,
  admissionOn,
  ledgerOf,
  MemoryLog,
  planned,
  usageOf,
  usedRecord,
} from './usageRig.ts';
import fc from 'fast-check';
import { daysLater, firstDay } from '../../../../src/host/usage/usageRecord.ts';
import type { Causes } from '../../../../src/host/usage/usageCauses.ts';
import { sumOf, type UsageSum } from '../../../../src/host/usage/usageMonth.ts';

const vscode = `
  export const commands = {};
  export const env = { language: 'en' };
  export const l10n = { t: (text) => text };
  export const Uri = { joinPath: () => undefined };
`;
const { createUsageTab, overviewOf, commands } = await withFakeVsCode(vscode, async () => ({
  ...(await import('../../../../src/host/usage/usageTab.ts')),
  ...(await import('vscode')),
}));

/** An open tab, whose page the test controls. */
function rig(budget: unknown = {}, titles = Promise.resolve(new Map([['c', 'My chat']]))) {
  const executed: unknown[] = [];
  Object.assign(commands, { executeCommand: (...call: unknown[]) => executed.push(call) });
  const fail = (what: unknown): never => assert.fail(String(what));
  const values = readSettings(
    (id) => (id === 'aside.budget' ? { globalValue: budget } : undefined),
    fail,
  );
  const ledger = ledgerOf(new MemoryLog());
  const conversation = {
    ...emptyConversation('c'),
    usage: { m: usageOf(30) },
    demoUsage: { 'demo/guide': usageOf(7) },
  };
  const account = accountOf('c', paidUsage(conversation));
  const { admission } = admissionOn(ledger, values.budget);
  const fromPage = new Emitter<unknown>();
  const posted: (StateMessage<UsageOverview> | AnswerMessage)[] = [];
  const port = {
    post: (message: (typeof posted)[number]) => posted.push(message),
    listen: fromPage.event,
  };
  const nothing = { dispose: () => undefined };
  const onDidChange = (): typeof nothing => nothing;
  const tab: unknown = Reflect.apply(createUsageTab, undefined, [
    { context: {}, errors: { refusal: String }, log: { error: fail } },
    () => port,
    {
      ledger,
      settings: { current: () => values, onDidChange },
      budgets: () => admission.used(account),
      onDidChange,
    },
    () => conversation,
    () => titles,
  ]);
  const panel = {
    webview: {},
    onDidChangeViewState: onDidChange,
    onDidDispose: onDidChange,
  };
  assert.ok(typeof tab === 'object' && tab !== null && 'restore' in tab);
  assert.ok(typeof tab.restore === 'function');
  Reflect.apply(tab.restore, tab, [panel]);
  let id = 0;
  return {
    ledger,
    posted,
    executed,
    ask: async (name: string, parameters: object = {}): Promise<void> => {
      fromPage.fire({ type: 'call', id: ++id, call: { name, parameters } });
      for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve));
    },
    last: (): UsageOverview => {
      const states = posted.flatMap((message) => (message.type === 'state' ? message.state : []));
      return states.at(-1) ?? assert.fail();
    },
  };
}

async function use(ledger: Ledger, tokens: number, demo = false): Promise<void> {
  const { end } = await ledger.open(planned(1, { demo }), () => ({
    reserve: { prompt: 0, reply: 0 },
  }));
  await end(usageOf(tokens), 'finished');
}

describe('the tab with the usage', () => {
  it('posts the range that the page wants, and then the titles of chats', async () => {
    const { ledger, ask, last } = rig();
    await ask('ready');
    assert.equal(last().isEmpty, true);
    await use(ledger, 100);
    await ask('show', { range: '12months' });
    const { range, bars, total, tables, isEmpty } = last();
    assert.deepEqual([range, bars.length, isEmpty], ['12months', 12, false]);
    assert.equal(total.total_tokens, 100);
    assert.equal(tables.find(({ of }) => of === 'chats')?.rows[0]?.title, 'My chat');
  });

  it('reports errors to the page', async () => {
    const { posted, ask } = rig({}, Promise.reject(new Error('No titles.')));
    await ask('ready');
    const answer = posted.find(({ type }) => type === 'answer');
    assert.deepEqual(answer, { type: 'answer', id: 1, error: 'Error: No titles.' });
  });

  it('runs the commands that it offers, and opens chats', async () => {
    const { ask, executed } = rig();
    await ask('run', { command: 'exportUsage' });
    await ask('open-chat', { id: 'c' });
    await ask('run', { command: 'removeApiKey' });
    assert.deepEqual(executed, [
      ['aside.exportUsage', '30days'],
      ['aside.openChat', 'c'],
    ]);
  });

  it('shows the remainder of each budget, excluding reserves', async () => {
    const { ledger, ask, last } = rig({ day: 1000, chat: 20 });
    await use(ledger, 300);
    await ledger.open(planned(1), () => ({ reserve: { prompt: 100, reply: 50 } }));
    await ask('show', { range: '7days' });
    assert.deepEqual(
      last().tiles.map(({ key, budget }) => [key, budget?.limit, budget?.remaining]),
      [
        ['today', 1000, 550],
        ['month', undefined, undefined],
        ['session', undefined, undefined],
        ['chat', 20, 0],
      ],
    );
  });

  it("shows the demo's usage separately", async () => {
    const { ledger, ask, last } = rig({ day: 1000 });
    const tiles = (): unknown =>
      last().tiles.map((tile) => [tile.key, tile.total_tokens, tile.demo?.total_tokens]);
    await use(ledger, 400, true);
    await ask('show', { range: '7days' });
    assert.deepEqual(tiles(), [
      ['today', 0, 400],
      ['month', 0, 400],
      ['session', 0, 400],
      ['chat', 30, 7],
    ]);
    assert.equal(last().tiles[0]?.budget?.remaining, 1000);
    assert.deepEqual([last().isDemo, last().total.total_tokens], [true, 400]);
    await use(ledger, 300);
    await ask('show', { range: '7days' });
    assert.deepEqual(tiles(), [
      ['today', 300, 400],
      ['month', 300, 400],
      ['session', 300, 400],
      ['chat', 30, 7],
    ]);
    assert.deepEqual([last().isDemo, last().total.total_tokens], [false, 300]);
    const demo = last().tables.find(({ of }) => of === 'demo');
    assert.equal(demo?.rows[0]?.total_tokens, 400);
  });
});

describe('a request of the usage page', () => {
  it('is a range, one of four commands, or a chat', () => {
    const allowed: readonly unknown[] = [
      { name: 'ready', parameters: {} },
      { name: 'ready', parameters: { range: 'month' } },
      { name: 'show', parameters: { range: '7days' } },
      { name: 'run', parameters: { command: 'exportUsage' } },
      { name: 'open-chat', parameters: { id: 'a-b_1' } },
    ];
    const refused: readonly unknown[] = [
      { name: 'run', parameters: { command: 'removeApiKey' } },
      { name: 'run', parameters: { command: 'exportUsage', more: 1 } },
      { name: 'open-chat', parameters: { id: '../a' } },
      { name: 'open-chat', parameters: { id: '' } },
      { name: 'show', parameters: { range: 'forever' } },
      { name: 'evil', parameters: {} },
      null,
      'ready',
    ];
    for (const message of allowed) assert.ok(usageCall.safeParse(message).success);
    for (const message of refused) assert.ok(!usageCall.safeParse(message).success);
  });
});

const base = '2029-06-15';

function causesOf(tokens: number): Causes {
  const none = { tokens: 0, cost: 0 };
  const others = { again: none, written: none, cached: none, reply: none };
  return { new: { tokens, cost: 0.1 }, ...others, reasoning: none, retries: none };
}

function sum(day: string, more: Partial<UsageSum> = {}): UsageSum {
  const priced = { currency: '$', cost: 0.25, causes: causesOf(10) };
  return { ...sumOf(usedRecord('r', { day })), ...priced, ...more };
}

const sums = fc.array(
  fc
    .record({
      days: fc.integer({ min: -900, max: 0 }),
      model: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
      chat: fc.nat(80).map((chat) => (chat === 0 ? '' : `chat-${chat}`)),
      workspace: fc.constantFrom('', 'file:///a/w', 'file:///b/w'),
      purpose: fc.constantFrom('chat', 'provider:a.b', 'later'),
      currency: fc.constantFrom('', '$', '€'),
      demo: fc.boolean(),
      prompt: fc.nat(1000),
      reply: fc.nat(1000),
    })
    .map(({ days, prompt, reply, ...fields }) => ({ days, fields, usage: usageOf(prompt, reply) })),
  { maxLength: 100 },
);

const totalOf = (rows: readonly UsageRow[]): number =>
  rows.reduce((all, { total_tokens }) => all + total_tokens, 0);

describe('the overview of the usage', () => {
  it("has the same sum in its bars and in each table: paid usage, otherwise the demo's", () => {
    fc.assert(
      fc.property(
        sums,
        fc.constantFrom(...usageRanges),
        fc.integer({ min: -400, max: 400 }),
        (generated, range, shift) => {
          const today = daysLater(base, shift);
          const all = generated.map(({ days, fields, usage }) =>
            sum(daysLater(today, days), { ...fields, usage }),
          );
          const overview = overviewOf(all, range, today, undefined);
          const { isDemo, bars, total, tables, models } = overview;
          const inRange = all.filter(({ day }) => day >= firstDay(range, today));
          const counted = inRange.filter(({ demo }) => demo === isDemo);
          const tokensOf = (some: readonly UsageSum[]): number =>
            some.reduce((before, { usage }) => before + usage.total_tokens, 0);
          assert.equal(isDemo, inRange.length > 0 && inRange.every(({ demo }) => demo));
          assert.equal(total.total_tokens, tokensOf(counted));
          assert.equal(totalOf(bars), total.total_tokens);
          for (const { of, rows, leftOut } of tables) {
            const expected =
              of === 'demo' ? tokensOf(inRange) - tokensOf(counted) : tokensOf(counted);
            if (of === 'causes') assert.equal(totalOf(rows), 10 * counted.length);
            else if (leftOut === 0) assert.equal(totalOf(rows), expected, of);
            else assert.ok(rows.length === 50 && totalOf(rows) <= expected);
          }
          const hasDemo = tables.some(({ of }) => of === 'demo');
          assert.equal(hasDemo, counted.length < inRange.length, 'Nothing is hidden.');
          for (const { parts, total_tokens } of bars) {
            assert.equal(parts.length, models.length + 1);
            const sumOfParts = parts.reduce((before, part) => before + part, 0);
            assert.equal(sumOfParts, total_tokens);
          }
          const ofModels = tables.find(({ of }) => of === 'models')?.rows ?? [];
          assert.deepEqual(
            models,
            ofModels.slice(0, 5).map(({ key }) => key),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  const keysOf = (range: (typeof usageRanges)[number], today: string, ...days: string[]) =>
    overviewOf(
      days.map((day) => sum(day)),
      range,
      today,
      undefined,
    ).bars.map(({ key }) => key);

  it('has a bar for each day or month of the calendar, whether anything was sent or not', () => {
    assert.deepEqual(
      [keysOf('7days', '2030-03-02')[0], keysOf('7days', '2030-03-02').length],
      ['2030-02-24', 7],
    );
    assert.equal(keysOf('30days', '2030-03-02').length, 30);
    assert.deepEqual(
      ['2028-02-10', '2029-02-10', '2029-12-31'].map((today) => keysOf('month', today).length),
      [29, 28, 31],
    );
    const months = keysOf('12months', '2030-03-31');
    assert.deepEqual([months[0], months.at(-1), months.length], ['2029-04', '2030-03', 12]);
    // No day is repeated or missing where daylight saving time begins or ends.
    assert.equal(new Set(keysOf('all', '2029-12-31', '2029-11-01')).size, 61);
  });

  it('has months if there would be too many days, and a wrong clock makes no others', () => {
    assert.equal(keysOf('all', '2030-03-02', '2030-01-20')[0], '2030-01-20');
    assert.equal(keysOf('all', '2030-03-02', '2029-01-20')[0], '2029-01');
    const { bars } = overviewOf([sum('9999-99-99'), sum(base)], 'all', base, undefined);
    assert.deepEqual(
      bars.map(({ key, requests }) => [key, requests]),
      [[base, 2]],
    );
  });

  it('distinguishes chats that are no longer saved from those whose titles are not read yet', () => {
    const sums = [sum(base, { chat: 'a' }), sum(base, { chat: 'b' }), sum(base, { chat: '' })];
    const rowsWith = (titles?: ReadonlyMap<string, string>): unknown =>
      overviewOf(sums, 'all', base, titles)
        .tables.find(({ of }) => of === 'chats')
        ?.rows.map(({ key, title, isDeleted }) => [key, title, isDeleted])
        .toSorted();
    assert.deepEqual(rowsWith(), [
      ['', undefined, false],
      ['a', undefined, false],
      ['b', undefined, false],
    ]);
    assert.deepEqual(rowsWith(new Map([['a', 'One']])), [
      ['', undefined, false],
      ['a', 'One', false],
      ['b', undefined, true],
    ]);
  });

  it('adds costs by currency, also of each cause, and marks missing prices', () => {
    const euros = sum(base, { currency: '€', cost: 2 });
    const sums = [sum(base), euros, sum(base), sum(base, { currency: '', cost: 0 })];
    const { total, tables } = overviewOf(sums, '7days', base, undefined);
    const costs = [
      ['$', 0.5],
      ['€', 2],
    ];
    assert.deepEqual(total.costs, costs);
    assert.equal(total.unpriced, true);
    assert.deepEqual(
      tables[0]?.rows.map((row) => [row.cause, row.total_tokens, row.costs]),
      [
        [
          'new',
          40,
          [
            ['$', 0.2],
            ['€', 0.1],
          ],
        ],
      ],
    );
    assert.equal(overviewOf([sum(base)], '7days', base, undefined).total.unpriced, false);
  });
});
