import assert from 'node:assert/strict';
import { BudgetExceededError } from '../../../../src/core/service/budget.ts';
import { exceeded } from '../../../../src/host/usage/budgetTexts.ts';

const context = { language: 'en', currency: '$' } as const;
const budget = {
  of: 'day',
  unit: 'tokens',
  limit: 1000,
  spent: 600,
  reserved: 300,
  running: 1,
} as const;

describe('texts about budgets', () => {
  it('count what running requests may use as used when a request is refused', () => {
    const amounts = '900 tokens of 1,000 tokens used; this message needs about 200 tokens.';
    for (const [of, account, name] of [
      ['chat', undefined, 'chat budget'],
      ['day', undefined, 'daily budget'],
      ['month', undefined, 'monthly budget'],
      ['day', 'work', 'daily budget of work'],
      ['month', 'work', 'monthly budget of work'],
    ] as const) {
      const refused = { ...budget, of, ...(account && { account }) };
      const { message } = exceeded(new BudgetExceededError(refused, 200), 'm', context);
      assert.ok(message.startsWith(`Not sent: over the ${name}. ${amounts}`), message);
    }
  });
});
