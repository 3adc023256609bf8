import assert from 'node:assert/strict';
import * as l10n from '@vscode/l10n';
import { zeroUsage, type Usage } from '../../../../src/core/conversation/usage.ts';
import type { CompletionRequest } from '../../../../src/core/service/wire.ts';
import { UserError } from '../../../../src/host/errors.ts';
import { applyBudget, type Spending } from '../../../../src/host/usage/budgets.ts';

const request: CompletionRequest = {
  model: 'm',
  messages: [{ role: 'user', content: 'x'.repeat(400) }],
};
const used = (total_tokens: number): Usage => ({
  ...zeroUsage,
  prompt_tokens: total_tokens,
  total_tokens,
});
const spending: Spending = {
  budget: { unit: 'tokens' },
  day: new Map([
    ['m', used(7000)],
    ['other', used(2000)],
  ]),
  chat: new Map([['m', used(1500)]]),
  meter: { estimate: (_, characters) => characters / 4 },
  context: {
    l10n,
    language: 'en',
    currency: '$',
    priceOf: (model) => (model === 'm' ? { input: 10, output: 20 } : undefined),
  },
};

function refusal(part: Partial<Spending>, asked = request): string {
  try {
    applyBudget(asked, { ...spending, ...part });
  } catch (error) {
    assert.ok(error instanceof UserError);
    return error.message;
  }
  return assert.fail('It was let through.');
}

describe('what requests may use', () => {
  it('is not limited where nothing is set', () => {
    assert.equal(applyBudget(request, spending), request);
  });

  it('is counted over all models of the day, and of the chat that asks', () => {
    const day = { day: 10_000, unit: 'tokens' } as const;
    assert.equal(applyBudget(request, { ...spending, budget: day }).max_tokens, 900);
    const chat = { chat: 1700, unit: 'tokens' } as const;
    assert.equal(applyBudget(request, { ...spending, budget: chat }).max_tokens, 100);
    assert.equal(applyBudget(request, { ...spending, budget: chat, chat: undefined }), request);
  });

  it('is told in the words of the person when it is used up', () => {
    assert.equal(
      refusal({ budget: { chat: 1550, day: 9000, unit: 'tokens' } }),
      'Not sent: over the chat budget. 1,500 tokens of 1,550 tokens used; this message needs about 100 tokens. Increase aside.budget, or start a new chat.',
    );
    assert.equal(
      refusal({ budget: { day: 9000, unit: 'tokens' } }),
      'Not sent: over the daily budget. 9,000 tokens of 9,000 tokens used; this message needs about 100 tokens. Increase aside.budget, or try again tomorrow.',
    );
  });

  it('is counted in money where the price is known', () => {
    assert.equal(
      refusal({ budget: { day: 0.07, unit: 'money' } }),
      'Not sent: over the daily budget. $0.07 of $0.07 used; this message needs about $0.001. Increase aside.budget, or try again tomorrow.',
    );
    assert.match(
      refusal({ budget: { day: 100, unit: 'money' } }, { ...request, model: 'other' }),
      /the price of other isn't known/,
    );
  });

  it('is nothing where it is not known what should be limited', () => {
    assert.match(refusal({ budget: 'invalid' }), /the setting aside\.budget isn't valid/);
  });
});
