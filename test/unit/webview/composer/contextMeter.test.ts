import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SendCost } from '../../../../src/protocol/messages.ts';
import { meterText } from '../../../../src/webview/composer/sendCost.tsx';
import { PanelPage, readyState } from '../panel.ts';

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
