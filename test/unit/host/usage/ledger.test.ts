import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Usage } from '../../../../src/core/conversation/usage.ts';
import { isObject, parseJson } from '../../../../src/core/support/json.ts';
import type { Ledger } from '../../../../src/host/usage/ledger.ts';
import { totalOf } from '../../../../src/host/usage/usageByModel.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import {
  countedIn,
  laterLedger,
  ledgerOf,
  MemoryLog,
  noon,
  ofToday,
  planned,
  usageOf,
} from './usageRig.ts';
import { until } from '../../../support/until.ts';

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
  return totalOf(ledger.today).total_tokens;
}

describe('Ledger', () => {
  it('reserves the most that a request may use until it ends, or is silent for two minutes', async () => {
    const log = new MemoryLog();
    const clock = new ManualClock(noon);
    const reserve = { prompt: 110, reply: 50 };
    const ofChat = (chat: string) => (request: { readonly chat: string }) => request.chat === chat;
    const ledger = ledgerOf(log, clock);
    const { end } = await ledger.open(planned(100), () => ({ reserve }));
    const next = ledgerOf(log, clock);
    await next.refresh();
    for (const window of [ledger, next]) {
      const [reserved, ...others] = countedIn(window.log, ofChat('c')).reserved;
      assert.deepEqual([reserved?.prompt, reserved?.reply, others.length], [110, 50, 0]);
      assert.deepEqual(countedIn(window.log, ofChat('other')).reserved, []);
      assert.equal(countedIn(window.log, ofToday).reserved.length, 1);
    }
    const gone = await laterLedger(log);
    assert.deepEqual(countedIn(gone.log, ofToday), { tokens: 150, cost: 0, reserved: [] });
    // A window that only slept ends it after all.
    await end(usageOf(90, 20), 'finished');
    await gone.refresh();
    assert.deepEqual(countedIn(gone.log, ofToday), { tokens: 110, cost: 0, reserved: [] });
  });

  it('keeps the reserve of a request whose model thinks in silence', async () => {
    const log = new MemoryLog();
    const clock = new ManualClock(noon);
    const ledger = ledgerOf(log, clock);
    await ledger.open(planned(100), () => ({ reserve: { prompt: 110, reply: 50 } }));
    const other = ledgerOf(log, clock);
    for (let minute = 1; minute <= 10; minute++) {
      await clock.advance(60_000);
      await until(() => log.all.length === minute + 1);
      await other.refresh();
      assert.equal(countedIn(other.log, ofToday).reserved.length, 1);
    }
  });

  it('logs what a request has used every two seconds, and sooner if that is much', async () => {
    const log = new MemoryLog();
    const clock = new ManualClock(noon);
    let received = 0;
    const usage = (): Usage => usageOf(100, received, { estimated: true });
    const { note } = await ledgerOf(log, clock).open(planned(0, { usage }), free);
    const noted = async (tokens: number, milliseconds: number): Promise<number> => {
      received += tokens;
      await clock.advance(milliseconds);
      await note();
      return log.all.length - 1;
    };
    assert.equal(await noted(50, 1000), 0);
    assert.equal(await noted(50, 1000), 1);
    assert.equal(await noted(0, 9000), 1, 'Nothing is new.');
    assert.equal(await noted(300, 1), 2);
    const { tokens } = countedIn((await laterLedger(log)).log, ofToday);
    assert.equal(tokens, 500 + 1.5 * 300 + 32, 'It may have received as much again.');
  });

  it('is read in the order of the lines of all windows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 2, maxLength: 8 }),
        fc.integer({ min: 50, max: 400 }),
        async (sizes, limit) => {
          const log = new MemoryLog();
          const windows = [ledgerOf(log), ledgerOf(log)];
          const refusal = new Error('over');
          const sent = await Promise.all(
            sizes.map(async (prompt, index) => {
              const ledger = windows[index % 2] ?? ledgerOf(log);
              const allow = () => {
                const { tokens, reserved } = countedIn(ledger.log, ofToday);
                const all = reserved.reduce((sum, request) => sum + request.prompt, tokens);
                if (all + prompt > limit) throw refusal;
                return { reserve: { prompt, reply: 0 } };
              };
              const opened = await ledger.open(planned(prompt), allow).catch((error: unknown) => {
                assert.equal(error, refusal);
              });
              return opened === undefined ? 0 : prompt;
            }),
          );
          const all = sent.reduce((sum, prompt) => sum + prompt, 0);
          assert.ok(all <= limit, `${all} of ${limit}`);
          const refused = sizes.filter((_, index) => sent[index] === 0);
          assert.ok(refused.every((prompt) => prompt > limit - all - Math.max(...sizes)));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('counts the demo in the session and in no day', async () => {
    const log = new MemoryLog();
    const ledger = ledgerOf(log);
    await record(ledger, 'demo/guide', usageOf(5, 5), true);
    assert.equal(totalOf(ledger.session).total_tokens, 10);
    assert.equal(ledger.today.size, 0);
    await ledger.refresh();
    assert.equal(countedIn(ledger.log).tokens, 0);
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

  it('counts what was sent while the clock was ahead on its own day', async () => {
    const log = new MemoryLog();
    const clock = new ManualClock(noon + 24 * hour);
    const ledger = ledgerOf(log, clock);
    await record(ledger, 'a', usageOf(100));
    await ledger.open(planned(10), () => ({ reserve: { prompt: 10, reply: 7 } }));
    clock.setWall(noon);
    for (const window of [ledger, ledgerOf(log, clock)]) {
      await window.refresh();
      assert.deepEqual(countedIn(window.log, ofToday), { tokens: 0, cost: 0, reserved: [] });
      assert.equal(await today(window), 0);
    }
  });

  it('counts the month and the day separately', async () => {
    const clock = new ManualClock(noon);
    const log = new MemoryLog();
    const ledger = ledgerOf(log, clock);
    const sums = (): readonly number[] => {
      const day = ledger.log.today;
      return [
        totalOf(ledger.today).total_tokens,
        countedIn(ledger.log, (request) => request.day === day).tokens,
        countedIn(ledger.log, (request) => request.day.startsWith(day.slice(0, 7))).tokens,
      ];
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
      const { end } = await ledger.open(planned(7, { hasBudget: false }), free);
      await end(usageOf(1, 2), 'finished');
      assert.equal(totalOf(ledger.today).total_tokens, 3);
      await clock.advance(600_000);
      assert.deepEqual(log.all, []);
      log.broken = false;
      if (isClosing) await ledger.close();
      else await clock.advance(60_000);
      assert.equal(await today(ledgerOf(log)), 3);
    }
  });

  it('refuses a request within a budget if its line can’t be written or the others read', async () => {
    for (const fault of ['write', 'read'] as const) {
      const log = new MemoryLog();
      const ledger = ledgerOf(log);
      await record(ledger, 'a', usageOf(5, 0));
      if (fault === 'write') log.broken = true;
      else log.names = () => Promise.reject(new Error('no disk'));
      await assert.rejects(ledger.open(planned(7), free), /can't be saved, so your budget/);
      assert.equal(countedIn(ledger.log, ofToday).reserved.length, 0);
      const { end } = await ledger.open(planned(7, { hasBudget: false }), free);
      await end(usageOf(1, 2), 'finished');
      assert.equal(totalOf(ledger.today).total_tokens, 8);
    }
  });

  it('ends running requests when the window closes', async () => {
    const log = new MemoryLog();
    const ledger = ledgerOf(log);
    await ledger.open(planned(0, { usage: () => usageOf(10, 4, { estimated: true }) }), free);
    await ledger.close();
    assert.match(log.all.at(-1) ?? '', /"state":"used".*"outcome":"stopped".*"total":14/);
  });

  it('writes sender, purpose and destination of each request, but no text', async () => {
    const log = new MemoryLog();
    await record(ledgerOf(log), 'a', usageOf(3, 4, { cached_tokens: 2 }));
    const line = parseJson(log.all.at(-1) ?? '');
    assert.ok(isObject(line));
    assert.equal(typeof line['id'], 'string');
    assert.deepEqual(line, {
      id: line['id'],
      state: 'used',
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
      duration: 0,
      outcome: 'finished',
    });
  });

  it('counts nothing for a request that the service refused', async () => {
    const ledger = ledgerOf(new MemoryLog());
    const { end } = await ledger.open(planned(100), free);
    await end(usageOf(0, 0, { requests: 0 }), 'failed');
    assert.equal(ledger.session.size, 0);
    assert.equal(ledger.today.size, 0);
  });

  it('resets the session but not the day', async () => {
    const ledger = ledgerOf(new MemoryLog());
    await record(ledger, 'a', usageOf(1, 2));
    let changes = 0;
    ledger.onDidChange(() => changes++);
    ledger.resetSession();
    assert.equal(ledger.session.size, 0);
    assert.equal(ledger.today.size, 1);
    assert.equal(changes, 1);
  });
});
