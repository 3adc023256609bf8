import assert from 'node:assert/strict';
import { LearnedFactStore } from '../../../../src/core/service/learnedFacts.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { UserError } from '../../../../src/host/platform/errors.ts';
import { remainingOf, shareOf } from '../../../../src/core/service/budget.ts';
import { currentSettings } from '../../../support/currentSettings.ts';
import { cutByBudget } from '../../../../src/host/usage/budgetUi.ts';
import type { BudgetSettings } from '../../../../src/host/platform/settingValues.ts';
import {
  accountOf,
  admissionOn,
  endOf,
  ledgerOf,
  MemoryLog,
  usageOf,
  usedRecord,
} from './usageRig.ts';
import { zeroUsage } from '../../../../src/core/conversation/usage.ts';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import type { Admission } from '../../../../src/core/service/requestUsage.ts';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import type { RequestPurpose } from '../../../../src/host/usage/usageRecord.ts';

const longRequest: CompletionRequest = {
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
    ledger.log.count(
      usedRecord(`${day} ${chat} ${state}`, {
        state,
        day,
        chat,
        usage: usageOf(used, 0, { cost: used / 100_000 }),
        reserve: { prompt: state === 'sent' ? used : 0, reply: 0 },
      }),
    );
  add('2030-01-31', 'other', usedToday - ofChat, 'used');
  if (ofChat > 0) add('2030-01-31', 'c', ofChat, 'used');
  add('2030-01-02', 'other', 11_000, 'used');
  if (reserved > 0) add('2030-01-02', 'other', reserved, 'sent');
  const learned = new LearnedFactStore();
  await learned.learn(service, 'm', { keepsLimit });
  const chat = accountOf('c', new Map([['m', usageOf(1500)]]));
  const { admit, admission } = admissionOn(ledger, budget, {
    settings: currentSettings(() => ({
      budget,
      currency: '$',
      models: { m: { price: { input: 10, output: 20 } } },
    })),
    nameOf: (id) => (id === 's' ? 'work' : undefined),
    learned,
    meter: { estimate: (_, characters) => characters / 4, margin: () => 1.25 },
  });
  const sender = { purpose: 'chat', chat, service, model: 'm', demo: false } as const;
  return {
    chat,
    admission,
    admit: (sent = longRequest, inChat = true) =>
      admit(sent, inChat ? sender : { ...sender, chat: undefined }),
  };
}

async function limitIn(world: World, inChat = true): Promise<number | undefined> {
  const { admit } = await worldOf(world);
  return (await admit(longRequest, inChat)).request.max_tokens;
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
    const small = await admit({ ...longRequest, max_tokens: 100 });
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
    const { admission, chat } = await worldOf({ budget });
    assert.equal(admission.budgetLeft(chat, 'm', 's')?.account, 'work');
    assert.equal(admission.budgetLeft(chat, 'm', 'third')?.account, undefined);
    assert.deepEqual(
      admission.used(chat).map(({ account, spent }) => [account, spent]),
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
      const sending = admit({ ...longRequest, model });
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
    const { admission, chat } = await worldOf({ budget });
    assert.deepEqual(
      admission.used(chat).map((used) => [used.of, used.period, shareOf(used)]),
      [
        ['chat', 'c', 0.5],
        ['day', '2030-01-31', 0.5],
        ['month', '2030-01', 0.5],
      ],
    );
    assert.deepEqual((await worldOf({ budget: 'invalid' })).admission.used(chat), []);
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
    const { admission, chat } = await worldOf({ budget: { chat: 1000, unit: 'tokens' } });
    assert.deepEqual(admission.used(chat).map(remainingOf), [0]);
  });
});

const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello' }] };
const service = 'https://a';
const sender = { purpose: 'chat', chat: undefined, service, model: 'm', demo: false } as const;

/** A record, so that a new purpose doesn't compile without a case here. */
const purposes: Readonly<Record<Exclude<RequestPurpose, `provider:${string}`>, true>> = {
  chat: true,
  tools: true,
  edit: true,
  fix: true,
  commit: true,
  review: true,
  shorten: true,
};

describe('a request of any purpose', () => {
  function purposesIn(log: MemoryLog): ReadonlySet<unknown> {
    return new Set(log.all.flatMap((line) => /"purpose":"([^"]+)"/.exec(line)?.[1] ?? []));
  }

  it('counts toward the budget, and is refused when that is used up', async () => {
    for (const purpose of [...Object.keys(purposes), 'provider:a.b']) {
      if (!isPurpose(purpose)) throw new Error(purpose);
      const log = new MemoryLog();
      const { admit } = admissionOn(ledgerOf(log), { day: 4000, unit: 'tokens' });
      const admitted = await admit(request, { ...sender, purpose });
      assert.ok((admitted.request.max_tokens ?? Infinity) < 4000, 'its reply has a limit');
      admitted.end(usageOf(20, 4000), 'finished');
      await assert.rejects(() => admit(request, { ...sender, purpose }), /^UserError: Not sent/);
      assert.deepEqual(purposesIn(log), new Set([purpose]));
    }
  });

  it('counts as a later round of a chat if it ends with tool results', async () => {
    const call = { id: 'c', type: 'function' as const, function: { name: 'f', arguments: '{}' } };
    const round = {
      model: 'm',
      messages: [
        ...request.messages,
        { role: 'assistant' as const, content: '', tool_calls: [call] },
        { role: 'tool' as const, tool_call_id: 'c', content: 'done' },
      ],
    };
    const log = new MemoryLog();
    const { admit } = admissionOn(ledgerOf(log), { unit: 'tokens' });
    for (const body of [request, round]) {
      const admitted = await admit(body, sender);
      admitted.end(zeroUsage, 'stopped');
      assert.deepEqual(purposesIn(log), new Set(body === request ? ['chat'] : ['chat', 'tools']));
    }
  });
});

