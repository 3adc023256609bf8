import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  usageCall,
  usageRanges,
  type UsageAmounts,
  type UsageRow,
} from '../../../../src/protocol/usageMessages.ts';
import { firstDay, overviewOf } from '../../../../src/host/usage/usageOverview.ts';
import { daysLater } from '../../../../src/host/usage/usageRecord.ts';
import type { Causes } from '../../../../src/host/usage/usageCauses.ts';
import type { UsageSum } from '../../../../src/host/usage/usageMonth.ts';
import { usageOf } from './usageRig.ts';

const base = '2029-06-15';

function causesOf(tokens: number): Causes {
  const none = { tokens: 0, cost: 0 };
  const others = { again: none, written: none, cached: none, reply: none };
  return { new: { tokens, cost: 0.1 }, ...others, reasoning: none, retries: none };
}

function sum(day: string, more: Partial<UsageSum> = {}): UsageSum {
  return {
    day,
    service: 's',
    model: 'm',
    workspace: 'w',
    chat: 'c',
    purpose: 'chat',
    currency: '$',
    demo: false,
    usage: usageOf(10, 5),
    cost: 0.25,
    causes: causesOf(10),
    ...more,
  };
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

const totalIn = (rows: readonly UsageAmounts[]): number =>
  rows.reduce((all, { total }) => all + total, 0);

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
          const { isDemo, bars, total, tables, leftOut, models, demo } = overviewOf(
            all,
            range,
            today,
            undefined,
          );
          const first = firstDay(range, today);
          const inRange = all.filter(({ day }) => day >= first);
          const tokensOf = (some: readonly UsageSum[]): number =>
            some.reduce((before, { usage }) => before + usage.total_tokens, 0);
          assert.equal(isDemo, inRange.length > 0 && inRange.every((entry) => entry.demo));
          const counted = inRange.filter((entry) => entry.demo === isDemo);
          const expected = tokensOf(counted);
          assert.equal(total.total, expected);
          assert.equal(totalIn(bars), expected);
          for (const name of ['models', 'workspaces', 'chats', 'purposes'] as const) {
            const rows = tables[name];
            if (leftOut[name] === 0) assert.equal(totalIn(rows), expected, name);
            else assert.ok(rows.length === 50 && totalIn(rows) <= expected);
          }
          for (const { parts, total: whole } of bars) {
            assert.equal(parts.length, models.length + 1);
            assert.equal(
              parts.reduce((before, part) => before + part, 0),
              whole,
            );
          }
          const countedModels = new Set(counted.map(({ model }) => model));
          assert.ok(models.every((model) => countedModels.has(model)) && models.length <= 5);
          assert.equal(totalIn(demo) + expected, tokensOf(inRange), 'Nothing is hidden.');
        },
      ),
      { numRuns: 300 },
    );
  });

  const keysOf = (range: (typeof usageRanges)[number], today: string, sums: UsageSum[] = []) =>
    overviewOf(sums, range, today, undefined).bars.map(({ key }) => key);

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
    const all = keysOf('all', '2029-12-31', [sum('2029-11-01')]);
    assert.deepEqual(new Set(all).size, 61);
  });

  it('distinguishes chats that are no longer saved from those whose titles are not read yet', () => {
    const sums = [sum(base, { chat: 'a' }), sum(base, { chat: 'b' }), sum(base, { chat: '' })];
    const rowsWith = (titles?: ReadonlyMap<string, string>): unknown =>
      overviewOf(sums, 'all', base, titles)
        .tables.chats.map(({ key, title, isDeleted }: UsageRow) => [key, title, isDeleted])
        .toSorted();
    assert.deepEqual(rowsWith(), [
      ['', undefined, undefined],
      ['a', undefined, undefined],
      ['b', undefined, undefined],
    ]);
    assert.deepEqual(rowsWith(new Map([['a', 'One']])), [
      ['', undefined, undefined],
      ['a', 'One', undefined],
      ['b', undefined, true],
    ]);
  });

  it('adds costs by currency, and marks missing prices', () => {
    const sums = [
      sum(base),
      sum(base, { currency: '€', cost: 2 }),
      sum(base),
      sum(base, { currency: '', cost: 0 }),
    ];
    const { total } = overviewOf(sums, '7days', base, undefined);
    assert.deepEqual(total.costs, [
      { currency: '$', amount: 0.5 },
      { currency: '€', amount: 2 },
    ]);
    assert.equal(total.unpriced, true);
    assert.equal(overviewOf([sum(base)], '7days', base, undefined).total.unpriced, false);
  });

  it('has months and then years if there would be too many bars', () => {
    assert.equal(keysOf('all', '2030-03-02', [sum('2030-01-20')])[0], '2030-01-20');
    assert.equal(keysOf('all', '2030-03-02', [sum('2029-01-20')])[0], '2029-01');
    assert.equal(keysOf('all', '2030-03-02', [sum('2020-01-20')])[0], '2020');
    assert.equal(keysOf('all', '2030-03-02', [sum('2080-01-01')]).length, 51);
    assert.deepEqual(keysOf('all', '2030-03-02', [sum('2399-01-01')]), ['2030', '2399']);
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
