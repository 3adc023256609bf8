import assert from 'node:assert/strict';
import type { BudgetSettings } from '../../../src/host/settingValues.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { withFakeVsCode } from '../../support/withFakeVsCode.ts';
import { settled } from './chat/windowRig.ts';

/** Fake of a window whose configuration changes when the test says so. */
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
      update: async (id, value) => {
        await null;
        if (value === 'refused') throw new Error('read-only');
        notice(id, value);
      },
    }),
    onDidChangeConfiguration: (listener) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
  };
`;

/** The folder that windows share, with the errors that were reported. */
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

async function openWindow(shared: Shared, budget?: BudgetSettings) {
  const source = `${vscode}// ${windows++}`;
  const { Settings, notice } = await withFakeVsCode(source, async () => {
    const loaded = await import('../../../src/host/settings.ts');
    const notice: unknown = Reflect.get(await import('vscode'), 'notice');
    assert.ok(notice instanceof Function);
    const notifyWindow = (value: BudgetSettings): void =>
      void Reflect.apply(notice, undefined, ['aside.budget', value]);
    return { ...loaded, notice: notifyWindow };
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

describe('the effort of a model', () => {
  it('is stored in the settings of the model, without changing others, until it is the default again', async () => {
    const { settings } = await openWindow(new Shared());
    assert.equal(settings.effortOf('m'), undefined);
    settings.setFacts(new Map([['m', { takesEffort: true, tools: true }]]));
    assert.deepEqual(settings.effortOf('m'), { effort: undefined });
    await settings.setPrice('m', { input: 1, output: 2 });
    await settings.setEffort('m', 'high');
    assert.deepEqual(settings.effortOf('m'), { effort: 'high' });
    assert.equal(settings.ofPerson('m').price?.output, 2);
    const facts = { takesEffort: true, refused: ['reasoning_effort'] } as const;
    settings.setFacts(new Map([['m', facts]]));
    assert.equal(settings.effortOf('m'), undefined, 'it was refused');
    assert.equal(settings.current().models['m']?.reasoningEffort, undefined);
    settings.setFacts(new Map([['m', { takesEffort: true }]]));
    assert.deepEqual(settings.effortOf('m'), { effort: 'high' });
    await settings.setEffort('m', undefined);
    assert.deepEqual(settings.effortOf('m'), { effort: undefined });
    assert.equal(settings.ofPerson('m').price?.output, 2);
  });
});

describe('the entry of a model, while several services are connected', () => {
  it('is that of its service, and leaves the general one as it is', async () => {
    const { settings } = await openWindow(new Shared());
    settings.setFacts(new Map(), { current: 'a', others: [] });
    await settings.setPrice('m', { input: 1, output: 2 });
    await settings.setEffort('m', 'high');
    settings.setFacts(new Map(), { current: 'b', others: ['a'] });
    await settings.setPrice('m', { input: 3, output: 4 });
    await settings.setEffort('m', undefined);
    await settings.setEffort('m@a', 'low');
    const of = (model: string) => {
      const { price, reasoningEffort } = settings.ofPerson(model);
      return [price?.output, reasoningEffort];
    };
    assert.deepEqual(
      [of('m'), of('m@a')],
      [
        [4, undefined],
        [2, 'low'],
      ],
    );
    settings.setFacts(new Map(), { current: 'a', others: ['c'] });
    assert.deepEqual(
      [of('m'), of('m@c')],
      [
        [2, 'low'],
        [2, 'high'],
      ],
    );
    settings.setFacts(new Map(), { current: 'a', others: [] });
    await settings.setEffort('m', 'medium');
    assert.deepEqual(
      of('m'),
      [2, 'medium'],
      'an entry with the name is changed, as it comes first',
    );
  });
});

describe('settings that VS Code is writing', () => {
  it('are awaited before a message is sent, so that it goes to the model that was just chosen', async () => {
    const { settings } = await openWindow(new Shared());
    await settings.setModel('old');
    const writing = [settings.setModel('new'), settings.setEffort('new', 'high')];
    assert.equal(settings.current().model, 'old');
    await settings.written();
    assert.equal(settings.current().model, 'new');
    assert.equal(settings.current().models['new']?.reasoningEffort, 'high');
    await Promise.all(writing);
  });

  it('hold back no message if they can not be written', async () => {
    const { settings } = await openWindow(new Shared());
    await settings.setModel('old');
    const writing = settings.setModel('refused');
    await settings.written();
    await assert.rejects(writing, { message: 'read-only' });
    assert.equal(settings.current().model, 'old');
  });
});

describe('the settings of several windows', () => {
  for (const next of [5, 50])
    it(`share the budget that one of them sets before VS Code notifies the others: ${next}`, async () => {
      const shared = new Shared();
      const [first, second] = [
        await openWindow(shared, day(10)),
        await openWindow(shared, day(10)),
      ];
      const reported: unknown[] = [];
      second.settings.onDidChange(({ budget }) => reported.push(budget));
      await first.settings.setBudget(day(next));
      assert.equal(limitOf(first), next);
      await second.settings.refreshBudget();
      assert.equal(limitOf(second), next);
      second.notice(day(next));
      await settled();
      assert.equal(limitOf(second), next);
      assert.equal(reported.length, 1, 'The change is told once.');
      assert.equal(limitOf(await openWindow(shared, day(next))), next);
    });

  it('refuse every request if the budget is invalid', async () => {
    const window = await openWindow(new Shared());
    assert.deepEqual(window.settings.current().budget, { unit: 'tokens' });
    Reflect.apply(window.notice, undefined, [{ days: 5 }]);
    await settled();
    assert.equal(limitOf(window), 'invalid');
    assert.equal(window.problems.length, 1);
  });
});
