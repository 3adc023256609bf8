import assert from 'node:assert/strict';
import type { BudgetSettings } from '../../../src/host/settingValues.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { withFakeVsCode } from '../../support/withFakeVsCode.ts';
import { settled } from './chat/windowRig.ts';

/** One window, whose configuration hears of others' changes when the test says so. */
const vscode = `
  const values = {};
  const listeners = new Set();
  const nested = () =>
    Object.fromEntries(Object.entries(values).map(([id, value]) => [id.slice('aside.'.length), value]));
  export const ConfigurationTarget = { Global: 1, Workspace: 2 };
  export const l10n = { t: (text) => text };
  export const notice = (id, value) => {
    values[id] = value;
    for (const listener of listeners) listener({ affectsConfiguration: () => true });
  };
  export const workspace = {
    getConfiguration: () => ({
      get: () => nested(),
      inspect: (id) => ({ globalValue: id === 'aside' ? nested() : values[id] }),
      update: async (id, value) => notice(id, value),
    }),
    onDidChangeConfiguration: (listener) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
  };
`;

/** The folder that windows share, and what is said of it. */
class Shared {
  readonly clock = new ManualClock();
  readonly errors: unknown[] = [];
  isBroken = false;
  readonly #texts = new Map<string, string>();

  readonly files = {
    read: (name: string) => this.#work(() => this.#texts.get(name)),
    write: (name: string, text: string) => this.#work(() => void this.#texts.set(name, text)),
  };

  readonly onError = (error: unknown): void => void this.errors.push(error);

  #work<T>(work: () => T): Promise<T> {
    return this.isBroken ? Promise.reject(new Error('no disk')) : Promise.resolve().then(work);
  }
}

let windows = 0;

/** A window with a configuration of its own. */
async function openWindow(shared: Shared, budget?: BudgetSettings) {
  const source = `${vscode}// ${windows++}`;
  const { Settings, notice } = await withFakeVsCode(source, async () => {
    const loaded = await import('../../../src/host/settings.ts');
    const found: unknown = Reflect.get(await import('vscode'), 'notice');
    assert.ok(found instanceof Function);
    const tell = (value: BudgetSettings): void =>
      void Reflect.apply(found, undefined, ['aside.budget', value]);
    return { ...loaded, notice: tell };
  });
  if (budget !== undefined) notice(budget);
  const problems: string[] = [];
  const settings = new Settings((problem) => problems.push(problem), shared);
  await settled();
  return { settings, notice, problems };
}

function day(limit: number): BudgetSettings {
  return { day: limit, unit: 'tokens' };
}

function limitOf({ settings }: Awaited<ReturnType<typeof openWindow>>): unknown {
  const { budget } = settings.current();
  return budget === 'invalid' ? budget : budget.day;
}

describe('the settings of several windows', () => {
  for (const next of [5, 50])
    it(`have the budget that one of them sets before VS Code tells the others: ${next}`, async () => {
      const shared = new Shared();
      const [one, other] = [await openWindow(shared, day(10)), await openWindow(shared, day(10))];
      const told: unknown[] = [];
      other.settings.onDidChange(({ budget }) => told.push(budget));
      await one.settings.setBudget(day(next));
      assert.equal(limitOf(one), next);
      await other.settings.refreshBudget();
      assert.equal(limitOf(other), next);
      other.notice(day(next));
      await settled();
      assert.equal(limitOf(other), next);
      assert.equal(told.length, 1, 'The change is told once.');
      assert.equal(limitOf(await openWindow(shared, day(next))), next);
    });

  it('have the smaller budget that a person writes into the settings file', async () => {
    const shared = new Shared();
    const [one, other] = [await openWindow(shared, day(10)), await openWindow(shared, day(10))];
    one.notice(day(5));
    await settled();
    await other.settings.refreshBudget();
    assert.deepEqual([limitOf(one), limitOf(other)], [5, 5]);
  });

  it('hold each in its own window where they cannot be shared, which is said', async () => {
    const shared = new Shared();
    shared.isBroken = true;
    const [one, other] = [await openWindow(shared, day(10)), await openWindow(shared, day(10))];
    await one.settings.setBudget(day(5));
    await other.settings.refreshBudget();
    assert.deepEqual([limitOf(one), limitOf(other)], [5, 10]);
    assert.notEqual(shared.errors.length, 0);
    shared.isBroken = false;
    await one.settings.setBudget(day(4));
    await other.settings.refreshBudget();
    assert.deepEqual([limitOf(one), limitOf(other)], [4, 4]);
  });

  it('refuse every request where the budget is no budget', async () => {
    const window = await openWindow(new Shared());
    assert.deepEqual(window.settings.current().budget, { unit: 'tokens' });
    Reflect.apply(window.notice, undefined, [{ days: 5 }]);
    await settled();
    assert.equal(limitOf(window), 'invalid');
    assert.equal(window.problems.length, 1);
  });
});
