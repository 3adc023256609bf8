import assert from 'node:assert/strict';
import fc from 'fast-check';
import { GlobalState } from '../../../../src/host/platform/memento.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * `globalState` as in VS Code: an update is sent with all values a moment later, and the window then
 * sends back the values that it stored, which replace all others.
 */
class EchoedState {
  values: Values = {};
  #stored: Values = {};
  /** Messages on their way, in the order in which they arrive. */
  readonly #messages: (() => void)[] = [];

  keys(): readonly string[] {
    return Object.keys(this.values).filter((key) => this.values[key] !== undefined);
  }

  get(key: string): unknown {
    return this.values[key];
  }

  update(key: string, value: unknown): Promise<void> {
    this.values = { ...this.values, [key]: value };
    return new Promise((resolve) => {
      this.#messages.push(() => {
        this.#stored = this.values;
        const stored = this.#stored;
        this.#messages.push(() => {
          this.values = stored;
          resolve();
        });
      });
    });
  }

  /** Lets one message arrive; true if there was one. */
  arrive(): boolean {
    const message = this.#messages.shift();
    message?.();
    return message !== undefined;
  }

  /** What the next window reads. */
  get stored(): Values {
    return this.#stored;
  }
}

async function settle(state: EchoedState): Promise<void> {
  for (let quiet = 0; quiet < 5; quiet++) {
    await Promise.resolve();
    if (state.arrive()) quiet = -1;
  }
}

describe('GlobalState', () => {
  it('keeps and stores every update, however fast they follow each other', async () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      fc.tuple(key, fc.option(fc.nat(9), { nil: undefined })),
      fc.constant('arrive' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const vscode = new EchoedState();
        const state = new GlobalState(vscode);
        const expected = new Map<string, unknown>();
        const updates: Promise<void>[] = [];
        for (const step of steps) {
          if (step === 'arrive') {
            vscode.arrive();
            await Promise.resolve();
            continue;
          }
          const [name, value] = step;
          updates.push(state.update(name, value));
          expected.set(name, value);
          for (const [wanted, kept] of expected) assert.equal(state.get(wanted), kept);
          const names = [...expected]
            .filter(([, kept]) => kept !== undefined)
            .map(([name]) => name);
          assert.deepEqual([...state.keys()].toSorted(), names.toSorted());
        }
        await settle(vscode);
        await Promise.all(updates);
        for (const [name, value] of expected) {
          assert.equal(state.get(name), value);
          assert.equal(vscode.stored[name], value);
        }
      }),
    );
  });

  it('tells whose update failed, and stores the next one', async () => {
    const stored = new Map<string, unknown>();
    const state = new GlobalState({
      keys: () => [...stored.keys()],
      get: (key) => stored.get(key),
      update: (key, value) =>
        key === 'bad'
          ? Promise.reject(new Error('full'))
          : Promise.resolve(void stored.set(key, value)),
    });
    const bad = state.update('bad', 1);
    const good = state.update('good', 2);
    await assert.rejects(bad, /full/);
    await good;
    assert.deepEqual([...stored], [['good', 2]]);
    assert.equal(state.get('bad'), undefined);
  });
});
