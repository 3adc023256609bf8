import assert from 'node:assert/strict';
import {
  addUsage,
  formatMoney,
  usageCost,
  zeroUsage,
  type Price,
  type Usage,
} from '../../../../src/core/conversation/usage.ts';

describe('formatMoney', () => {
  const cases: readonly (readonly [number, string, string])[] = [
    [0, '$', '$0.00'],
    [0.00001, '$', '<$0.0001'],
    [0.0012, '$', '$0.0012'],
    [0.0424, '$', '$0.042'],
    [0.5, '€', '€0.50'],
    [1234.567, '$', '$1,234.57'],
    [1, 'EUR', 'EUR 1.00'],
  ];
  for (const [amount, currency, text] of cases) {
    it(`writes ${amount} as ${text}`, () =>
      assert.equal(formatMoney(amount, currency, 'en'), text));
  }
});

describe('usageCost', () => {
  const million = 1_000_000;
  const used = (counts: Partial<Usage>): Usage => ({ ...zeroUsage, requests: 1, ...counts });

  it('takes each part of a request at its own price', () => {
    const price: Price = { input: 4, output: 10, cachedInput: 1, cacheWrite: 5, reasoning: 20 };
    const usage = used({
      prompt_tokens: 4 * million,
      cached_tokens: million,
      written_tokens: 2 * million,
      completion_tokens: 3 * million,
      reasoning_tokens: million,
    });
    assert.equal(usageCost(usage, price), 4 + 1 + 2 * 5 + 2 * 10 + 20);
    assert.equal(usageCost(usage, { input: 4, output: 10 }), 4 * 4 + 3 * 10);
  });

  it('counts no part twice where the parts exceed the whole', () => {
    const price: Price = { input: 4, output: 10, cachedInput: 1, cacheWrite: 5, reasoning: 20 };
    const usage = used({
      prompt_tokens: million,
      cached_tokens: million,
      written_tokens: million,
      completion_tokens: million,
      reasoning_tokens: 2 * million,
    });
    assert.equal(usageCost(usage, price), 1 + 20);
  });

  const tiered: Price = {
    input: 1,
    output: 2,
    tiers: [
      { from: 200_000, input: 2, output: 4, cachedInput: 0.5 },
      { from: million, input: 3, output: 6 },
    ],
  };
  const tiers: readonly (readonly [tokens: number, cost: number])[] = [
    [0, 2],
    [199_999, 0.199_999 + 2],
    [200_000, 0.4 + 4],
    [million, 3 + 6],
  ];
  for (const [prompt_tokens, cost] of tiers)
    it(`takes a whole request of ${prompt_tokens} tokens in its tier`, () => {
      const usage = used({ prompt_tokens, completion_tokens: million });
      assert.equal(usageCost(usage, tiered).toFixed(6), cost.toFixed(6));
    });

  it('takes several requests in the tier of their average length', () => {
    assert.equal(usageCost(used({ prompt_tokens: 300_000, requests: 3 }), tiered), 0.3);
    assert.equal(usageCost(used({ prompt_tokens: 600_000, requests: 3 }), tiered), 1.2);
  });

  it('adds the fees of requests and images', () => {
    const price: Price = { input: 0, output: 0, request: 0.5, image: 0.25 };
    assert.equal(usageCost(used({ requests: 2 }), price, 3), 2 * 0.5 + 3 * 0.25);
    assert.equal(usageCost(used({}), price), 0.5);
  });
});

describe('addUsage', () => {
  it('adds what was written to the cache, where a service reports it', () => {
    const written = { ...zeroUsage, written_tokens: 3 };
    assert.equal(addUsage(written, written).written_tokens, 6);
    assert.ok(!('written_tokens' in addUsage(zeroUsage, zeroUsage)));
  });
});
