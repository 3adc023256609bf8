import assert from 'node:assert/strict';
import { BudgetExceededError, type Budget } from '../../../../src/core/service/budget.ts';
import { exceeded, usedBudgetText } from '../../../../src/host/usage/budgetTexts.ts';

const context = { language: 'en', currency: '$' } as const;
const budget = {
  of: 'day',
  unit: 'tokens',
  limit: 1000,
  spent: 600,
  reserved: 300,
  running: 1,
  period: '2030-01-31',
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

  it('say how much ended requests used, of a zero limit all', () => {
    const text = (more: Partial<Budget>): string => usedBudgetText({ ...budget, ...more }, context);
    const used = 'is used: 600 tokens of 1,000 tokens.';
    assert.equal(text({ of: 'chat' }), `60% of this chat's budget ${used}`);
    assert.equal(text({ of: 'day' }), `60% of today's budget ${used}`);
    assert.equal(text({ of: 'month' }), `60% of this month's budget ${used}`);
    assert.equal(text({ account: 'a' }), `60% of today's budget of a ${used}`);
    assert.equal(text({ of: 'month', account: 'a' }), `60% of this month's budget of a ${used}`);
    assert.match(text({ limit: 0, spent: 0 }), /^100%/);
  });

  it('say if a budget can only stop replies, because the model accepts no maximum length', () => {
    const text = usedBudgetText({ ...budget, unlimitedModels: ['org/m', 'org/n\n'] }, context);
    assert.match(
      text,
      / org\/m, org\/n\S* doesn't accept .* so the budget can only stop a reply\.$/,
    );
  });
});
