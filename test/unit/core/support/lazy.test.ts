import assert from 'node:assert/strict';
import { lazy, lazyMethods } from '../../../../src/core/support/lazy.ts';

class Counter {
  #count = 0;

  add(amount: number): number {
    this.#count += amount;
    return this.#count;
  }

  fail(): Promise<never> {
    return Promise.reject(new Error(`Failed at ${this.#count}`));
  }
}

describe('lazy methods', () => {
  it('create their value once, at the first call', async () => {
    let created = 0;
    const counter = lazy(() => {
      created += 1;
      return Promise.resolve(new Counter());
    });
    const { add } = lazyMethods(counter.load, 'add');
    assert.equal(created, 0);
    assert.deepEqual(await Promise.all([add(1), add(2)]), [1, 3]);
    assert.equal(created, 1);
  });

  it('pass on errors of the method, and of loading', async () => {
    const { fail } = lazyMethods(() => Promise.resolve(new Counter()), 'fail');
    await assert.rejects(fail(), /Failed at 0/);
    const broken = lazyMethods(() => Promise.reject<Counter>(new Error('Not loaded')), 'add');
    await assert.rejects(broken.add(1), /Not loaded/);
  });
});
