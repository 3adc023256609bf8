import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import { ReplyState } from '../../../../src/core/service/replyAccumulator.ts';

const error = new ServiceError('in-stream', 'overloaded');
const laterError = new ServiceError('in-stream', 'too late');

const steps = {
  content: (state: ReplyState) => state.addContent(),
  finish: (state: ReplyState) => state.addFinishReason(),
  likely: (state: ReplyState) => state.addLikelyError(error),
  error: (state: ReplyState) => state.addError(error),
  words: (state: ReplyState) => state.addWords('busy'),
};
type Step = keyof typeof steps;

function after(...names: readonly Step[]): ReplyState {
  const state = new ReplyState();
  for (const name of names) steps[name](state);
  return state;
}

describe('the state of a reply', () => {
  it('keeps the first error', () => {
    const state = after('error');
    state.addError(laterError);
    state.addLikelyError(laterError);
    assert.equal(state.fault, error);
  });

  it('keeps a finish reason with a likely error, in any order', () => {
    for (const state of [after('finish', 'likely'), after('likely', 'finish')]) {
      assert.equal(state.isFinished, true);
      assert.equal(state.fault, error);
    }
  });

  it('keeps its rules after any steps', () => {
    const anySteps = fc.array(fc.constantFrom(...Object.keys(steps).filter(isStep)));
    fc.assert(
      fc.property(anySteps, (names) => {
        const state = after(...names);
        assert.equal(state.hasContent, names.includes('content'));
        const wasFinished = state.isFinished;
        const { phase, resumptions } = state;
        state.addContent();
        assert.equal(state.hasContent, true);
        assert.equal(state.isFinished, false);
        assert.equal(state.words, '');
        assert.equal(state.resumptions, resumptions + (phase === 'ended' ? 1 : 0));
        if (wasFinished) assert.equal(state.finishedEarly, true);
      }),
      { numRuns: 200, seed: 1 },
    );
  });
});

function isStep(name: string): name is Step {
  return Object.hasOwn(steps, name);
}