function isPurpose(text: string): text is RequestPurpose {
  return Object.hasOwn(purposes, text) || text.startsWith('provider:');
}

/** A service that refuses requests with an error, or replies with this many tokens. */
function serviceOf(
  reply: (request: CompletionRequest) => ServiceError | number,
  sent: (number | undefined)[] = [],
): Client {
  return {
    address: { baseUrl: 'https://a/v1', host: 'a', origin: 'https://a' },
    async *stream(body): AsyncGenerator<CompletionEvent, void> {
      sent.push(body.max_tokens);
      const tokens = await Promise.resolve(reply(body));
      if (tokens instanceof ServiceError) throw tokens;
      yield endOf(usageOf(20, tokens), 'length');
    },
  };
}

async function read(client: Client, body: CompletionRequest = request): Promise<void> {
  for await (const event of client.stream(body)) assert.notEqual(event.type, 'reasoning');
}

describe("a request for a reply above the model's limit", () => {
  it('is sent without a limit if the model accepts none, which budgets then consider', async () => {
    const { admission, clientOf } = admissionOn(ledgerOf(new MemoryLog()), {
      day: 50_000,
      unit: 'tokens',
    });
    const modelsOf = (): unknown =>
      admission.used(accountOf('c')).map((budget) => budget.unlimitedModels);
    const none = new ServiceError('bad-request', '400', {
      detail: 'Unsupported parameter: max_tokens is not supported with this model.',
    });
    const sent: (number | undefined)[] = [];
    const unlimited = serviceOf(({ max_tokens }) => (max_tokens === undefined ? 30 : none), sent);
    const client = clientOf(unlimited, sender);
    assert.deepEqual(modelsOf(), [[]]);
    await read(client);
    assert.deepEqual(modelsOf(), [['m']]);
    await read(client);
    assert.deepEqual(sent.slice(1), [undefined, undefined]);
  });

  const tooLong = new ServiceError('bad-request', '400', {
    detail: 'max_tokens cannot exceed 8192',
  });

  it('fails if Aside set no limit, so that the error is shown', async () => {
    const { clientOf, learned } = admissionOn(ledgerOf(new MemoryLog()), { unit: 'tokens' });
    const client = clientOf(
      serviceOf(() => tooLong),
      sender,
    );
    const { kind, detail } = tooLong;
    await assert.rejects(read(client, { ...request, max_tokens: 9000 }), { kind, detail });
    assert.deepEqual(learned.details(sender.service, sender.model), {});
  });
});

describe('a reply within a budget', () => {
  const budget = { day: 4000, unit: 'tokens' } as const;

  /** Ends a reply of this estimated length; false if it is cut off. */
  function isWhole(admitted: Admission, estimated: number): boolean {
    const isCut = estimated > admitted.maxTokens;
    admitted.end(usageOf(20, estimated, { estimated: true }), isCut ? 'cut' : 'stopped');
    return !isCut;
  }

  /** A service that uses up the limit of each request, or exceeds it. */
  function serviceUsingLimit(more = 0): Client {
    return serviceOf(({ max_tokens = 0 }) => max_tokens + more);
  }

  it('is not cut off because of a slightly high estimate', async () => {
    const { admission, admit, clientOf } = admissionOn(ledgerOf(new MemoryLog()), budget);
    const small = { ...request, max_tokens: 500 };
    const first = await admit(small, sender);
    assert.equal(isWhole(first, 549), true, 'the budget has room');
    await read(clientOf(serviceUsingLimit(), sender), small);
    const large = { ...request, max_tokens: 100_000 };
    const next = admission.preview(large, accountOf(''), sender);
    const limited = await admit(large, sender);
    assert.deepEqual(limited.request, next, 'Next Request says the same.');
    const most = limited.request.max_tokens ?? 0;
    assert.ok(most < 4000);
    assert.equal(isWhole(limited, Math.floor(most * 1.09)), true, 'the model keeps to it');
  });

  it('is cut off there again after the model exceeded its limit', async () => {
    const { admit, clientOf } = admissionOn(ledgerOf(new MemoryLog()), budget);
    const small = { ...request, max_tokens: 200 };
    await read(clientOf(serviceUsingLimit(), sender), small);
    await read(clientOf(serviceUsingLimit(300), sender), small);
    const limited = await admit({ ...request, max_tokens: 100_000 }, sender);
    assert.equal(isWhole(limited, 4000), false);
  });
});
