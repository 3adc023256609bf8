import assert from 'node:assert/strict';
import type { SendBudget, SendCost } from '../../../../src/protocol/messages.ts';
import { costText } from '../../../../src/webview/composer/costWords.ts';

describe('costWords', () => {
  const cases: readonly (readonly [string, SendCost, number, string])[] = [
    ['tokens alone', { tokens: 900, perCharacter: 0.25 }, 0, '≈900 tokens'],
    ['the draft', { tokens: 900, perCharacter: 0.25 }, 1199, '≈1.2k tokens'],
    [
      'the share of the window',
      { tokens: 3840, perCharacter: 0.25, contextWindow: 128_000 },
      0,
      '≈3.8k tokens · 3% of 128k',
    ],
    [
      'a share that is almost nothing',
      { tokens: 100, perCharacter: 0.25, contextWindow: 128_000 },
      0,
      '≈100 tokens · <1% of 128k',
    ],
    [
      'money',
      { tokens: 4000, perCharacter: 0.25, contextWindow: 128_000, price: 5e-7, currency: '$' },
      0,
      '≈4k tokens · 3% of 128k · ≈$0.002',
    ],
    [
      'money that is almost nothing, without a window',
      { tokens: 10, perCharacter: 0.25, price: 5e-7, currency: 'EUR' },
      0,
      '≈10 tokens · <EUR 0.0001',
    ],
    [
      'what is free',
      { tokens: 10, perCharacter: 0, price: 0, currency: '$' },
      9,
      '≈10 tokens · ≈$0.00',
    ],
  ];
  for (const [title, cost, length, text] of cases) {
    it(`says ${title}`, () => assert.equal(costText(cost, length, 'en').parts.join(' · '), text));
  }

  it('warns over the window, not at it', () => {
    const cost = { tokens: 1000, perCharacter: 0.5, contextWindow: 2000 };
    assert.equal(costText(cost, 2000, 'en').isOver, false);
    const over = costText(cost, 2002, 'en');
    assert.ok(over.isOver);
    assert.match(over.description, /Exceeds the context window of 2k tokens/);
  });

  const budget = { of: 'chat', unit: 'tokens', limit: 10_000, left: 4000, perToken: 1 } as const;
  const budgets: readonly (readonly [string, Partial<SendBudget>, string, RegExp, boolean])[] = [
    ['much is left', {}, '≈1k tokens', /Chat budget remaining after sending: ≈3k tokens/, false],
    [
      'little is left',
      { left: 3000 },
      '≈1k tokens · ≈2k tokens left',
      /Chat budget remaining after sending: ≈2k tokens/,
      false,
    ],
    [
      'nothing is left',
      { left: 1000 },
      '≈1k tokens · Over the chat budget',
      /Over the chat budget\. The message won't be sent\./,
      true,
    ],
    [
      'nothing is left of the day',
      { of: 'day', left: 0 },
      '≈1k tokens · Over the daily budget',
      /Over the daily budget/,
      true,
    ],
    [
      'nothing is left of the month',
      { of: 'month', left: 0 },
      '≈1k tokens · Over the monthly budget',
      /Over the monthly budget/,
      true,
    ],
    [
      'little is left of the month',
      { of: 'month', left: 1200 },
      '≈1k tokens · ≈200 tokens left',
      /Monthly budget remaining after sending: ≈200 tokens/,
      false,
    ],
    [
      'little money is left',
      { of: 'day', unit: 'money', limit: 1, left: 0.01, perToken: 2e-6 },
      '≈1k tokens · ≈$0.008 left',
      /Daily budget remaining after sending: ≈\$0\.008/,
      false,
    ],
    ['the model is free', { left: 0, perToken: 0 }, '≈1k tokens · ≈0 tokens left', /≈0/, false],
  ];
  for (const [what, change, line, sentence, isOver] of budgets) {
    it(`tells before sending when ${what}`, () => {
      const sent = { ...budget, ...change };
      const cost = { tokens: 1000, perCharacter: 0.25, currency: '$', budget: sent };
      const text = costText(cost, 0, 'en');
      assert.equal(text.parts.join(' · '), line);
      assert.match(text.description, sentence);
      assert.equal(text.isOver, isOver);
    });
  }
});
