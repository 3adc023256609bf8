import assert from 'node:assert/strict';
import type { LearnedDetails } from '../../../../src/core/service/learnedFacts.ts';
import type { ModelKnowledge } from '../../../../src/host/connection/modelDetails.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { modelDetails } = await withoutVsCode(
  () => import('../../../../src/host/connection/modelDetails.ts'),
);

const nothing: ModelKnowledge = {
  settings: {},
  listed: {},
  learned: {},
  currency: '$',
};

function detailsOf(known: Partial<ModelKnowledge>): readonly string[] {
  return modelDetails({ ...nothing, ...known }).map(
    ({ name, value, from }) => `${name}: ${value} (${from})`,
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
      'Price: $0 input, $0 cached input, $0 output per million tokens (settings)',
      'Tools: No (settings)',
      'Options not accepted: stop (service)',
    ]);
  });

  it('have no price in dollars if the currency is another one', () => {
    const listed = { price: { input: 1, output: 4 } };
    assert.deepEqual(detailsOf({ listed, currency: '€' }), []);
  });
});
