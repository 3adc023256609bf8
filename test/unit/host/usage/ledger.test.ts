import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Usage } from '../../../../src/core/conversation/usage.ts';
import { isObject, parseJson } from '../../../../src/core/support/json.ts';
import type { Ledger } from '../../../../src/host/usage/ledger.ts';
import type { CountedUsage } from '../../../../src/host/usage/usageLog.ts';
import { totalOf } from '../../../../src/host/usage/usageTable.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { ledgerOf, MemoryLog, noon, planned, usageOf, windowOf } from './usageRig.ts';

const hour = 3_600_000;
const free = (): { reserve: { prompt: number; reply: number } } => ({
  reserve: { prompt: 0, reply: 0 },
});

/** Records a request with this usage. */
async function record(ledger: Ledger, model: string, usage: Usage, demo = false): Promise<void> {
  const { end } = await ledger.open(planned(7, { model, demo }), free);
  await end(usage, 'finished');
}

async function today(ledger: Ledger): Promise<number> {
  await ledger.refresh();
  return totalOf(ledger.log.today).total_tokens;
}

describe('Ledger', () => {
  it("reports a chat's reserve as long as its window runs", async () => {
    const log = new MemoryLog();
    const allow = (): ReturnType<typeof free> => ({ reserve: { prompt: 110, reply: 50 } });
    const reserved = [{ model: 'm', prompt: 110, reply: 50 }];
    const { ledger, kill } = windowOf(log);
    await ledger.open(planned(100), allow);
    const next = ledgerOf(log);
    await next.refresh();
    for (const window of [ledger, next]) {
      assert.deepEqual(window.log.counted('c').chatReserved, reserved);
      assert.deepEqual(window.log.counted('other').chatReserved, []);
      assert.deepEqual(window.log.counted('').dayReserved, reserved);
    }
    kill();
    await next.refresh();
    const { chat, chatReserved, dayReserved, monthReserved } = next.log.counted('c');
    assert.deepEqual([chatReserved, dayReserved, monthReserved], [[], [], []]);
    assert.deepEqual(totalOf(chat), usageOf(100, 50, { estimated: true }));
  });

  it('ends a request of a lost window once, and again when that window was still running', async () => {
    for (const isOldLine of [false, true]) {
      const log = new MemoryLog();
      const { ledger, kill } = windowOf(log);
      const { end } = await ledger.open(planned(100), free);
      const [line = ''] = log.all;
      if (isOldLine) log.files.set('2030-01.jsonl', `${line.replace(/"holder":"[^"]*",/, '')}\n`);
      else kill();
      const others = [ledgerOf(log), ledgerOf(log)];
      await Promise.all(others.map((window) => window.refresh()));
      for (const window of others) assert.equal(await today(window), 100 + 3 * 32);
      if (!isOldLine) assert.equal(log.all.length, 2);
      assert.equal(await today(ledger), 100, 'It runs here.');
      await end(usageOf(90, 20), 'finished');
      for (const window of [...others, ledger, ledgerOf(log)]) {
        assert.equal(await today(window), 110);
        assert.equal(totalOf(window.log.counted('c').month).total_tokens, 110);
      }
    }
  });

  it('counts the demo in the session and in no day', async () => {
    const log = new MemoryLog();
    const ledger = ledgerOf(log);
    await record(ledger, 'demo/guide', usageOf(5, 5), true);
    assert.equal(totalOf(ledger.session).total_tokens, 10);
    assert.equal(ledger.log.today.size, 0);
    await ledger.refresh();
    const { day, month, chat } = ledger.log.counted('c');
    assert.deepEqual([ledger.log.today.size, day.size, month.size, chat.size], [0, 0, 0, 0]);
    assert.deepEqual(
      ledger.log.sums.map(({ model, demo }) => [model, demo]),
      [['demo/guide', true]],
    );
    assert.ok(log.all.length === 2 && log.all.every((line) => line.includes('"demo":true')));
  });

  it('counts a request on the day on which it was sent', async () => {
    const clock = new ManualClock(noon);
    const log = new MemoryLog();
    const ledger = ledgerOf(log, clock);
    await record(ledger, 'a', usageOf(1, 2));
    const late = await ledger.open(planned(10), free);
    await clock.advance(11.9 * hour);
    assert.equal(await today(ledger), 13);
    await clock.advance(0.2 * hour);
    assert.equal(await today(ledger), 0);
    await record(ledger, 'a', usageOf(5, 0));
    await late.end(usageOf(20, 0), 'finished');
    assert.equal(await today(ledger), 5);
    assert.equal(totalOf(ledger.session).total_tokens, 28);
    assert.equal(await today(ledgerOf(log, new ManualClock(noon))), 23);
  });

  it('counts later requests after the clock was set back, even to the previous month', async () => {
    const sent = fc.record({ ahead: fc.integer({ min: 0, max: 60 }), tokens: fc.nat(1000) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(sent, { maxLength: 8 }),
        fc.boolean(),
        async (requests, isKilled) => {
          const log = new MemoryLog();
          const clock = new ManualClock(noon);
          const ledger = ledgerOf(log, clock);
          let open = 0;
          for (const [index, { ahead, tokens }] of requests.entries()) {
            clock.setWall(noon + ahead * 24 * hour);
            const { end } = await ledger.open(planned(tokens), () => ({
              reserve: { prompt: tokens, reply: 7 },
            }));
            if (isKilled && index % 2 === 1) open++;
            else await end(usageOf(tokens), 'finished');
          }
          clock.setWall(noon);
          const all = requests.reduce((sum, { tokens }) => sum + tokens, 0);
          const spent = ({ day, month, dayReserved, monthReserved }: CountedUsage): void => {
            for (const [settled, reserved] of [
              [day, dayReserved],
              [month, monthReserved],
            ] as const) {
              const reservedTokens = reserved.reduce((sum, { prompt }) => sum + prompt, 0);
              assert.equal(totalOf(settled).total_tokens + reservedTokens, all);
              assert.equal(reserved.length, open);
            }
          };
          const other = ledgerOf(log, clock);
          for (const copy of [ledger, other]) {
            await copy.refresh();
            spent(copy.log.counted('c'));
            await copy.open(planned(0), (counted) => {
              spent(counted);
              return free();
            });
            open += 1;
            await other.refresh();
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('counts the month and the day separately', async () => {
    const clock = new ManualClock(noon);
    const log = new MemoryLog();
    const ledger = ledgerOf(log, clock);
    const sums = (): readonly number[] => {
      const { day, month } = ledger.log.counted('c');
      return [totalOf(ledger.log.today), totalOf(day), totalOf(month)].map(
        (usage) => usage.total_tokens,
      );
    };
    clock.setWall(noon - 24 * hour);
    await record(ledger, 'a', usageOf(100));
    clock.setWall(noon);
    await record(ledger, 'a', usageOf(20));
    assert.deepEqual(sums(), [20, 20, 120]);
    await ledger.refresh();
    assert.deepEqual(sums(), [20, 20, 120]);
    clock.setWall(noon + 24 * hour);
    assert.deepEqual(sums(), [0, 0, 0]);
    assert.deepEqual([...log.files.keys()], ['2030-01.jsonl']);
    await record(ledger, 'a', usageOf(3));
    assert.deepEqual(sums(), [3, 3, 3]);
    assert.deepEqual([...log.files.keys()], ['2030-01.jsonl', '2030-02.jsonl']);
  });

  it('records price, time and overrun of each request', async () => {
    const clock = new ManualClock(noon);
    const log = new MemoryLog();
    const price = { input: 1, output: 2, currency: '€' };
    const request = planned(7, { price, purpose: 'provider:a.b' });
    const allow = (): ReturnType<typeof free> => ({ reserve: { prompt: 9, reply: 20 } });
    const { end } = await ledgerOf(log, clock).open(request, allow);
    await clock.advance(1234);
    await end(usageOf(9, 25, { reasoning_tokens: 4 }), 'cut');
    const line = parseJson(log.all.at(-1) ?? '');
    assert.ok(isObject(line));
    const { purpose, reasoning, duration, overrun } = line;
    assert.deepEqual(
      { purpose, reasoning, duration, overrun, price: line['price'] },
      {
        purpose: 'provider:a.b',
        reasoning: 4,
        duration: 1234,
        overrun: 5,
        price,
      },
    );
    const [sum] = ledgerOf(log, clock).log.sums;
    assert.equal(sum, undefined, 'Nothing is read before it is needed.');
    const other = ledgerOf(log, clock);
    await other.refresh();
    assert.deepEqual(
      other.log.sums.map(({ currency, cost }) => [currency, cost]),
      [['€', (9 + 50) / 1_000_000]],
    );
  });

  it('stores unstored lines when there is room, even on close', async () => {
    for (const isClosing of [true, false]) {
      const log = new MemoryLog();
      const clock = new ManualClock(noon);
      const ledger = ledgerOf(log, clock);
      log.broken = true;
      await record(ledger, 'a', usageOf(1, 2));
      await clock.advance(600_000);
      assert.deepEqual(log.all, []);
      log.broken = false;
      if (isClosing) await ledger.close();
      else await clock.advance(60_000);
      assert.equal(await today(ledgerOf(log)), 3);
      if (isClosing) assert.deepEqual(clock.waits, []);
    }
  });

  it('ends running requests when the window closes', async () => {
    const log = new MemoryLog();
    const ledger = ledgerOf(log);
    await ledger.open(planned(0, { usage: () => usageOf(10, 4, { estimated: true }) }), free);
    await ledger.close();
    assert.match(log.all.at(-1) ?? '', /"state":"done".*"total":14.*"outcome":"stopped"/);
  });

  it('writes sender, purpose and destination of each request, but no text', async () => {
    const log = new MemoryLog();
    await record(ledgerOf(log), 'a', usageOf(3, 4, { cached_tokens: 2 }));
    const line = parseJson(log.all.at(-1) ?? '');
    assert.ok(isObject(line));
    assert.equal(typeof line['id'], 'string');
    assert.equal(typeof line['holder'], 'string');
    assert.deepEqual(line, {
      id: line['id'],
      holder: line['holder'],
      state: 'done',
      at: noon,
      day: '2030-01-31',
      service: 'https://api.test',
      model: 'a',
      workspace: 'file:///w',
      chat: 'c',
      purpose: 'chat',
      prompt: 3,
      cached: 2,
      completion: 4,
      total: 7,
      requests: 1,
      estimated: false,
      reserve: { prompt: 0, reply: 0 },
      duration: 0,
      outcome: 'finished',
    });
  });

  it('counts nothing for a request that the service refused', async () => {
    const ledger = ledgerOf(new MemoryLog());
    const { end } = await ledger.open(planned(100), free);
    await end(usageOf(0, 0, { requests: 0 }), 'failed');
    assert.equal(ledger.session.size, 0);
    assert.equal(ledger.log.today.size, 0);
  });

  it('resets the session but not the day', async () => {
    const ledger = ledgerOf(new MemoryLog());
    await record(ledger, 'a', usageOf(1, 2));
    let changes = 0;
    ledger.onDidChange(() => changes++);
    ledger.resetSession();
    assert.equal(ledger.session.size, 0);
    assert.equal(ledger.log.today.size, 1);
    assert.equal(changes, 1);
  });
});
