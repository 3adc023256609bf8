import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readSums } from '../../../../src/host/usage/storedSums.ts';
import {
  sumsFile,
  UsageMonth,
  type MonthReading,
  type UsageFiles,
} from '../../../../src/host/usage/usageMonth.ts';
import {
  writeUsageRecord,
  type RequestPurpose,
  type UsageRecord,
} from '../../../../src/host/usage/usageRecord.ts';
import type { UsageSums } from '../../../../src/host/usage/usageSums.ts';
import { totalOf } from '../../../../src/host/usage/usageTable.ts';
import { MemoryLog, noon, usageOf } from './usageRig.ts';

const file = '2030-01.jsonl';

function monthOn(files: UsageFiles): UsageMonth {
  const onError = (what: string, error: unknown): void => assert.fail(`${what}: ${String(error)}`);
  return new UsageMonth({ files, month: '2030-01', onError });
}

async function readIn(
  files: UsageFiles,
  month: UsageMonth,
  more: Partial<MonthReading> = {},
): Promise<void> {
  await month.read({ names: await files.names(), isOver: false, ...more });
}

function record(id: string, more: Partial<UsageRecord> = {}): UsageRecord {
  const origin = { service: 's', model: 'm', workspace: 'w', chat: 'c', purpose: 'chat' } as const;
  const reserve = { prompt: 0, reply: 0 };
  const time = { at: noon, day: '2030-01-31' };
  const usage = usageOf(10, 5);
  return { id, state: 'done', ...time, ...origin, usage, demo: false, reserve, ...more };
}

const lineOf = (...parameters: Parameters<typeof record>): string =>
  writeUsageRecord(record(...parameters));

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
      const sent = record(id, { ...fields, ...then, state: 'sent', usage: usageOf(prompt) });
      return isDone ? [sent, record(id, { ...fields, ...then, usage })] : [sent];
    }),
  { maxLength: 30 },
);

/** Sums in a comparable form, independent of their order. */
function formOf(sums: UsageSums): unknown {
  const cost = (amount: number): string => amount.toFixed(9);
  const rows = sums.sums.map((sum) => JSON.stringify({ ...sum, cost: cost(sum.cost) }));
  const open = sums.open.map((entry) => writeUsageRecord(entry));
  return [rows.toSorted(), open.toSorted()];
}

describe('the sums of a month', () => {
  it('are the same stored, extended, and recomputed, whenever windows store and read them', async () => {
    const step = fc.constantFrom('line', 'line', 'line', 'line', 'one', 'other', 'keep', 'new');
    await fc.assert(
      fc.asyncProperty(records, fc.array(step), async (generated, steps) => {
        const log = new MemoryLog();
        let windows = [monthOn(log), monthOn(log)] as const;
        const lines = generated.flat().map(writeUsageRecord);
        for (const happening of steps) {
          if (happening === 'line') log.add(file, ...lines.splice(0, 1));
          else if (happening === 'new') windows = [windows[1], monthOn(log)];
          else
            await readIn(log, windows[happening === 'one' ? 0 : 1], {
              isOver: happening === 'keep',
            });
        }
        log.add(file, ...lines);
        for (const month of windows) await readIn(log, month);
        const reopened = monthOn(log);
        await readIn(log, reopened, { isOver: true });
        await log.remove(sumsFile('2030-01'));
        const anew = monthOn(log);
        await readIn(log, anew);
        for (const month of [...windows, reopened])
          assert.deepEqual(formOf(month.sums), formOf(anew.sums));
        const done = generated.flat().filter(({ state, demo }) => state === 'done' && !demo);
        const billed = done.reduce((sum, { usage }) => sum + usage.total_tokens, 0);
        assert.equal(totalOf(anew.sums.settled(() => true)).total_tokens, billed);
      }),
      { numRuns: 200 },
    );
  });

  it('are recomputed if the stored sums are damaged in any way', async () => {
    const log = new MemoryLog();
    const lines = ['1', '2'].map((id) => lineOf(id, { chat: id }));
    log.add(file, ...lines, lineOf('open', { state: 'sent' }));
    const first = monthOn(log);
    await readIn(log, first, { isOver: true });
    const sums = log.files.get(sumsFile('2030-01')) ?? '';
    assert.ok(readSums(sums) !== undefined);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(sums.length),
        fc.constantFrom('', '0', '9', '"', '}'),
        async (at, put) => {
          log.files.set(sumsFile('2030-01'), sums.slice(0, at) + put + sums.slice(at + 1));
          const month = monthOn(log);
          await readIn(log, month);
          assert.deepEqual(formOf(month.sums), formOf(first.sums));
        },
      ),
      { numRuns: 300 },
    );
    log.files.set(sumsFile('2030-01'), sums.replace('"version":1', '"version":2'));
    const month = monthOn(log);
    await readIn(log, month);
    assert.deepEqual(formOf(month.sums), formOf(first.sums));
  });

  it('include the files that earlier versions had for each day, and count the day of each', async () => {
    const log = new MemoryLog();
    // The format of those versions.
    const old = lineOf('old').replace('"day":"2030-01-31",', '').replace(`"at":${noon}`, '"at":0');
    log.add('2030-01-09.jsonl', old, '{"torn', old.replace('"old"', '"old 2"'));
    log.add(file, lineOf('new'));
    const month = monthOn(log);
    await readIn(log, month, { isOver: true });
    const days = month.sums.sums.map(({ day, usage }) => [day, usage.requests]);
    assert.deepEqual(days, [
      ['2030-01-09', 2],
      ['2030-01-31', 1],
    ]);
    const reopened = monthOn(log);
    await readIn(log, reopened);
    assert.deepEqual(formOf(reopened.sums), formOf(month.sums));
    assert.equal(log.all.length, 4, 'They are never rewritten.');
  });

  it('skip damaged lines, and keep additions of later versions', async () => {
    const log = new MemoryLog();
    const later = lineOf('1').replace('"chat","prompt"', '"dictate","voice":true,"prompt"');
    const wrong = ['{}', 'null', '', '{"id":"x"', lineOf('2').replace('10', '-10'), '\u0000'];
    log.add(file, ...wrong, later.replace('"purpose":"chat"', '"purpose":"dictate","voice":1'));
    const month = monthOn(log);
    await readIn(log, month);
    assert.deepEqual(
      month.sums.sums.map(({ purpose, usage }) => [purpose, usage.requests]),
      [['dictate', 1]],
    );
  });

  it('are those of existing lines if the file was truncated or replaced', async () => {
    const log = new MemoryLog();
    log.add(file, lineOf('1'), lineOf('2'));
    const month = monthOn(log);
    await readIn(log, month, { isOver: true });
    log.files.set(file, `${lineOf('3')}\n`);
    await readIn(log, month);
    assert.equal(totalOf(month.sums.settled(() => true)).requests, 1);
    log.files.delete(file);
    await readIn(log, month);
    assert.equal(month.sums.sums.length, 0);
  });
});
