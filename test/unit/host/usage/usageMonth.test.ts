import assert from 'node:assert/strict';
import fc from 'fast-check';
import { UsageMonth, type UsageSum } from '../../../../src/host/usage/usageMonth.ts';
import {
  interrupted,
  writeProgress,
  writeUsageRecord,
  type RequestPurpose,
  type UsageRecord,
} from '../../../../src/host/usage/usageRecord.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { MemoryLog, noon, usageOf, usedRecord } from './usageRig.ts';

const file = '2030-01.jsonl';

function monthOn(log: MemoryLog): {
  readonly month: UsageMonth;
  readonly read: () => Promise<boolean>;
} {
  const month = new UsageMonth(log, '2030-01', new ManualClock(noon));
  return { month, read: async () => month.read(await log.names()) };
}

const lineOf = (...parameters: Parameters<typeof usedRecord>): string =>
  writeUsageRecord(usedRecord(...parameters));

const purposes: readonly RequestPurpose[] = ['chat', 'tools', 'fix', 'provider:a.b'];

/** Records of requests, some of which have not ended. */
const records = fc.array(
  fc
    .record({
      isDone: fc.boolean(),
      day: fc.constantFrom('2030-01-01', '2030-01-30', '2030-01-31'),
      model: fc.constantFrom('a', 'b "quoted"'),
      chat: fc.constantFrom('', 'c', 'd'),
      workspace: fc.constantFrom('', 'file:///w'),
      purpose: fc.constantFrom(...purposes),
      demo: fc.boolean(),
      prompt: fc.nat(5000),
      reply: fc.nat(5000),
      estimated: fc.boolean(),
      // Powers of two, so that sums don't depend on their order.
      price: fc.option(fc.constantFrom(0.5, 2), { nil: undefined }),
    })
    .map(({ isDone, prompt, reply, estimated, price, ...fields }, index = 0): UsageRecord[] => {
      const id = `${Math.random()}-${index}`;
      const usage = usageOf(prompt, reply, {
        estimated,
        ...(reply > 9 && { reasoning_tokens: 9 }),
      });
      const then = price === undefined ? {} : { price: { input: price, output: 2, currency: '$' } };
      const sent = usedRecord(id, { ...fields, ...then, state: 'sent', usage: usageOf(prompt) });
      return isDone ? [sent, usedRecord(id, { ...fields, ...then, usage })] : [sent];
    }),
  { maxLength: 30 },
);

/** Sums in a comparable form, independent of their order. */
function formOf(sums: readonly UsageSum[]): unknown {
  return sums
    .map((sum) => JSON.stringify({ ...sum, causes: undefined, cost: sum.cost.toFixed(9) }))
    .toSorted();
}

function tokensOf({ sums }: UsageMonth): number {
  return sums.reduce((sum, { usage }) => sum + usage.total_tokens, 0);
}

