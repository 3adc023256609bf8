import assert from 'node:assert/strict';
import { mock } from 'node:test';
import fc from 'fast-check';
import { abortError } from '../../../../src/core/support/async.ts';
import { background, orUndefined, reported } from '../../../../src/core/support/background.ts';
import { reportedErrors } from '../../../support/reportedErrors.ts';

const error = new Error('of the work');
const fails = (): Promise<number> => Promise.reject(error);
const succeeds = (): Promise<number> => Promise.resolve(1);

describe('work in the background', () => {
  afterEach(() => mock.restoreAll());

  it('reports each error once, in order, and nothing on success', async () => {
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

  it('does not report an abort', async () => {
    const stopped = AbortSignal.abort();
    const work = Promise.reject(abortError(stopped));
    assert.deepEqual(await reportedErrors(() => background(work)), []);
  });

  it('may be undefined or a thenable', async () => {
    const thenable: PromiseLike<number> = { then: (...handlers) => fails().then(...handlers) };
    assert.deepEqual(await reportedErrors(() => background(undefined)), []);
    assert.deepEqual(await reportedErrors(() => background(thenable)), [error]);
  });

  it('throws an unhandled error if no handler is set', async () => {
    const uncaught: (() => void)[] = [];
    mock.method(globalThis, 'queueMicrotask', (work: () => void) => uncaught.push(work));
    background(fails());
    await new Promise(setImmediate);
    mock.restoreAll();
    assert.deepEqual(uncaught.length, 1);
    assert.throws(() => uncaught[0]?.(), error);
  });
});

describe('an optional value of a promise', () => {
  it('is undefined if the promise fails, which only the variant for unexpected failures reports', async () => {
    for (const [optional, errors] of [
      [reported, [error]],
      [orUndefined, []],
    ] as const) {
      const values: unknown[] = [];
      const reports = await reportedErrors(async () => {
        values.push(await optional(fails()), await optional(succeeds()));
      });
      assert.deepEqual([values, reports], [[undefined, 1], errors]);
    }
  });
});
