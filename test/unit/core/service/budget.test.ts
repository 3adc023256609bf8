import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  checkedClient,
  BudgetExceededError,
  withinBudgets,
  type Budget,
} from '../../../../src/core/service/budget.ts';
import type { Client } from '../../../../src/core/service/client.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';

const request: CompletionRequest = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
const price = { input: 1, output: 4 };
const tokens = (of: Budget['of'], limit: number, spent: number): Budget => ({
  of,
  limit,
  spent,
  unit: 'tokens',
});
const money = (limit: number, spent: number): Budget => ({
  of: 'day',
  limit,
  spent,
  unit: 'money',
});

describe('budgets', () => {
  it('leave a request alone while much is left', () => {
    assert.equal(withinBudgets(request, 100, [], undefined), request);
    const budgets = [tokens('chat', 10_000, 1000), tokens('day', 100_000, 0)];
    assert.equal(withinBudgets(request, 100, budgets, undefined), request);
  });

  it('keep the last reply within what is left', () => {
    const budgets = [tokens('chat', 10_000, 9000), tokens('day', 20_000, 19_500)];
    const sent = withinBudgets(request, 100, budgets, undefined);
    assert.deepEqual(sent, { ...request, max_tokens: 400 });
    const own = { ...request, max_tokens: 300 };
    assert.equal(withinBudgets(own, 100, budgets, undefined), own);
    const more = { ...request, max_tokens: 50_000 };
    const left = withinBudgets(more, 100, [tokens('day', 20_000, 0)], undefined);
    assert.equal(left.max_tokens, 19_900);
  });

  it('count money by the price of the model', () => {
    // 1000 tokens of prompt for 0.001, and 0.001 left for 250 tokens of reply.
    const sent = withinBudgets(request, 1000, [money(0.01, 0.008)], price);
    assert.equal(sent.max_tokens, 250);
    const free = { input: 0, output: 0 };
    assert.equal(withinBudgets(request, 1000, [money(0.01, 0.01)], free), request);
  });

  it('refuse what they have no room for, and tell which of them', () => {
    const refused = (budgets: readonly Budget[], known = false): BudgetExceededError => {
      try {
        withinBudgets(request, 100, budgets, known ? price : undefined);
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
    assert.equal(refused([money(1, 1)], true).needed?.toFixed(6), '0.000100');
  });

  it('are never passed by a prompt as estimated and a reply as long as it may be', () => {
    const amount = fc.integer({ min: 0, max: 20_000 });
    fc.assert(
      fc.property(amount, amount, amount, (limit, spent, prompt) => {
        try {
          const sent = withinBudgets(request, prompt, [tokens('day', limit, spent)], undefined);
          assert.ok(spent + prompt + (sent.max_tokens ?? 4096) <= limit);
        } catch (error) {
          assert.ok(error instanceof BudgetExceededError && spent + prompt + 1 > limit);
        }
      }),
    );
  });
});

describe('a client whose requests are checked', () => {
  function clientOf(sent: CompletionRequest[]): Client {
    return {
      address: { baseUrl: 'https://a/v1', host: 'a', origin: 'https://a' },
      async *stream(given) {
        sent.push(given);
        await Promise.resolve();
        yield { type: 'text', text: 'Hi' };
      },
      listModels: () => Promise.resolve([]),
    };
  }

  it('sends what the check made of them', async () => {
    const sent: CompletionRequest[] = [];
    const client = checkedClient(clientOf(sent), (given) => ({ ...given, max_tokens: 5 }));
    for await (const event of client.stream(request)) assert.equal(event.type, 'text');
    assert.deepEqual(sent, [{ ...request, max_tokens: 5 }]);
  });

  it('sends nothing where the check throws', async () => {
    const sent: CompletionRequest[] = [];
    const client = checkedClient(clientOf(sent), () => {
      throw new Error('no');
    });
    await assert.rejects(async () => {
      for await (const event of client.stream(request)) assert.fail(event.type);
    }, /no/);
    assert.deepEqual(sent, []);
  });
});
