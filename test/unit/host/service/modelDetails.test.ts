import assert from 'node:assert/strict';
import type { LearnedDetails } from '../../../../src/core/service/learnedFacts.ts';
import type { ModelKnowledge } from '../../../../src/host/service/modelDetails.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { modelDetails } = await withoutVsCode(
  () => import('../../../../src/host/service/modelDetails.ts'),
);

const nothing: ModelKnowledge = {
  settings: {},
  listed: {},
  learned: {},
  currency: '$',
};

function detailsOf(known: Partial<ModelKnowledge>): readonly string[] {
  return modelDetails({ ...nothing, ...known }).map(
    ({ name, value, from, written }) =>
      `${name}: ${value} (${from}${written === undefined ? '' : `: ${written}`})`,
  );
}

describe('the details of a model', () => {
  it('come from the settings first, then from errors, then from the service', () => {
    const listed = {
      contextWindow: 128_000,
      maxOutput: 16_000,
      price: { input: 1, output: 4, cachedInput: 0.1 },
      tools: true,
      refused: ['top_p', 'stop'] as const,
    };
    assert.deepEqual(detailsOf({ listed }), [
      'Context window: 128k tokens (service)',
      'Longest reply: 16k tokens (service)',
      'Price: $1 input, $0.1 cached input, $4 output per million tokens (service)',
      'Tools: Yes (service)',
      'Options not accepted: top_p, stop (service)',
    ]);
    const learned: LearnedDetails = {
      contextWindow: 64_000,
      refused: ['stop', 'temperature'],
    };
    assert.deepEqual(detailsOf({ listed, learned }), [
      'Context window: 64k tokens (error)',
      'Longest reply: 16k tokens (service)',
      'Price: $1 input, $0.1 cached input, $4 output per million tokens (service)',
      'Tools: Yes (service)',
      'Options not accepted: top_p, stop (service)',
      'Options not accepted: temperature (error)',
    ]);
    const configured = {
      contextWindow: 200_000,
      price: { input: 0, output: 0, cachedInput: undefined },
      tools: false,
      topP: 0.5,
      temperature: 1,
    };
    assert.deepEqual(detailsOf({ settings: configured, listed, learned }), [
      'Context window: 200k tokens (settings)',
      'Longest reply: 16k tokens (service)',
      'Price: $0 input, $0 output per million tokens (settings)',
      'Tools: No (settings)',
      'Options not accepted: stop (service)',
    ]);
  });

  it('name each price, from where it holds, and the unit in which it was read', () => {
    const price = {
      input: 3,
      output: 15,
      cachedInput: 0.3,
      cacheWrite: 3.75,
      reasoning: 20,
      tiers: [{ from: 200_000, input: 6, output: 22.5 }],
      request: 0.005,
      image: 0.0048,
      isPartial: true,
      source: { field: 'pricing.prompt', tokens: 1 },
    };
    assert.deepEqual(detailsOf({ listed: { price } }), [
      'Price: At least $3 input, $0.3 cached input, $3.75 cache write, $15 output, $20 reasoning ' +
        'per million tokens (service: pricing.prompt in dollars per token)',
      'From 200k tokens: $6 input, $22.5 output per million tokens (service)',
      'Fee per request: $0.005 (service)',
      'Fee per image: $0.0048 (service)',
    ]);
    const source = { field: 'pricing.input', tokens: 1_000_000 };
    assert.deepEqual(detailsOf({ listed: { price: { input: 1, output: 2, source } } }), [
      'Price: $1 input, $2 output per million tokens ' +
        '(service: pricing.input in dollars per 1,000,000 tokens)',
    ]);
  });

  it('say that a price is unknown if the service lists one that is not understood', () => {
    const listed = { unreadPrice: 'pricing' };
    assert.deepEqual(detailsOf({ listed }), ["Price: Unknown (service: pricing isn't understood)"]);
    const price = { input: 1, output: 2, cachedInput: undefined };
    assert.deepEqual(detailsOf({ listed, settings: { price } }), [
      'Price: $1 input, $2 output per million tokens (settings)',
    ]);
  });

  it('have no price in dollars if the currency is another one', () => {
    const listed = { price: { input: 1, output: 4 } };
    assert.deepEqual(detailsOf({ listed: { ...listed, chat: false }, currency: '€' }), [
      'Chat: No (service)',
    ]);
    assert.deepEqual(detailsOf({ listed: { unreadPrice: 'pricing' }, currency: '€' }), []);
  });
});
