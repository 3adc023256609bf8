import assert from 'node:assert/strict';
import fc from 'fast-check';
import { modelKeys, type ServiceNames } from '../../../../src/core/service/modelReference.ts';
import { TokenRatios } from '../../../../src/host/usage/tokenRatios.ts';
import { FakeMemento } from '../fakes.ts';

function estimate(ratios: TokenRatios, model: string, characters: number): number {
  return ratios.estimate(model, characters, 'prompt');
}

describe('TokenRatios', () => {
  it('learns each model separately, and persists what each window learns', () => {
    const state = new FakeMemento();
    const [first, second] = [new TokenRatios(state), new TokenRatios(state)];
    first.learn('a', 2000, 1000, 'prompt');
    second.learn('b', 2000, 1000, 'prompt');
    first.learn('c', 2000, 1000, 'prompt');
    for (const ratios of [first, second, new TokenRatios(state)]) {
      const estimates = ['a', 'b', 'c', 'other'].map((model) => estimate(ratios, model, 100));
      assert.deepEqual(estimates, [50, 50, 50, 25]);
    }
  });

  it('keeps what it learned of a model when another service is current', async () => {
    const state = new FakeMemento();
    await state.update('aside.tokenRatios', [['early', { prompt: 5, error: 1.1 }]]);
    let names: ServiceNames = { current: 'a', others: ['b'] };
    const ratios = new TokenRatios(state, (model) => modelKeys(model, names));
    ratios.learn('m', 2000, 1000, 'prompt');
    names = { current: 'b', others: ['a'] };
    const estimates = ['m@a', 'm', 'early', 'early@a'].map((model) => estimate(ratios, model, 100));
    assert.deepEqual(estimates, [50, 25, 20, 20]);
  });

  it('separates prompts and replies, and uses one for the other until both are known', () => {
    const ratios = new TokenRatios(new FakeMemento());
    ratios.learn('a', 200, 100, 'reply');
    assert.equal(estimate(ratios, 'a', 100), 50);
    ratios.learn('a', 500, 100, 'prompt');
    assert.equal(estimate(ratios, 'a', 100), 20);
    assert.equal(ratios.estimate('a', 100, 'reply'), 50);
  });

  it('knows the maximum error of low estimates, at least 10 %', () => {
    const report = fc.integer({ min: 20, max: 2000 });
    fc.assert(
      fc.property(fc.array(report, { minLength: 1 }), (reports) => {
        const state = new FakeMemento();
        const ratios = new TokenRatios(state);
        assert.equal(ratios.margin('a'), 1.1);
        let worst = 1.1;
        for (const [index, tokens] of reports.entries()) {
          const error = tokens / (2000 / (2000 / estimate(ratios, 'a', 2000)));
          if (index > 0) worst = Math.max(worst, error);
          ratios.learn('a', 2000, tokens, 'prompt');
        }
        // Estimates are whole tokens.
        assert.ok(ratios.margin('a') >= worst * 0.99 && ratios.margin('a') >= 1.1);
        assert.equal(new TokenRatios(state).margin('a'), ratios.margin('a'));
      }),
    );
  });

  it('stays between one and ten characters per token, whatever is reported', () => {
    const report = fc.tuple(fc.nat(1_000_000), fc.nat(1_000_000));
    fc.assert(
      fc.property(fc.array(report), (reports) => {
        const ratios = new TokenRatios(new FakeMemento());
        for (const [characters, tokens] of reports) ratios.learn('a', characters, tokens, 'prompt');
        const tokens = estimate(ratios, 'a', 10_000);
        assert.ok(tokens >= 1000 && tokens <= 10_000);
      }),
    );
  });

  it('stores a limited number of models, and uses the default for damaged state', async () => {
    const state = new FakeMemento();
    const ratios = new TokenRatios(state);
    for (let model = 0; model < 60; model++) ratios.learn(`m${model}`, 2000, 1000, 'prompt');
    assert.equal(estimate(ratios, 'm59', 100), 50);
    assert.equal(estimate(ratios, 'm0', 100), 25);
    await state.update('aside.tokenRatios', [['m59', { prompt: -1, error: 1 }]]);
    assert.equal(estimate(ratios, 'm59', 100), 25);
  });
});