describe('the sums of a month', () => {
  it('are the same however often and in whatever parts windows read on', async () => {
    const step = fc.constantFrom('line', 'line', 'line', 'one', 'other', 'new');
    await fc.assert(
      fc.asyncProperty(records, fc.array(step), async (generated, steps) => {
        const log = new MemoryLog();
        let windows = [monthOn(log), monthOn(log)] as const;
        const lines = generated.flat().map(writeUsageRecord);
        for (const happening of steps) {
          if (happening === 'line') log.add(file, ...lines.splice(0, 1));
          else if (happening === 'new') windows = [windows[1], monthOn(log)];
          else await windows[happening === 'one' ? 0 : 1].read();
        }
        log.add(file, ...lines);
        const anew = monthOn(log);
        for (const { read } of [...windows, anew]) await read();
        for (const { month } of windows)
          assert.deepEqual(formOf(month.sums), formOf(anew.month.sums));
        const used = generated.flat().filter(({ state }) => state === 'used');
        const billed = used.reduce((sum, { usage }) => sum + usage.total_tokens, 0);
        assert.equal(tokensOf(anew.month), billed);
        const byCause = anew.month.sums.flatMap(({ causes }) => Object.values(causes));
        assert.equal(
          byCause.reduce((sum, { tokens }) => sum + tokens, 0),
          billed,
        );
      }),
      { numRuns: 200 },
    );
  });

  it('lose only what a damaged line says', async () => {
    await fc.assert(
      fc.asyncProperty(records, fc.nat(1000), fc.nat(400), async (generated, at, length) => {
        const lines = generated.flat().map(writeUsageRecord);
        const damaged = at % Math.max(1, lines.length);
        const log = new MemoryLog();
        log.add(
          file,
          ...lines.map((line, index) => (index === damaged ? line.slice(0, length) : line)),
        );
        const { month, read } = monthOn(log);
        await read();
        const others = generated.flat().filter((_, index) => index !== damaged);
        const used = others.filter(({ state }) => state === 'used');
        const all = used.reduce((sum, { usage }) => sum + usage.total_tokens, 0);
        const lost = generated.flat()[damaged]?.usage.total_tokens ?? 0;
        assert.ok([all, all + lost].includes(tokensOf(month)));
      }),
      { numRuns: 100 },
    );
  });

  it('count what a window that is gone may have received at the price of its tier', () => {
    const tiers = [{ from: 200_000, input: 2, output: 20 }];
    const price = { input: 1, output: 10, tiers, currency: '$' };
    const usage = usageOf(300_000, 1000, { cost: 0.62 });
    const used = interrupted(usedRecord('a', { state: 'sent', usage, price })).usage;
    assert.equal(used.completion_tokens, 1512);
    assert.equal(used.cost?.toFixed(6), '0.630240');
  });

  it('count a request by its last line, once', async () => {
    const log = new MemoryLog();
    log.add(
      file,
      lineOf('a', { state: 'sent' }),
      writeProgress({ id: 'a', time: noon, usage: usageOf(10, 300) }),
      lineOf('b'),
      lineOf('b'),
      // Version 1.0 ended requests of other windows, which might still end them.
      lineOf('c', { state: 'sent' }),
      lineOf('c')
        .replace('"state":"used"', '"state":"done"')
        .replace('"chat","', '"chat","outcome":"interrupted","'),
      lineOf('d')
        .replace('"state":"used"', '"state":"done"')
        .replace('"chat","', '"chat","outcome":"interrupted","'),
      lineOf('d', { usage: usageOf(100) }).replace('"state":"used"', '"state":"done"'),
    );
    const { month, read } = monthOn(log);
    await read();
    assert.equal(tokensOf(month), 15 + 15 + 100);
    assert.deepEqual(
      month.open.map(({ record: { id, usage }, before }) => [id, usage.completion_tokens, before]),
      [['a', 300, 5]],
    );
  });

  it('include the files that earlier versions had for each day, and count the day of each', async () => {
    const log = new MemoryLog();
    // The format of those versions.
    const old = lineOf('old').replace('"day":"2030-01-31",', '').replace(`"at":${noon}`, '"at":0');
    log.add('2030-01-09.jsonl', old, '{"torn', old.replace('"old"', '"old 2"'));
    log.add(file, lineOf('new'));
    const { month, read } = monthOn(log);
    await read();
    const days = month.sums.map(({ day, usage }) => [day, usage.requests]);
    assert.deepEqual(days, [
      ['2030-01-09', 2],
      ['2030-01-31', 1],
    ]);
    assert.equal(log.all.length, 4, 'They are never rewritten.');
  });

  it('skip damaged lines, and keep additions of later versions', async () => {
    const log = new MemoryLog();
    const later = lineOf('1').replace('"chat","prompt"', '"dictate","voice":true,"prompt"');
    const wrong = ['{}', 'null', '', '{"id":"x"', lineOf('2').replace('10', '-10'), '\u0000'];
    log.add(file, ...wrong, later.replace('"purpose":"chat"', '"purpose":"dictate","voice":1'));
    const { month, read } = monthOn(log);
    await read();
    assert.deepEqual(
      month.sums.map(({ purpose, usage }) => [purpose, usage.requests]),
      [['dictate', 1]],
    );
  });

  it('are those of existing lines if the file was truncated or replaced', async () => {
    const log = new MemoryLog();
    log.add(file, lineOf('1'), lineOf('2'));
    const { month, read } = monthOn(log);
    await read();
    log.files.set(file, `${lineOf('3')}\n`);
    await read();
    assert.equal(tokensOf(month), 15);
    log.files.delete(file);
    await read();
    assert.equal(month.sums.length, 0);
  });
});
