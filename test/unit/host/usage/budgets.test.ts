import assert from 'node:assert/strict';
import { LearnedFactStore } from '../../../../src/core/service/learnedFacts.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { UserError } from '../../../../src/host/errors.ts';
import { Budgets, remainingOf, shareOf } from '../../../../src/host/usage/budgets.ts';
import { cutByBudget } from '../../../../src/host/usage/budgetTexts.ts';
import type { BudgetSettings } from '../../../../src/host/settingValues.ts';
import {
  accountOf,
  admissionOn,
  contextOf,
  ledgerOf,
  MemoryLog,
  noon,
  usageOf,
} from './usageRig.ts';

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
const context = contextOf((model) => (model === 'm' ? { input: 10, output: 20 } : undefined));

interface World {
  readonly budget: BudgetSettings | 'invalid';
  /** Tokens that other windows used in the chat today, and those reserved in this month. */
  readonly ofChat?: number;
  readonly reserved?: number;
  readonly service?: string;
  /** False for a model that may ignore its limit. */
  readonly keepsLimit?: boolean;
}

/** A window in whose log this much was used today, and in the rest of the month. */
async function worldOf({ budget, ofChat = 0, reserved = 0, ...more }: World) {
  const { service = 's', keepsLimit = true } = more;
  const ledger = ledgerOf(new MemoryLog());
  const add = (day: string, chat: string, used: number, state: 'sent' | 'used'): void =>
    ledger.log.count({
      id: `${day} ${chat} ${state}`,
      state,
      at: noon,
      day,
      service: 's',
      model: 'm',
      workspace: '',
      chat,
      purpose: 'chat',
      usage: usageOf(used, 0, { cost: used / 100_000 }),
      demo: false,
      reserve: { prompt: state === 'sent' ? used : 0, reply: 0 },
    });
  add('2030-01-31', 'other', usedToday - ofChat, 'used');
  if (ofChat > 0) add('2030-01-31', 'c', ofChat, 'used');
  add('2030-01-02', 'other', 11_000, 'used');
  if (reserved > 0) add('2030-01-02', 'other', reserved, 'sent');
  const budgets = new Budgets({
    log: ledger.log,
    settings: () => budget,
    nameOf: (id) => (id === 's' ? 'work' : undefined),
    context: () => context,
  });
  const learned = new LearnedFactStore();
  await learned.learn(service, 'm', { keepsLimit });
  const chat = accountOf('c', new Map([['m', usageOf(1500)]]));
  const { admit, admission } = admissionOn(ledger, budget, {
    budgets,
    learned,
    meter: { estimate: (_, characters) => characters / 4, margin: () => 1.25 },
    context: () => context,
  });
  const sender = { purpose: 'chat', chat, service, model: 'm', demo: false } as const;
  return {
    chat,
    budgets,
    admission,
    admit: (sent = request, inChat = true) =>
      admit(sent, inChat ? sender : { ...sender, chat: undefined }),
  };
}

async function limitIn(world: World, inChat = true): Promise<number | undefined> {
  const { admit } = await worldOf(world);
  return (await admit(request, inChat)).request.max_tokens;
}

