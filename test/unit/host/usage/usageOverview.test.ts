import assert from 'node:assert/strict';
import fc from 'fast-check';
import { usageRanges, type UsageRow } from '../../../../src/protocol/usageMessages.ts';
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
