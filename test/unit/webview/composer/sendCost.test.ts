import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SendBudget, SendCost } from '../../../../src/protocol/messages.ts';
import { costText, type CostText, meterText } from '../../../../src/webview/composer/sendCost.tsx';
import { PanelPage, readyState } from '../panel.ts';

const textOf = (cost: SendCost, length: number, withoutTools = false): CostText =>
  costText(cost, length, 'en', withoutTools, false);

describe('costWords', () => {
  it('describes everything that the line omits', () => {
    const tools = { toolTokens: 1100, contextWindow: 128_000 };
    const cost = { tokens: 4000, perCharacter: 0.25, price: 5e-7, currency: '$', ...tools };
    const lines = [
      'Estimated tokens for the next message: ≈4k',
      'Includes tools: ≈1.1k',
      'Context window: 128k tokens, including the reply',
      'Estimated cost, not including the reply: ≈$0.002',
    ];
    assert.equal(textOf(cost, 0).description, lines.join('\n'));
    lines.splice(1, 1);
    assert.equal(textOf(cost, 0, true).description, lines.join('\n'));
  });

  const cases: readonly (readonly [string, SendCost, number, string])[] = [
    ['tokens alone', { tokens: 900, perCharacter: 0.25 }, 0, '≈900 tokens'],
    ['the draft', { tokens: 900, perCharacter: 0.25 }, 1199, '≈1.2k tokens'],
    [
      'the share of the window that is exceeded',
      { tokens: 192_000, perCharacter: 0.25, contextWindow: 128_000, price: 5e-7, currency: '$' },
      0,
      '150% of 128k',
    ],
    [
      'money alone',
      { tokens: 4000, perCharacter: 0.25, contextWindow: 128_000, price: 5e-7, currency: '$' },
      0,
      '≈$0.002',
    ],
    [
      'money that is almost nothing, without a window',
      { tokens: 10, perCharacter: 0.25, price: 5e-7, currency: 'EUR' },
      0,
      '<EUR 0.0001',
    ],
    ['what is free', { tokens: 10, perCharacter: 0, price: 0, currency: '$' }, 9, '≈$0.00'],
  ];
  for (const [title, cost, length, text] of cases) {
    it(`says ${title}`, () => assert.equal(textOf(cost, length).parts.join(' · '), text));
  }

  it('warns above the limit, not at it', () => {
    const cost = { tokens: 1000, perCharacter: 0.5, contextWindow: 2000 };
    assert.equal(textOf(cost, 2000).isOver, false);
    const over = textOf(cost, 2002);
    assert.ok(over.isOver);
    assert.match(over.description, /Exceeds the context window of 2k tokens/);
  });

  const budget = {
    of: 'chat',
    unit: 'tokens',
    limit: 10_000,
    remaining: 4000,
    perToken: 1,
  } as const;
  const budgets: readonly (readonly [string, Partial<SendBudget>, string, RegExp, boolean])[] = [
    ['much is left', {}, '≈1k tokens', /Chat budget remaining after sending: ≈3k tokens/, false],
    [
      'little is left',
      { remaining: 3000 },
      '≈1k tokens · ≈2k tokens left',
      /Chat budget remaining after sending: ≈2k tokens/,
      false,
    ],
    [
      'nothing is left',
      { remaining: 1000 },
      'Over the chat budget',
      /Over the chat budget\. The message won't be sent\./,
      true,
    ],
    [
      'nothing is left of the month',
      { of: 'month', remaining: 0 },
      'Over the monthly budget',
      /Over the monthly budget/,
      true,
    ],
    [
      'little money is left',
      { of: 'day', unit: 'money', limit: 1, remaining: 0.01, perToken: 2e-6 },
      '≈1k tokens · ≈$0.008 left',
      /Daily budget remaining after sending: ≈\$0\.008/,
      false,
    ],
    [
      'the model is free',
      { remaining: 0, perToken: 0 },
      '≈1k tokens · ≈0 tokens left',
      /≈0/,
      false,
    ],
  ];
  for (const [what, change, line, sentence, isOver] of budgets) {
    it(`warns before sending when ${what}`, () => {
      const sent = { ...budget, ...change };
      const cost = { tokens: 1000, perCharacter: 0.25, currency: '$', budget: sent };
      const text = textOf(cost, 0);
      assert.equal(text.parts.join(' · '), line);
      assert.match(text.description, sentence);
      assert.equal(text.isOver, isOver);
    });
  }
});

const used = (tokens: number, more: Partial<SendCost> = {}): SendCost => ({
  tokens,
  perCharacter: 0.25,
  contextWindow: 32_000,
  ...more,
});

describe('the context meter', () => {
  it('is visible once a quarter of a known window is used, or if something is omitted', () => {
    assert.equal(meterText(used(7999), 0), undefined);
    assert.equal(meterText({ tokens: 1e6, perCharacter: 1 }, 0), undefined);
    assert.equal(meterText(used(8000), 0)?.percent, 25);
    assert.equal(meterText(used(100, { leftOut: { summarized: 4 } }), 0)?.isTight, false);
  });

  it("doesn't appear or disappear while typing, and never shrinks with more text", () => {
    fc.assert(
      fc.property(fc.nat(40_000), fc.nat(100_000), fc.nat(100_000), (tokens, least, more) => {
        const [first, second] = [
          meterText(used(tokens), least),
          meterText(used(tokens), least + more),
        ];
        assert.equal(first === undefined, second === undefined);
        assert.ok((first?.percent ?? 0) <= (second?.percent ?? 0));
        assert.ok((second?.percent ?? 0) <= 100);
      }),
    );
  });

  it('describes in text what its color shows', () => {
    fc.assert(
      fc.property(fc.nat(64_000), fc.boolean(), fc.nat(3), (tokens, results, turns) => {
        const meter = meterText(used(tokens, { leftOut: { results, turns } }), 0);
        const says = /nearly full|not sent|one line/.test(meter?.description ?? '');
        assert.equal(meter?.isTight, says);
      }),
    );
  });

  for (const [cost, description] of [
    [used(14_400), 'About 45% of the context window is used\n≈14.4k of 32k tokens'],
    [
      used(27_000, { leftOut: { turns: 3, results: true, summarized: 12 } }),
      [
        'About 84% of the context window is used: nearly full',
        '≈27k of 32k tokens',
        'Older messages sent as a summary: 12',
        'Older tool results are sent as one line each',
        'Older messages not sent: 3',
      ].join('\n'),
    ],
  ] as const)
    it(`says: ${description.split('\n')[0]}`, () => {
      assert.equal(meterText(cost, 0)?.description, description);
    });
});

describe('the meter in the panel', () => {
  async function open(cost: SendCost): Promise<PanelPage> {
    const page = await PanelPage.open({ state: { ...readyState, cost } });
    await page.until(() => page.all('.cost').length === 1);
    return page;
  }

  it('is a meter with its value as text, and a button that offers actions', async () => {
    const panel = await open(used(14_400));
    const meter = panel.element('[role=meter]');
    assert.equal(meter.getAttribute('aria-label'), 'Context');
    assert.equal(meter.getAttribute('aria-valuenow'), '45');
    const words = 'About 45% of the context window is used';
    assert.equal(meter.getAttribute('aria-valuetext'), words);
    assert.equal(meter.closest('button'), null);
    assert.match(panel.button('Context…').title, new RegExp(`^${words}\n≈14.4k of 32k tokens`));
    await panel.click('Context…');
    assert.deepEqual(panel.requests().at(-1), { name: 'show-context', parameters: {} });
  });
});
