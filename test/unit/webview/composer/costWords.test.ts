import assert from 'node:assert/strict';
import type { SendCost } from '../../../../src/protocol/messages.ts';
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
    assert.match(over.title, /Exceeds the context window of 2k tokens/);
  });
});