describe('the usage of requests', () => {
  it('is counted over all models of the day, and of the requesting chat', async () => {
    const day = { day: 10_000, unit: 'tokens' } as const;
    assert.equal(await limitIn({ budget: day }), shareOfLeft(1000 - prompt));
    const budget = { chat: 1700, unit: 'tokens' } as const;
    assert.equal(await limitIn({ budget }), shareOfLeft(200 - prompt));
    assert.equal(await limitIn({ budget }, false), undefined);
    // Chats of version 1.0 have no cost: 1,500 tokens at today's price.
    await assert.rejects(limitIn({ budget: { chat: 0.015, unit: 'money' } }), /\$0\.015 used/);
    // Another window used the chat, too.
    assert.equal(await limitIn({ budget, ofChat: 1550 }), shareOfLeft(150 - prompt));
  });

  it('leaves room for the estimate of a reply whose model may ignore its limit', async () => {
    const { admit } = await worldOf({
      budget: { day: 10_000, unit: 'tokens' },
      keepsLimit: false,
    });
    const available = shareOfLeft(1000 - prompt);
    const small = await admit({ ...request, max_tokens: 100 });
    assert.deepEqual([small.request.max_tokens, small.maxTokens], [100, 141]);
    small.end(usageOf(0, 0, { requests: 0 }), 'failed');
    const { request: sent, maxTokens } = await admit();
    assert.ok(maxTokens <= available && maxTokens >= available - 1, 'It is cut off there.');
    assert.equal(sent.max_tokens, Math.floor((available - 16) / 1.25));
  });

  it('is limited by the month if the day has more left', async () => {
    const world = {
      budget: { day: 100_000, month: 21_000, unit: 'tokens' },
      reserved: 400,
    } as const;
    assert.equal(await limitIn(world), shareOfLeft(600 - prompt, 1));
    const { admission, chat } = await worldOf(world);
    assert.equal(admission.budgetLeft(chat, 'm', 's')?.of, 'month');
  });

  it('is limited for a service or account by its own budget, too', async () => {
    const accounts = { work: { day: 9200, month: 20_300 }, other: { day: 1 } };
    const budget = { day: 100_000, unit: 'tokens', accounts } as const;
    assert.equal(await limitIn({ budget }), shareOfLeft(200 - prompt));
    const { admission, budgets, chat } = await worldOf({ budget });
    assert.equal(admission.budgetLeft(chat, 'm', 's')?.account, 'work');
    assert.equal(admission.budgetLeft(chat, 'm', 'third')?.account, undefined);
    assert.deepEqual(
      budgets.of(chat).map(({ account, spent }) => [account, spent]),
      [
        [undefined, 9000],
        ['work', 9000],
        ['work', 20_000],
        ['other', 0],
      ],
    );
    const full = { unit: 'tokens', accounts: { work: { day: 9000 } } } as const;
    await assert.rejects(limitIn({ budget: full }), /over the daily budget of work\. .* used/);
    assert.equal(await limitIn({ budget: full, service: 'third' }), undefined);
  });

  it('is refused with a remedy, and without ids of settings', async () => {
    const refusal = async (budget: World['budget'], model = 'm'): Promise<UserError> => {
      const { admit } = await worldOf({ budget });
      const sending = admit({ ...request, model });
      const error: unknown = await sending.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof UserError, 'It was let through.');
      return error;
    };
    const cases: readonly (readonly [World['budget'], string, RegExp])[] = [
      [{ chat: 1550, day: 9000, unit: 'tokens' }, 'raise-chat-budget', /over the chat budget/],
      [{ day: 9000, unit: 'tokens' }, 'raise-budget', /over the daily budget/],
      [{ day: 90_000, month: 20_050, unit: 'tokens' }, 'raise-budget', /over the monthly budget/],
      [{ day: 0.09, unit: 'money' }, 'raise-budget', /\$0\.09 of \$0\.09 used/],
      ['invalid', 'raise-budget', /isn't valid/],
    ];
    for (const [budget, remedy, words] of cases) {
      const error = await refusal(budget);
      assert.equal(error.remedy, remedy);
      assert.match(error.message, words);
      assert.doesNotMatch(error.message, /aside\.|\{\d\}/);
    }
    const unknown = await refusal({ day: 100, unit: 'money' }, 'other');
    assert.equal(unknown.remedy, 'select-model');
    assert.ok(cutByBudget().remedy !== undefined);
  });

  it('is listed for each budget of the chat, with its period', async () => {
    const budget = { chat: 3000, day: 18_000, month: 40_000, unit: 'tokens' } as const;
    const { budgets, chat } = await worldOf({ budget });
    assert.deepEqual(
      budgets.of(chat).map((used) => [used.of, used.period, shareOf(used)]),
      [
        ['chat', 'c', 0.5],
        ['day', '2030-01-31', 0.5],
        ['month', '2030-01', 0.5],
      ],
    );
    assert.deepEqual((await worldOf({ budget: 'invalid' })).budgets.of(chat), []);
  });
});

describe('the remaining budget', () => {
  it('is that of the budget with the smallest remaining share', async () => {
    const tightest = async (budget: World['budget']): Promise<unknown> => {
      const { admission, chat } = await worldOf({ budget });
      return admission.budgetLeft(chat, 'm', 's');
    };
    assert.equal(await tightest({ unit: 'tokens' }), undefined);
    assert.equal(await tightest('invalid'), undefined);
    assert.deepEqual(await tightest({ chat: 3000, day: 10_000, unit: 'tokens' }), {
      of: 'day',
      unit: 'tokens',
      limit: 10_000,
      remaining: 1000,
      margin: 1.25,
    });
    const { budgets, chat } = await worldOf({ budget: { chat: 1000, unit: 'tokens' } });
    assert.deepEqual(budgets.of(chat).map(remainingOf), [0]);
  });
});
