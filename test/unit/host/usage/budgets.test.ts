import assert from 'node:assert/strict';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { UserError } from '../../../../src/host/errors.ts';
import {
  applyBudget,
  shareOf,
  tightestBudget,
  usedBudgets,
  type Spending,
} from '../../../../src/host/usage/budgets.ts';
import { cutByBudget } from '../../../../src/host/usage/budgetTexts.ts';
import { UsageLog } from '../../../../src/host/usage/usageLog.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { accountOf, contextOf, MemoryLog, noon, usageOf } from './usageRig.ts';

const request: CompletionRequest = {
  model: 'm',
  messages: [{ role: 'user', content: 'x'.repeat(400) }],
};
/**
 * Tokens for a prompt of 100: plus a quarter to be safe, plus four for message and request each.
 */
const prompt = 133;
/**
 * Tokens of a reply at most: half of the remaining budget, or a third while another request runs.
 */
const shareOfLeft = (remaining: number, running = 0): number =>
  Math.floor(remaining / (running + 2));
const usedToday = 9000;

/** A log in which this much was used today, in the rest of the month, and in the chat. */
function logWith({ chat = 0, reserved = 0 } = {}): Spending['log'] {
  const clock = new ManualClock(noon);
  const log = new UsageLog({
    files: new MemoryLog(),
    fileOf: (day) => `${day.slice(0, 7)}.jsonl`,
    clock,
    onError: assert.ifError,
  });
  const add = (day: string, chatId: string, used: number, state: 'sent' | 'used'): void =>
    log.count({
      id: `${day} ${chatId} ${state}`,
      state,
      at: noon,
      day,
      service: 's',
      model: 'm',
      workspace: '',
      chat: chatId,
      purpose: 'chat',
      usage: usageOf(used, 0, { cost: used / 100_000 }),
      demo: false,
      reserve: { prompt: state === 'sent' ? used : 0, reply: 0 },
    });
  add('2030-01-31', 'other', usedToday - chat, 'used');
  if (chat > 0) add('2030-01-31', 'c', chat, 'used');
  add('2030-01-02', 'other', 11_000, 'used');
  if (reserved > 0) add('2030-01-02', 'other', reserved, 'sent');
  return log;
}

const spending: Spending = {
  budget: { unit: 'tokens' },
  log: logWith(),
  chat: accountOf('c', new Map([['m', usageOf(1500)]])),
  meter: { estimate: (_, characters) => characters / 4, margin: () => 1.25 },
  context: contextOf((model) => (model === 'm' ? { input: 10, output: 20 } : undefined)),
  nameOf: (service) => (service === 's' ? 'work' : undefined),
  maxReplyOf: () => undefined,
  facts: { keepsLimit: true },
};

function refusal(budget: Spending['budget'], sentRequest = request): UserError {
  try {
    applyBudget(sentRequest, { ...spending, budget });
  } catch (error) {
    assert.ok(error instanceof UserError);
    return error;
  }
  return assert.fail('It was let through.');
}

