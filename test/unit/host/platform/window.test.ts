import assert from 'node:assert/strict';
import { noProcess } from '../../../../src/host/platform/platform.ts';
import { browserProcess } from '../../../../src/host/platform/window.ts';

/** The Web Locks of one origin, each held by a worker. */
class Locks {
  readonly #held = new Map<string, Worker>();

  /** `navigator.locks` of a worker. */
  of(worker: Worker) {
    return {
      request: async (name: string, hold: () => Promise<unknown>) => {
        this.#held.set(name, worker);
        await hold();
      },
      query: () => Promise.resolve({ held: [...this.#held].flatMap(([name]) => [{ name }]) }),
    };
  }

  /** Releases the locks of a worker that has ended, as a browser does. */
  end(worker: Worker): void {
    for (const [name, holder] of this.#held) if (holder === worker) this.#held.delete(name);
  }
}

class Worker {
  readonly origin: string;
  readonly navigator: { readonly locks: unknown };

  constructor(locks: Locks, origin = 'https://code.example') {
    this.origin = origin;
    this.navigator = { locks: locks.of(this) };
  }
}

describe('the worker of a browser', () => {
  it('counts as running until it ends', async () => {
    const locks = new Locks();
    const [first, second] = [new Worker(locks), new Worker(locks)];
    const [process, otherProcess] = [browserProcess(first), browserProcess(second)];
    assert.equal(process.machine, otherProcess.machine);
    assert.notEqual(process.id, otherProcess.id);
    assert.equal(await otherProcess.isRunning(process.id), true);
    assert.equal(await process.isRunning(otherProcess.id), true);
    locks.end(first);
    assert.equal(await otherProcess.isRunning(process.id), false);
    assert.equal(await otherProcess.isRunning(otherProcess.id), true);
  });

  it('counts as another machine if its locks have another origin', () => {
    const process = browserProcess(new Worker(new Locks(), 'https://one.example'));
    const other = browserProcess(new Worker(new Locks(), 'https://other.example'));
    assert.notEqual(process.machine, other.machine);
  });

  it("can't be found without locks or an origin", () => {
    const { navigator } = new Worker(new Locks());
    for (const scope of [{}, { navigator }, { navigator, origin: 'null' }, { origin: 'https://a' }])
      assert.equal(browserProcess(scope), noProcess);
  });
});
