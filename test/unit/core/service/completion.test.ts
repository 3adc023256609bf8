import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readUsage } from '../../../../src/core/service/completion.ts';

/** Reports as services send them, with the tokens of prompt, cache, reply and reasoning. */
const reports: readonly (readonly [string, object, readonly number[]])[] = [
  [
    'OpenAI: reasoning is part of the completion',
    {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920 },
      completion_tokens_details: { reasoning_tokens: 256 },
    },
    [2006, 1920, 300, 256],
  ],
  [
    'xAI: reasoning is beside the completion',
    {
      prompt_tokens: 10_120,
      completion_tokens: 1499,
      total_tokens: 14_428,
      prompt_tokens_details: { cached_tokens: 128 },
      completion_tokens_details: { reasoning_tokens: 2809 },
    },
    [10_120, 128, 4308, 2809],
  ],
  [
    'xAI with one visible token',
    {
      prompt_tokens: 12,
      completion_tokens: 1,
      total_tokens: 399,
      completion_tokens_details: { reasoning_tokens: 386 },
    },
    [12, 0, 387, 386],
  ],
  [
    'a gateway that drops the total',
    {
      prompt_tokens: 12,
      completion_tokens: 1,
      completion_tokens_details: { reasoning_tokens: 97 },
    },
    [12, 0, 98, 97],
  ],
  [
    'Gemini: only the total has the thoughts',
    { prompt_tokens: 20, completion_tokens: 198, total_tokens: 623 },
    [20, 0, 603, 0],
  ],
  [
    'DeepSeek: hits and misses of the cache',
    {
      prompt_tokens: 900,
      completion_tokens: 80,
      total_tokens: 980,
      prompt_cache_hit_tokens: 832,
      prompt_cache_miss_tokens: 68,
    },
    [900, 832, 80, 0],
  ],
  [
    'Anthropic behind a gateway: the cache is beside the prompt',
    {
      prompt_tokens: 14,
      completion_tokens: 60,
      total_tokens: 74,
      cache_read_input_tokens: 5000,
      cache_creation_input_tokens: 700,
    },
    [5714, 5000, 60, 0],
  ],
  [
    'a server that counts it another way',
    { prompt_tokens: 64, num_cached_tokens: 48 },
    [64, 48, 0, 0],
  ],
  ['a total alone', { total_tokens: 50 }, [50, 0, 0, 0]],
];

describe('the usage of a reply', () => {
  for (const [what, report, expected] of reports)
    it(`is read as the service means it: ${what}`, () => {
      const usage = readUsage(report);
      assert.ok(usage);
      const { prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens = 0 } = usage;
      assert.deepEqual(
        [prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens],
        expected,
      );
    });

  it('has the amount that the service billed', () => {
    const counts = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const billed = (more: object): number | undefined => readUsage({ ...counts, ...more })?.billed;
    assert.equal(billed({}), undefined);
    assert.equal(billed({ cost: 0.0042 }), 0.0042);
    assert.equal(billed({ cost: { usd: 0.013, hypercredits: 0.26 } }), 0.013);
    assert.equal(billed({ cost: { total_cost: 0.006, request_cost: 0.005 } }), 0.006);
    assert.equal(billed({ estimated_cost: 0.0001 }), 0.0001);
    assert.equal(billed({ cost_in_usd_ticks: 232_856_000 }), 0.0232856);
    const ownKey = { is_byok: true, cost_details: { upstream_inference_cost: 0.1 } };
    assert.equal(billed({ cost: 0.005, ...ownKey })?.toFixed(3), '0.105');
    for (const cost of [-1, '0.1', null, Infinity]) assert.equal(billed({ cost }), undefined);
  });

  it('is never less than its parts, nor more than 10 million, whatever is reported', () => {
    const count = fc.oneof(fc.nat(5000), fc.constantFrom(0, 1, 1e9, 1e15, -5, 0.5, null, '7'));
    const field = fc.constantFrom(
      'prompt_tokens',
      'completion_tokens',
      'total_tokens',
      'cached_tokens',
      'cache_creation_input_tokens',
      'reasoning_tokens',
    );
    fc.assert(
      fc.property(fc.dictionary(field, count), (report) => {
        const usage = readUsage(report);
        if (usage === undefined) return;
        const { prompt_tokens, completion_tokens, total_tokens, cached_tokens } = usage;
        const { written_tokens = 0, reasoning_tokens = 0 } = usage;
        assert.equal(total_tokens, prompt_tokens + completion_tokens);
        assert.ok(total_tokens <= 10_000_000 && total_tokens >= 0);
        assert.ok(cached_tokens + written_tokens <= prompt_tokens);
        assert.ok(reasoning_tokens <= completion_tokens);
        for (const name of ['prompt_tokens', 'completion_tokens', 'total_tokens'])
          if (typeof report[name] === 'number' && report[name] <= 1_000_000)
            assert.ok(total_tokens >= Math.round(report[name]));
      }),
    );
  });
});