describe('the usage of requests', () => {
  it('is counted over all models of the day, and of the requesting chat', () => {
    const limit = (part: Partial<Spending>): number | undefined =>
      applyBudget(request, { ...spending, ...part }).request.max_tokens;
    assert.equal(limit({ budget: { day: 10_000, unit: 'tokens' } }), shareOfLeft(1000 - prompt));
    const chat = { chat: 1700, unit: 'tokens' } as const;
    assert.equal(limit({ budget: chat }), shareOfLeft(200 - prompt));
    assert.equal(limit({ budget: chat, chat: undefined }), undefined);
    // Another window used the chat, too.
    assert.equal(limit({ budget: chat, log: logWith({ chat: 1550 }) }), shareOfLeft(150 - prompt));
  });

  it('leaves room for the estimate of a reply whose model may ignore its limit', () => {
    const budget = { day: 10_000, unit: 'tokens' } as const;
    const available = shareOfLeft(1000 - prompt);
    const unsure = { ...spending, budget, facts: {} };
    const { request: sent, reserve } = applyBudget(request, unsure);
    assert.ok(reserve.reply <= available && reserve.reply >= available - 1, 'It is cut off there.');
    assert.equal(sent.max_tokens, Math.floor((available - 16) / 1.25));
    const small = applyBudget({ ...request, max_tokens: 100 }, unsure);
    assert.deepEqual([small.request.max_tokens, small.reserve.reply], [100, 141]);
  });

  it('is limited by the month if the day has more left', () => {
    const budget = { day: 100_000, month: 21_000, unit: 'tokens' } as const;
    const log = logWith({ reserved: 400 });
    const { request: sent } = applyBudget(request, { ...spending, budget, log });
    assert.equal(sent.max_tokens, shareOfLeft(600 - prompt, 1));
    assert.equal(tightestBudget({ ...spending, budget, log }, 'm')?.of, 'month');
  });

  it('is limited for a service or account by its own budget, too', () => {
    const accounts = { work: { day: 9200, month: 20_300 }, other: { day: 1 } };
    const budget = { day: 100_000, unit: 'tokens', accounts } as const;
    const place = { service: 's', model: 'm' };
    const limited = { ...spending, budget, place };
    assert.equal(applyBudget(request, limited).request.max_tokens, shareOfLeft(200 - prompt));
    assert.equal(tightestBudget(limited, 'm')?.account, 'work');
    assert.deepEqual(
      usedBudgets({ ...spending, budget }).map(({ account, spent }) => [account, spent]),
      [
        [undefined, 9000],
        ['work', 9000],
        ['work', 20_000],
        ['other', 0],
      ],
    );
    const free = { ...limited, place: { service: 'third', model: 'm' } };
    assert.equal(tightestBudget(free, 'm')?.account, undefined);
    const refused = {
      ...limited,
      budget: { unit: 'tokens', accounts: { work: { day: 9000 } } },
    } as const;
    assert.throws(() => applyBudget(request, refused), /over the daily budget of work\. .* used/);
  });

  it('is refused with a remedy, and without ids of settings', () => {
    const cases: readonly (readonly [Spending['budget'], string, RegExp])[] = [
      [{ chat: 1550, day: 9000, unit: 'tokens' }, 'raise-chat-budget', /over the chat budget/],
      [{ day: 9000, unit: 'tokens' }, 'raise-budget', /over the daily budget/],
      [{ day: 90_000, month: 20_050, unit: 'tokens' }, 'raise-budget', /over the monthly budget/],
      [{ day: 0.09, unit: 'money' }, 'raise-budget', /\$0\.09 of \$0\.09 used/],
      ['invalid', 'raise-budget', /isn't valid/],
    ];
    for (const [budget, remedy, words] of cases) {
      const error = refusal(budget);
      assert.equal(error.remedy, remedy);
      assert.match(error.message, words);
      assert.doesNotMatch(error.message, /aside\.|\{\d\}/);
    }
    const unknown = refusal({ day: 100, unit: 'money' }, { ...request, model: 'other' });
    assert.equal(unknown.remedy, 'select-model');
    assert.ok(cutByBudget().remedy !== undefined);
  });

  it('is listed for each budget of the chat, with its period', () => {
    const budget = { chat: 3000, day: 18_000, month: 40_000, unit: 'tokens' } as const;
    const used = usedBudgets({ ...spending, budget });
    assert.deepEqual(
      used.map((budget) => [budget.of, budget.period, shareOf(budget)]),
      [
        ['chat', 'c', 0.5],
        ['day', '2030-01-31', 0.5],
        ['month', '2030-01', 0.5],
      ],
    );
    assert.deepEqual(usedBudgets({ ...spending, budget: 'invalid' }), []);
  });
});

describe('the remaining budget', () => {
  it('is that of the budget with the smallest remaining share', () => {
    const tightest = (budget: Spending['budget']): unknown =>
      tightestBudget({ ...spending, budget }, 'm');
    assert.equal(tightest({ unit: 'tokens' }), undefined);
    assert.equal(tightest('invalid'), undefined);
    assert.deepEqual(tightest({ chat: 3000, day: 10_000, unit: 'tokens' }), {
      of: 'day',
      unit: 'tokens',
      limit: 10_000,
      remaining: 1000,
      margin: 1.25,
    });
    assert.deepEqual(tightest({ chat: 1000, day: 10_000, unit: 'tokens' }), {
      of: 'chat',
      unit: 'tokens',
      limit: 1000,
      remaining: 0,
      margin: 1.25,
    });
  });
});
