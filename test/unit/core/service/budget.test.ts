import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Price } from '../../../../src/core/conversation/usage.ts';
import {
  BudgetExceededError,
  longestReply,
  withinBudgets,
  type Budget,
  type ModelLimits,
} from '../../../../src/core/service/budget.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';

const request: CompletionRequest = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
const price = { input: 1, output: 4 };
const tokens = (of: Budget['of'], limit: number, spent: number, reserved = 0): Budget => ({
  of,
  limit,
  spent,
  reserved,
  running: 0,
  unit: 'tokens',
});
const money = (limit: number, spent: number): Budget => ({
  of: 'day',
  limit,
  spent,
  reserved: 0,
  running: 0,
  unit: 'money',
});
const limits = (maxReply = longestReply, known?: Price): ModelLimits => ({
  price: known,
  maxReply,
});

describe('budgets', () => {
  it('limit every reply, even if more remains than the model could use', () => {
    const free = withinBudgets(request, 100, [], limits());
    assert.equal(free.request, request);
    const budgets = [tokens('chat', 10_000, 1000), tokens('day', 100_000, 0)];
    const { request: sent, reserve } = withinBudgets(request, 100, budgets, limits(4450));
    assert.deepEqual(sent, { ...request, max_tokens: 4450 });
    assert.deepEqual(reserve, { prompt: 100, reply: 4450 });
    assert.equal(withinBudgets(request, 100, budgets, limits(9000)).request.max_tokens, 4450);
  });

  it('keep every reply within the remaining amount', () => {
    const budgets = [tokens('chat', 10_000, 9000), tokens('day', 20_000, 19_500)];
    const { request: sent } = withinBudgets(request, 100, budgets, limits());
    assert.deepEqual(sent, { ...request, max_tokens: 200 });
    const limited = { ...request, max_tokens: 150 };
    const allowed = withinBudgets(limited, 100, budgets, limits());
    assert.equal(allowed.request, limited);
    assert.deepEqual(allowed.reserve, { prompt: 100, reply: 150 });
    const more = { ...request, max_tokens: 50_000 };
    const reduced = withinBudgets(more, 100, [tokens('day', 20_000, 0)], limits());
    assert.equal(reduced.request.max_tokens, 9950);
  });

  it('allow no longer reply than the model accepts', () => {
    const model = { ...limits(), accepted: 4096 };
    const allowed = withinBudgets(request, 100, [tokens('day', 50_000, 0)], model);
    assert.equal(allowed.request.max_tokens, 4096);
    assert.deepEqual(allowed.reserve, { prompt: 100, reply: 4096 });
    const near = withinBudgets(request, 100, [tokens('day', 1000, 0)], model);
    assert.equal(near.request.max_tokens, 450);
  });

  it('count money by the price of the model', () => {
    // The prompt of 1000 tokens costs 0.001. The remaining 0.001 pays for 250 tokens of replies.
    const sent = withinBudgets(request, 1000, [money(0.01, 0.008)], limits(undefined, price));
    assert.equal(sent.request.max_tokens, 125);
    const free = limits(undefined, { input: 0, output: 0 });
    assert.equal(withinBudgets(request, 1000, [money(0.01, 0.01)], free).request, request);
  });

  it('count money by the tier of the request, its dearest rates and its fee', () => {
    const rising: Price = {
      input: 1,
      output: 4,
      request: 0.0005,
      tiers: [{ from: 1000, input: 1, output: 4, cacheWrite: 2, reasoning: 8 }],
    };
    // The prompt of 1000 tokens costs 0.0025. The remaining 0.004 pays for 500 tokens of replies.
    const sent = withinBudgets(request, 1000, [money(0.0065, 0)], limits(undefined, rising));
    assert.equal(sent.request.max_tokens, 250);
    // The prompt of 500 tokens costs 0.001. The remaining 0.004 pays for 1000.
    const short = withinBudgets(request, 500, [money(0.005, 0)], limits(undefined, rising));
    assert.equal(short.request.max_tokens, 500);
  });

  it('refuse requests that exceed them, and name the exceeded budget', () => {
    const refused = (budgets: readonly Budget[], known?: Price): BudgetExceededError => {
      try {
        withinBudgets(request, 100, budgets, limits(undefined, known));
      } catch (error) {
        assert.ok(error instanceof BudgetExceededError);
        return error;
      }
      return assert.fail('It was let through.');
    };
    const chat = tokens('chat', 1000, 900);
    assert.deepEqual(refused([tokens('day', 5000, 0), chat]).budget, chat);
    assert.equal(refused([chat]).needed, 100);
    assert.equal(refused([tokens('day', 0, 0)]).budget.of, 'day');
    assert.equal(refused([money(1, 0)]).needed, undefined);
    assert.equal(refused([money(1, 1)], price).needed?.toFixed(6), '0.000100');
  });

  it('are never exceeded by an estimated prompt and a reply of maximum length', () => {
    const amount = fc.integer({ min: 0, max: 200_000 });
    const longest = fc.integer({ min: 1, max: 200_000 });
    fc.assert(
      fc.property(
        fc.tuple(amount, amount, amount, amount),
        longest,
        fc.option(longest),
        ([limit, spent, reserved, prompt], maxReply, maxTokens) => {
          const budgets = [tokens('day', limit, spent, reserved)];
          const completionRequest =
            maxTokens === null ? request : { ...request, max_tokens: maxTokens };
          try {
            const allowed = withinBudgets(completionRequest, prompt, budgets, limits(maxReply));
            const reply = allowed.request.max_tokens ?? Infinity;
            assert.ok(spent + reserved + prompt + reply <= limit);
            assert.deepEqual(allowed.reserve, { prompt, reply });
            assert.ok(reply <= (maxTokens ?? maxReply));
          } catch (error) {
            assert.ok(error instanceof BudgetExceededError);
            assert.ok(spent + reserved + prompt + 1 > limit);
          }
        },
      ),
    );
  });
});

const longestOf = fc.integer({ min: 1, max: 200_000 });

describe('simultaneous replies', () => {
  it('stay within the budget, each limited to its reserved amount', () => {
    const limit = fc.integer({ min: 500, max: 200_000 });
    const prompts = fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 2, maxLength: 8 });
    const doubts = fc.constantFrom(undefined, { factor: 1.25, tokens: 16 });
    fc.assert(
      fc.property(limit, prompts, fc.option(longestOf), doubts, (most, all, maxReply, doubt) => {
        let reserved = 0;
        for (const [running, prompt] of all.entries()) {
          const budget = { ...tokens('day', most, 0, reserved), running };
          const model = { ...limits(maxReply ?? longestReply), doubt };
          const { request: sent, reserve } = withinBudgets(request, prompt, [budget], model);
          assert.ok(sent.max_tokens !== undefined && sent.max_tokens >= 1);
          assert.ok(reserve.reply >= sent.max_tokens);
          reserved += reserve.prompt + reserve.reply;
        }
        assert.ok(reserved <= most);
      }),
    );
  });

  it('are cut off instead of limited only if the model refuses any limit', () => {
    const model = { ...limits(), refusesLimit: true };
    const allowed = withinBudgets(request, 100, [tokens('day', 1100, 0)], model);
    assert.equal(allowed.request, request);
    assert.deepEqual(allowed.reserve, { prompt: 100, reply: 500 });
  });
});
