import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TokenRatios } from '../../../../src/host/usage/tokenRatios.ts';
import { FakeMemento } from '../fakes.ts';

describe('TokenRatios', () => {
  it('takes four characters for a token before it knows better', () => {
    const ratios = new TokenRatios(new FakeMemento());
    assert.equal(ratios.estimateTokens('a', 0), 0);
    assert.equal(ratios.estimateTokens('a', 9), 3);
  });

  it('learns each model by itself, and remembers', async () => {
    const state = new FakeMemento();
    await new TokenRatios(state).learn('a', 2000, 1000);
    const ratios = new TokenRatios(state);
    assert.equal(ratios.estimateTokens('a', 100), 50);
    assert.equal(ratios.estimateTokens('b', 100), 25);
  });

  it('comes close to what a model keeps reporting', async () => {
    const ratios = new TokenRatios(new FakeMemento());
    await ratios.learn('a', 800, 100);
    for (let reply = 0; reply < 20; reply++) await ratios.learn('a', 300, 100);
    assert.equal(ratios.estimateTokens('a', 300), 100);
  });

  it('stays between one and ten characters a token, whatever is reported', async () => {
    const report = fc.tuple(fc.nat(1_000_000), fc.nat(1_000_000));
    await fc.assert(
      fc.asyncProperty(fc.array(report), async (reports) => {
        const ratios = new TokenRatios(new FakeMemento());
        for (const [characters, tokens] of reports) await ratios.learn('a', characters, tokens);
        const estimate = ratios.estimateTokens('a', 10_000);
        assert.ok(estimate >= 1000 && estimate <= 10_000);
      }),
    );
  });

  it('remembers a bounded number of models, and the default for damaged state', async () => {
    const state = new FakeMemento();
    const ratios = new TokenRatios(state);
    for (let model = 0; model < 60; model++) await ratios.learn(`m${model}`, 2000, 1000);
    assert.equal(ratios.estimateTokens('m59', 100), 50);
    assert.equal(ratios.estimateTokens('m0', 100), 25);
    await state.update('aside.charactersPerToken', [['m59', -1]]);
    assert.equal(ratios.estimateTokens('m59', 100), 25);
  });
});
