import assert from 'node:assert/strict';
import { zeroUsage } from '../../../../src/core/conversation/usage.ts';
import { turnLimit } from '../../../../src/core/turn/turnLimit.ts';

const usage = {
  ...zeroUsage,
  prompt_tokens: 1000,
  cached_tokens: 400,
  completion_tokens: 100,
  total_tokens: 1100,
  requests: 1,
};
const price = { input: 2, output: 10, cachedInput: 0.5 };

describe('turnLimit', () => {
  it('counts the tokens of prompts', () => {
    const { unit, amount, amountOf } = turnLimit({ turn: 5000, unit: 'tokens' }, price);
    assert.deepEqual([unit, amount, amountOf(usage)], ['tokens', 5000, 1000]);
  });

  it('counts the cost of requests', () => {
    const { unit, amount, amountOf } = turnLimit({ turn: 0.5, unit: 'money' }, price);
    assert.deepEqual([unit, amount, amountOf(usage)], ['money', 0.5, 0.0024]);
  });

  it('is one million tokens if none is set, or the price is unknown', () => {
    const limits = [
      turnLimit({ unit: 'tokens' }, price),
      turnLimit({ unit: 'money' }, price),
      turnLimit({ turn: 0.5, unit: 'money' }),
    ];
    for (const { unit, amount, amountOf } of limits)
      assert.deepEqual([unit, amount, amountOf(usage)], ['tokens', 1_000_000, 1000]);
  });
});
