import assert from 'node:assert/strict';
import { mock } from 'node:test';
import fc from 'fast-check';
import { background } from '../../../../src/core/support/background.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import { reportedErrors } from '../../../support/reportedErrors.ts';

const error = new Error('of the work');
const fails = (): Promise<number> => Promise.reject(error);

describe('work in the background', () => {
  afterEach(() => mock.restoreAll());

  it('reports each error once, in order, and nothing of what succeeds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean()), async (outcomes) => {
        const failures = outcomes.map((succeeded, index) =>
          succeeded ? undefined : new Error(`of ${index}`),
        );
        const errors = await reportedErrors(() => {
          for (const failure of failures)
            background(failure === undefined ? Promise.resolve() : Promise.reject(failure));
        });
        assert.deepEqual(
          errors,
          failures.filter((failure) => failure !== undefined),
        );
      }),
    );
  });

  it('may be absent, and may be a thenable', async () => {
    const thenable: PromiseLike<number> = {
      then: (...handlers) =>
        fails()
          .then(...handlers)
          .then(),
    };
    assert.deepEqual(await reportedErrors(() => background(undefined)), []);
    assert.deepEqual(await reportedErrors(() => background(thenable)), [error]);
  });

  it('throws an error where nobody catches it while it is reported to nothing else', async () => {
    const uncaught: (() => void)[] = [];
    mock.method(globalThis, 'queueMicrotask', (work: () => void) => uncaught.push(work));
    background(fails());
    await new Promise(setImmediate);
    mock.restoreAll();
    assert.deepEqual(uncaught.length, 1);
    assert.throws(() => uncaught[0]?.(), error);
  });

  it('is reported like the error of a listener', async () => {
    const emitter = new Emitter<undefined>();
    emitter.event(() => {
      throw error;
    });
    assert.deepEqual(await reportedErrors(() => emitter.fire(undefined)), [error]);
  });
});
