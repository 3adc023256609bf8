import { usageTooltip } from '../../../../src/host/usage/statusBar.ts';
import assert from 'node:assert/strict';
import { zeroUsage, type Price, type Usage } from '../../../../src/core/conversation/usage.ts';
import { statusText } from '../../../../src/host/usage/statusItem.ts';
import { emptyConversation } from '../../../../src/core/conversation/conversation.ts';
import {
  usageOfChat,
  type UsageByModel,
  type UsageContext,
} from '../../../../src/host/usage/usageByModel.ts';

describe('the text in the status bar', () => {
  it('is the short name of the model, and the tokens of the session', () => {
    const used = { ...zeroUsage, total_tokens: 12_400 };
    const cases = [
      ['', zeroUsage, 'Aside'],
      ['', used, 'Aside'],
      ['mistral/mistral-small', zeroUsage, 'mistral-small'],
      ['mistral/mistral-small', used, 'mistral-small 12.4k'],
      ['a/b/c', { ...used, estimated: true }, 'c ≈12.4k'],
      ['a/', zeroUsage, 'a/'],
      ['a/$(flame)', zeroUsage, '$ (flame)'],
      ['x'.repeat(500), zeroUsage, `${'x'.repeat(31)}…`],
    ] as const;
    for (const [model, usage, text] of cases)
      assert.equal(statusText(model, usage), `$(comment-discussion) ${text}`);
  });
});

const usage: Usage = {
  prompt_tokens: 10_000,
  completion_tokens: 2_400,
  total_tokens: 12_400,
  cached_tokens: 4_000,
  requests: 3,
  estimated: false,
};
const price: Price = { input: 1, output: 10, cachedInput: 0.5 };
const none: UsageByModel = new Map();

function context(prices: Record<string, Price> = {}): UsageContext {
  return { language: 'en', currency: '$', priceOf: (model) => prices[model] };
}

/** The cells of a row; undefined if there is no such row. */
function valuesOf(
  label: string,
  [chat = none, session = none, today = none]: readonly UsageByModel[],
  prices?: Record<string, Price>,
): readonly string[] | undefined {
  const rows = usageTooltip('m', [chat, session, today], context(prices)).split('\n');
  const cells = rows.map((row) => row.replaceAll('\\', '').split('|').slice(1, -1));
  const row = cells.map((texts) => texts.map((text) => text.trim()));
  return row.find(([first]) => first === label)?.slice(1);
}

describe('the tooltip', () => {
  it('marks estimates, but not the number of requests', () => {
    const estimated = [new Map([['a', { ...usage, cached_tokens: 0, estimated: true }]])];
    assert.deepEqual(valuesOf('Total', estimated), ['≈12,400', '0', '0']);
    assert.deepEqual(valuesOf('Cached', estimated), ['0', '0', '0']);
    assert.deepEqual(valuesOf('Requests', estimated), ['3', '0', '0']);
    assert.deepEqual(valuesOf('Cost', estimated, { a: price }), ['≈$0.034', '–', '–']);
  });

  it('prices each model by itself, and says when some have no price', () => {
    const both = new Map([
      ['a', usage],
      ['b', usage],
    ]);
    assert.deepEqual(valuesOf('Cost', [both], { a: price, b: price }), ['$0.064', '–', '–']);
    assert.deepEqual(valuesOf('Cost', [none, both], { a: price }), ['–', '≥$0.032', '–']);
    assert.equal(valuesOf('Cost', [both], { c: price }), undefined);
  });

  it('lets no model id become a link, an icon or a row', () => {
    const text = usageTooltip('[x](command:y)\n|$(flame)|<b>', [none, none, none], context());
    assert.ok(!/\]\(|[^\\]\$\(|[^\\]<b/.test(text), text);
    assert.equal(text.split('\n')[1], '');
  });
});

describe('usageOfChat', () => {
  it('adds up all requests by model, also the demo and imported ones', () => {
    const imported = { a: usage, b: usage };
    const chat = { ...emptyConversation('1'), usage: { a: usage }, importedUsage: imported };
    const sums = [...usageOfChat({ ...chat, demoUsage: { demo: usage } })];
    const totals = Object.fromEntries(
      sums.map(([model, { total_tokens }]) => [model, total_tokens]),
    );
    assert.deepEqual(totals, { a: 24_800, b: 12_400, demo: 12_400 });
  });
});
