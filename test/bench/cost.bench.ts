import { usageCost } from '../../src/core/conversation/usage.ts';
import { readUsage } from '../../src/core/service/completion.ts';
import { readPrice } from '../../src/core/service/prices.ts';
import { figureRow } from './row.ts';
import type { Table } from './table.ts';

/** Prices as lists of services state them, and usage of replies that says what was billed. */
const replies: readonly (readonly [price: object, usage: object])[] = [
  [
    { prompt: '0.0000002', completion: '0.0000005', input_cache_read: '0.00000005' },
    {
      prompt_tokens: 441,
      completion_tokens: 267,
      prompt_tokens_details: { cached_tokens: 153 },
      completion_tokens_details: { reasoning_tokens: 199 },
      cost: 0.00019875,
    },
  ],
  [
    { input: '0.00000175', output: '0.000014', input_cache_read: '0.000000175' },
    {
      prompt_tokens: 3801,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 3712 },
      cost: 0.00087535,
    },
  ],
  [
    { prompt: '0.0000006', completion: '0.0000025' },
    { prompt_tokens: 105, completion_tokens: 16, cost: 0.000103 },
  ],
  [
    { prompt: '0.0000006', completion: '0.0000025' },
    { prompt_tokens: 107, completion_tokens: 15, cost: 0.0001017 },
  ],
];

/** Compares the cost that Aside computes from a list with the amount that the service billed. */
export function bench(table: Table): Promise<void> {
  const errors = replies.map(([pricing, reported]) => {
    const usage = readUsage(reported);
    const { price } = readPrice({ pricing });
    if (usage?.billed === undefined || price === undefined)
      throw new Error(`There is no price or no bill: ${JSON.stringify(pricing)}`);
    return Math.abs(usageCost(usage, price) / usage.billed - 1);
  });
  table.add(
    figureRow({
      name: `Cost computed from a list, against the one billed: largest error of ${errors.length} replies`,
      value: 100 * Math.max(...errors),
      unit: '%',
      goal: 1,
    }),
  );
  return Promise.resolve();
}
