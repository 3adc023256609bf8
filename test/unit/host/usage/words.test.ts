import { turnStart, userMessage } from '../../../support/turns.ts';
import { reduce } from '../../../../src/core/conversation/reduce.ts';
import type { ConversationEvent } from '../../../../src/core/conversation/events.ts';
import { emptyConversation } from '../../../../src/core/conversation/conversation.ts';
import assert from 'node:assert/strict';
import type { Price, Usage } from '../../../../src/core/conversation/usage.ts';
import {
  statusText,
  totalOf,
  usageTooltip,
  usageRows,
  type UsageByModel,
  type UsageContext,
  usageOfChat,
} from '../../../../src/host/usage/usageTable.ts';

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

function column(...entries: [string, Usage][]): UsageByModel {
  return new Map(entries);
}

function context(prices: Record<string, Price> = {}): UsageContext {
  return { language: 'en', currency: '$', priceOf: (model) => prices[model] };
}

function valuesOf(label: string, columns: UsageByModel[], prices?: Record<string, Price>): unknown {
  return usageRows(columns, context(prices)).find((row) => row.label === label)?.values;
}

describe('statusText', () => {
  const icon = '$(comment-discussion)';
  const cases: readonly (readonly [string, UsageByModel, string])[] = [
    ['', none, `${icon} Aside`],
    ['', column(['a', usage]), `${icon} Aside`],
    ['mistral/mistral-small', none, `${icon} mistral-small`],
    ['mistral/mistral-small', column(['a', usage]), `${icon} mistral-small 12.4k`],
    ['a/b/c', column(['x', { ...usage, estimated: true }]), `${icon} c ≈12.4k`],
    ['a/', none, `${icon} a/`],
    ['a/$(flame)', none, `${icon} $ (flame)`],
  ];
  for (const [model, session, text] of cases) {
    it(`is “${text}”`, () => assert.equal(statusText(model, totalOf(session)), text));
  }

  it('shortens a long name', () => {
    assert.ok(statusText('x'.repeat(500), totalOf(none)).length < 60);
  });
});

describe('usageRows', () => {
  it('marks estimates, but not the number of requests', () => {
    const estimated = [column(['a', { ...usage, cached_tokens: 0, estimated: true }])];
    assert.deepEqual(valuesOf('Total', estimated, {}), ['≈12,400']);
    assert.deepEqual(valuesOf('Cached', estimated, {}), ['0']);
    assert.deepEqual(valuesOf('Requests', estimated, {}), ['3']);
    assert.deepEqual(valuesOf('Cost', estimated, { a: price }), ['≈$0.034']);
  });

  it('prices each model by itself, and says when some have no price', () => {
    const both = column(['a', usage], ['b', usage]);
    assert.deepEqual(valuesOf('Cost', [both], { a: price, b: price }), ['$0.064']);
    assert.deepEqual(valuesOf('Cost', [both, none], { a: price }), ['≥$0.032', '–']);
    assert.equal(valuesOf('Cost', [both], { c: price }), undefined);
  });
});

describe('usageTooltip', () => {
  it('lets no model id become a link, an icon or a row', () => {
    const columns = { chat: none, session: none, today: none };
    const text = usageTooltip('[x](command:y)\n|$(flame)|<b>', columns, context());
    assert.ok(!/\]\(|[^\\]\$\(|[^\\]<b/.test(text), text);
    assert.equal(text.split('\n')[1], '');
  });
});

describe('usageOfChat', () => {
  it('adds up turns by model, including undone ones', () => {
    const turn = (id: string, model: string): ConversationEvent[] => [
      turnStart({ id, question: userMessage(''), model, at: 0 }),
      { type: 'usage', usage },
      { type: 'turn-end', status: 'finished', at: 1 },
    ];
    const events: ConversationEvent[] = [
      ...turn('1', 'a'),
      ...turn('2', 'b'),
      { type: 'turn-remove', id: '2' },
      ...turn('3', 'a'),
    ];
    const chat = events.reduce(reduce, emptyConversation('1'));
    const sums = [...usageOfChat(chat)].map(([model, sum]) => [model, sum.total_tokens]);
    assert.deepEqual(sums, [
      ['a', 24_800],
      ['b', 12_400],
    ]);
  });
});
