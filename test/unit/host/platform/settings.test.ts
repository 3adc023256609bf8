import assert from 'node:assert/strict';
import type { BudgetSettings } from '../../../../src/host/platform/settingValues.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import { settled } from '../../../support/settled.ts';

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

let windows = 0;

async function openWindow() {
  const source = `${vscode}// ${windows++}`;
  const { Settings, notice } = await withFakeVsCode(source, async () => {
    const loaded = await import('../../../../src/host/platform/settings.ts');
    const notice: unknown = Reflect.get(await import('vscode'), 'notice');
    assert.ok(notice instanceof Function);
    const notifyWindow = (value: BudgetSettings): void =>
      void Reflect.apply(notice, undefined, ['aside.budget', value]);
    return { ...loaded, notice: notifyWindow };
  });
  const problems: string[] = [];
  const settings = new Settings((problem) => problems.push(problem));
  await settled();
  return { settings, notice, problems };
}

function day(limit: number): BudgetSettings {
  return { day: limit, unit: 'tokens' };
}

describe('the effort of a model', () => {
  it('is stored in the settings of the model, without changing others, until it is the default again', async () => {
    const { settings } = await openWindow();
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
    const { settings } = await openWindow();
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
    const { settings } = await openWindow();
    await settings.setModel('old');
    const writing = [settings.setModel('new'), settings.setEffort('new', 'high')];
    assert.equal(settings.current().model, 'old');
    await settings.written();
    assert.equal(settings.current().model, 'new');
    assert.equal(settings.current().models['new']?.reasoningEffort, 'high');
    await Promise.all(writing);
  });

  it('hold back no message if they can not be written', async () => {
    const { settings } = await openWindow();
    await settings.setModel('old');
    const writing = settings.setModel('refused');
    await settings.written();
    await assert.rejects(writing, { message: 'read-only' });
    assert.equal(settings.current().model, 'old');
  });
});

describe('a budget in the settings', () => {
  it('is in force when VS Code reports it', async () => {
    const window = await openWindow();
    window.notice(day(5));
    assert.deepEqual(window.settings.current().budget, day(5));
    await window.settings.setBudget(day(50));
    assert.deepEqual(window.settings.current().budget, day(50));
  });

  it('refuses every request if it is invalid, and is reported once', async () => {
    const window = await openWindow();
    Reflect.apply(window.notice, undefined, [{ days: 5 }]);
    for (let times = 0; times < 2; times++)
      assert.equal(window.settings.current().budget, 'invalid');
    assert.equal(window.problems.length, 1);
  });
});
