import assert from 'node:assert/strict';
import type { Turn } from '../../../../src/core/conversation/conversation.ts';
import { addCauses, noCauses, replyCost } from '../../../../src/host/usage/usageCauses.ts';
import { writeUsageRecord, type UsageRecord } from '../../../../src/host/usage/usageRecord.ts';
import { finished } from '../../webview/tools.ts';
import { contextOf, ledgerOf, MemoryLog, noon, usageOf, usedRecord } from './usageRig.ts';

const price = { input: 1, output: 10, cachedInput: 0.1, cacheWrite: 1.25, currency: '$' };

function record(id: string, minute: number, more: Partial<UsageRecord> = {}): UsageRecord {
  const at = noon + minute * 60_000;
  const usage = usageOf(10_000, 100);
  return { ...usedRecord(id, { at, workspace: '', turn: 't', usage, price }), ...more };
}

function causesOf(request: UsageRecord) {
  const causes = noCauses();
  addCauses(causes, request);
  return causes;
}

const turn: Turn = { ...finished, id: 't', model: 'm', startedAt: noon, usage: usageOf(500, 50) };
const context = contextOf(() => ({ input: 1, output: 10 }));

async function costOf(...requests: readonly UsageRecord[]) {
  const files = new MemoryLog();
  for (const request of requests)
    files.add(
      '2030-01.jsonl',
      writeUsageRecord({ ...request, state: 'sent', usage: usageOf(1) }),
      writeUsageRecord(request),
    );
  return replyCost(turn, 'c', ledgerOf(files).log, context);
}

const cached = usageOf(10_000, 100, { cached_tokens: 9000 });

describe('what tokens of a request were for', () => {
  it('adds up to its tokens and to its cost at its price', () => {
    const usage = usageOf(1000, 100, {
      cached_tokens: 300,
      written_tokens: 200,
      reasoning_tokens: 40,
    });
    const amounts = causesOf(record('a', 0, { usage, same: 700 }));
    assert.deepEqual(
      Object.entries(amounts).map(([cause, { tokens, cost }]) => [cause, tokens, cost * 1e6]),
      [
        ['new', 100, 100],
        ['again', 400, 400],
        ['written', 200, 250],
        ['cached', 300, 30],
        ['reply', 60, 600],
        ['reasoning', 40, 400],
        ['retries', 0, 0],
      ],
    );
  });

  it('counts attempts that broke apart', () => {
    const usage = usageOf(200, 30, { retried_tokens: 110, requests: 2 });
    const { retries, reply, new: sent } = causesOf(record('a', 0, { usage }));
    assert.deepEqual([retries.tokens, reply.tokens, sent.tokens], [110, 30, 90]);
  });
});

describe('the cost of a reply', () => {
  it('is that of all its requests, with what the service billed', async () => {
    const first = record('a', 0, { usage: { ...cached, billed: 0.02 } });
    const other = record('b', 1, { turn: 'other' });
    const second = record('c', 2, { usage: { ...cached, billed: 0.03 }, purpose: 'tools' });
    const cost = await costOf(first, other, second);
    assert.deepEqual(
      [cost.requests, cost.tokens, cost.billed, cost.differs],
      [2, 20_200, 0.05, true],
    );
    assert.equal(cost.cost?.toFixed(4), '0.0058');
    assert.deepEqual(
      cost.rows.map(({ cause, tokens }) => [cause, tokens]),
      [
        ['new', 2000],
        ['cached', 18_000],
        ['reply', 200],
      ],
    );
  });

  it('says why less came from the cache than could', async () => {
    const before = record('a', 0, { turn: 'before', usage: cached });
    const reply = (minute: number, more: Partial<UsageRecord>) => record('b', minute, more);
    const cases: readonly (readonly [UsageRecord, string[]])[] = [
      [reply(1, { usage: cached, same: 9500 }), []],
      [reply(1, { changed: 'model' }), ['model']],
      [reply(1, { changed: 'tools', same: 0 }), ['tools']],
      [reply(1, { changed: 'instructions', same: 100 }), ['instructions']],
      [reply(1, { changed: 'messages', same: 5000 }), ['messages']],
      [reply(10, { same: 9500 }), ['old']],
      [reply(1, { same: 9500 }), ['service']],
    ];
    for (const [request, misses] of cases)
      assert.deepEqual((await costOf(before, request)).misses, misses);
    const silent = { ...before, usage: usageOf(10_000, 100) };
    assert.deepEqual((await costOf(silent, reply(1, { same: 9500 }))).misses, ['unreported']);
  });

  it('is computed from its usage if the log has no request of it', async () => {
    const cost = await costOf(record('a', 0, { turn: undefined }));
    assert.deepEqual([cost.tokens, cost.cost, cost.misses], [550, 0.001, []]);
  });
});
