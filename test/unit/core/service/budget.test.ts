import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Price } from '../../../../src/core/conversation/usage.ts';
import {
  BudgetExceededError,
  longestReply,
  meteredClient,
  withinBudgets,
  withoutLimit,
  withSmallerReply,
  type Budget,
  type ModelLimits,
} from '../../../../src/core/service/budget.ts';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { admissionOf } from '../../../support/recordingClient.ts';

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
  it('limit every reply, also where there is more left than the model could use', () => {
    const free = withinBudgets(request, 100, [], limits());
    assert.equal(free.request, request);
    const budgets = [tokens('chat', 10_000, 1000), tokens('day', 100_000, 0)];
    const { request: sent, reserve } = withinBudgets(request, 100, budgets, limits(4450));
    assert.deepEqual(sent, { ...request, max_tokens: 4450 });
    assert.deepEqual(reserve, { prompt: 100, reply: 4450 });
    assert.equal(withinBudgets(request, 100, budgets, limits(9000)).request.max_tokens, 4450);
  });

  it('keep every reply within what is left', () => {
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

  it('ask for no more than the model accepts', () => {
    const model = { ...limits(), accepted: 4096 };
    const allowed = withinBudgets(request, 100, [tokens('day', 50_000, 0)], model);
    assert.equal(allowed.request.max_tokens, 4096);
    assert.deepEqual(allowed.reserve, { prompt: 100, reply: 4096 });
    const near = withinBudgets(request, 100, [tokens('day', 1000, 0)], model);
    assert.equal(near.request.max_tokens, 450);
  });

  it('count what other requests reserved', () => {
    const budget = tokens('day', 10_000, 2000, 7000);
    assert.equal(withinBudgets(request, 100, [budget], limits()).request.max_tokens, 450);
    assert.throws(
      () => withinBudgets(request, 1000, [budget], limits()),
      (error) => error instanceof BudgetExceededError && error.budget.reserved === 7000,
    );
  });

  it('count money by the price of the model', () => {
    // 1000 tokens of prompt for 0.001, and 0.001 left for 250 tokens of replies.
    const sent = withinBudgets(request, 1000, [money(0.01, 0.008)], limits(undefined, price));
    assert.equal(sent.request.max_tokens, 125);
    const free = limits(undefined, { input: 0, output: 0 });
    assert.equal(withinBudgets(request, 1000, [money(0.01, 0.01)], free).request, request);
  });

  it('refuse what they have no room for, and tell which of them', () => {
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

  it('are never passed by a prompt as estimated and a reply as long as it may be', () => {
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

describe('replies that run at once', () => {
  it('all fit while their prompts do, and each is limited to what it reserves', () => {
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

  it('are only cut off where the model refuses any limit', () => {
    const model = { ...limits(), refusesLimit: true };
    const allowed = withinBudgets(request, 100, [tokens('day', 1100, 0)], model);
    assert.equal(allowed.request, request);
    assert.deepEqual(allowed.reserve, { prompt: 100, reply: 500 });
  });
});

describe('a max_tokens that a model does not accept', () => {
  const refusals: readonly (readonly [string, number])[] = [
    ['max_tokens is too large: 99000. This model supports at most 16384 completion tokens.', 16384],
    ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 8192],
    ['max_tokens: 99000 > 64000, which is the maximum allowed number of output tokens', 64000],
    ["'max_completion_tokens' is too large", 4096],
    ['max_tokens must be below 10', 4096],
  ];
  const sent = { ...request, max_tokens: 99_000 };
  for (const [detail, accepted] of refusals) {
    it(`becomes ${accepted} after “${detail}”`, () => {
      const error = new ServiceError('bad-request', 'HTTP status 400', { status: 400, detail });
      assert.equal(withSmallerReply(sent, error)?.max_tokens, accepted);
    });
  }

  it('is left out where the model takes none of any size', () => {
    const refused = ['max_tokens is not supported', 'Unrecognized request argument: max_tokens'];
    for (const detail of refused) {
      const error = new ServiceError('bad-request', 'HTTP status 400', { status: 400, detail });
      assert.equal(withSmallerReply(sent, error), undefined);
      assert.deepEqual(withoutLimit(sent, error), request);
      assert.equal(withoutLimit(request, error), undefined);
    }
    const detail = 'max_tokens is too large';
    assert.equal(withoutLimit(sent, new ServiceError('bad-request', '400', { detail })), undefined);
  });

  it('becomes smaller where the prompt leaves no room for it', () => {
    const detail =
      'maximum context length is 8192 tokens, you requested 99100 (100 in the messages, 99000 in the completion)';
    const error = new ServiceError('context-exceeded', '400', { detail });
    const smaller = withSmallerReply(sent, error);
    assert.equal(smaller?.max_tokens, 8192);
    assert.equal(withSmallerReply(smaller, error)?.max_tokens, 4096);
  });

  it('is not the reason of any other error', () => {
    const other = new ServiceError('bad-request', '400', { detail: 'messages: too long, 4096' });
    assert.equal(withSmallerReply(sent, other), undefined);
    assert.equal(withSmallerReply(sent, new Error('max_tokens')), undefined);
    const kind = new ServiceError('rate-limited', '429', { detail: 'max_tokens 5000' });
    assert.equal(withSmallerReply(sent, kind), undefined);
    const usual = new ServiceError('bad-request', '400', { detail: 'max_tokens' });
    assert.equal(withSmallerReply({ ...request, max_tokens: 4096 }, usual), undefined);
  });
});

describe('a metered client', () => {
  const hi: CompletionEvent = { type: 'text', text: 'Hi' };

  function clientOf(sent: CompletionRequest[], failures: readonly Error[] = []): Client {
    return {
      address: { baseUrl: 'https://a/v1', host: 'a', origin: 'https://a' },
      async *stream(completionRequest) {
        const failure = failures[sent.length];
        sent.push(completionRequest);
        await Promise.resolve();
        if (failure !== undefined) throw failure;
        yield hi;
        yield hi;
      },
      listModels: () => Promise.resolve([]),
    };
  }

  async function textsOf(client: Client): Promise<number> {
    let count = 0;
    for await (const event of client.stream(request)) if (event.type === 'text') count++;
    return count;
  }

  it('sends what was admitted, and tells its end once', async () => {
    const sent: CompletionRequest[] = [];
    const ends: unknown[] = [];
    const client = meteredClient(clientOf(sent), (completionRequest) =>
      Promise.resolve(
        admissionOf({ ...completionRequest, max_tokens: 5 }, { end: (error) => ends.push(error) }),
      ),
    );
    assert.equal(await textsOf(client), 2);
    assert.deepEqual(sent, [{ ...request, max_tokens: 5 }]);
    assert.deepEqual(ends, [undefined]);
  });

  it('passes a reply on while one line about it is written, and waits where a second is due', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(20), fc.nat(20), async (first, more) => {
        const pieces = first + more + 2;
        let writeLine = (): void => undefined;
        const line = new Promise<void>((resolve) => (writeLine = resolve));
        let seen = 0;
        const many: Client = {
          ...clientOf([]),
          async *stream() {
            for (let sent = 0; sent < pieces; sent++) yield await Promise.resolve(hi);
          },
        };
        const due = new Set([first, first + 1 + more]);
        let noted = 0;
        const client = meteredClient(many, (completionRequest) =>
          Promise.resolve(
            admissionOf(completionRequest, { note: () => (due.has(noted++) ? line : undefined) }),
          ),
        );
        const reading = (async () => {
          for await (const event of client.stream(request)) if (event.type === 'text') seen++;
        })();
        await new Promise((resolve) => setImmediate(resolve));
        assert.equal(seen, pieces - 1, 'The last piece comes with the second line.');
        writeLine();
        await reading;
        assert.equal(seen, pieces);
      }),
    );
  });

  it('sends nothing where the admission is refused', async () => {
    const sent: CompletionRequest[] = [];
    const client = meteredClient(clientOf(sent), () => Promise.reject(new Error('no')));
    await assert.rejects(textsOf(client), /no/);
    assert.deepEqual(sent, []);
  });

  it('passes on the text that exceeds the limit, and cuts the reply off after it', async () => {
    const ends: unknown[] = [];
    const exceeded = new Error('over');
    let seen = 0;
    const client = meteredClient(clientOf([]), (completionRequest) =>
      Promise.resolve(
        admissionOf(completionRequest, {
          observe: () => exceeded,
          end: (error) => ends.push(error),
        }),
      ),
    );
    await assert.rejects(async () => {
      for await (const event of client.stream(request)) if (event.type === 'text') seen++;
    }, exceeded);
    assert.equal(seen, 1);
    assert.deepEqual(ends, [exceeded]);
  });

  it('admits the next attempt anew after one that may be billed, and counts on', async () => {
    const sent: unknown[] = [];
    const ends: unknown[] = [];
    const error = new ServiceError('timeout', 'No answer');
    const client: Client = {
      ...clientOf([]),
      async *stream(completionRequest, _signal, first = 1) {
        await Promise.resolve();
        for (let attempt = first; attempt < 4; attempt++) {
          sent.push([completionRequest.max_tokens, attempt]);
          yield { type: 'retry', attempt: attempt + 1, attempts: 4, delay: 0, error };
          yield { type: 'attempt', attempt: attempt + 1 };
        }
        sent.push([completionRequest.max_tokens, 4]);
        yield hi;
      },
    };
    let admitted = 0;
    const metered = meteredClient(client, (completionRequest) => {
      admitted += 1;
      if (admitted > 3) return Promise.reject(new Error('over'));
      const end = (failure: unknown): number => ends.push(failure);
      return Promise.resolve(
        admissionOf({ ...completionRequest, max_tokens: admitted }, { isSpent: true, end }),
      );
    });
    await assert.rejects(textsOf(metered), /over/);
    assert.deepEqual(sent, [
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    assert.deepEqual(ends, [error, error, error]);
  });

  it('sends another request instead of one that failed, if there is one', async () => {
    const sent: CompletionRequest[] = [];
    const failures = [new Error('first'), new Error('second')];
    const client = meteredClient(clientOf(sent, failures), (completionRequest) =>
      Promise.resolve(
        admissionOf(completionRequest, {
          instead: () =>
            sent.length < 3 ? { ...completionRequest, max_tokens: sent.length } : undefined,
        }),
      ),
    );
    assert.equal(await textsOf(client), 2);
    assert.deepEqual(
      sent.map(({ max_tokens }) => max_tokens),
      [undefined, 1, 2],
    );
  });
});
