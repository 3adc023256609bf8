import assert from 'node:assert/strict';
import { parseAddress } from '../../../../src/core/service/address.ts';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import { TokenRatios } from '../../../../src/host/usage/tokenRatios.ts';
import { systemClock } from '../../../../src/core/support/clock.ts';
import type { Model } from '../../../../src/core/service/wire.ts';
import { ModelCatalog } from '../../../../src/host/service/modelCatalog.ts';
import { groupModels, type ModelChoices } from '../../../../src/host/service/modelList.ts';
import { FakeMemento } from '../fakes.ts';
import { baseUrl, ConnectionRig, demoBaseUrl, origin } from './rig.ts';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { knownFacts, Models } = await withoutVsCode(
  () => import('../../../../src/host/service/models.ts'),
);

function model(id: string): Model {
  return { id, ownedBy: id.split('/')[0] ?? '' };
}

function catalogOn(state: FakeMemento, models: readonly Model[] = []): ModelCatalog {
  return new ModelCatalog(state, () => Promise.resolve(models), systemClock);
}

function choices(ids: readonly string[], more: Partial<ModelChoices> = {}): ModelChoices {
  return { models: ids.map(model), current: '', recent: [], pinned: [], ...more };
}

function shape(input: ModelChoices): string[] {
  return groupModels(input).map(
    (group) => `${group.owner ?? group.kind}: ${group.models.map(({ id }) => id).join(' ')}`,
  );
}

describe('groupModels', () => {
  it('groups by owner, both in order, numbers by their value', () => {
    assert.deepEqual(shape(choices(['b/9', 'a/2', 'b/10', 'a/1'])), ['a: a/1 a/2', 'b: b/9 b/10']);
  });

  it('lists recently used models first, and each model once', () => {
    const more = { current: 'a/1', recent: ['a/1', 'b/1', 'gone'], pinned: ['b/2', 'a/1', 'b/2'] };
    assert.deepEqual(shape(choices(['a/1', 'a/2', 'b/1', 'b/2'], more)), [
      'current: a/1',
      'pinned: b/2',
      'recent: b/1',
      'a: a/2',
    ]);
  });

  it('marks the chosen model if it is gone', () => {
    const [first] = groupModels(choices(['a/1'], { current: 'a/old' }));
    assert.deepEqual(first, {
      kind: 'current',
      models: [{ id: 'a/old', ownedBy: '', missing: true }],
    });
    assert.deepEqual(groupModels(choices([], { current: 'a/old' })), []);
  });
});

describe('models by price', () => {
  it('has the current model first, then the cheapest, and those of unknown price last', () => {
    const prices = new Map([
      ['a/dear', { input: 10, output: 30 }],
      ['b/cheap', { input: 0.1, output: 0.3 }],
      ['a/free', { input: 0, output: 0 }],
      ['c/same', { input: 0.3, output: 0.1 }],
      ['a/used', { input: 99, output: 99 }],
    ]);
    const ids = ['z/none', 'a/dear', 'c/same', 'a/used', 'b/cheap', 'a/none', 'a/free'];
    const more = { current: 'a/used', pinned: ['a/dear'], recent: ['z/none'] };
    assert.deepEqual(shape(choices(ids, { ...more, priceOf: (id) => prices.get(id) })), [
      'current: a/used',
      'price: a/free b/cheap c/same a/dear a/none z/none',
    ]);
  });
});

describe('the model for a purpose', () => {
  it('is the configured one, undefined for the chosen one, as in the demo', async () => {
    const rig = new ConnectionRig();
    rig.settings.set({ baseUrl, modelFor: { edit: 'a/edit' } });
    const { choice } = rig;
    assert.deepEqual([choice.of('edit'), choice.of('commit')], ['a/edit', undefined]);
    await rig.connection.useDemo();
    assert.equal(choice.of('edit'), undefined);
  });

  it('stays at the service that has it after another one became the current one', async () => {
    const rig = new ConnectionRig();
    const { settings } = rig;
    for (const [host, ids] of [
      ['one.example', ['a', 'both']],
      ['two.test', ['both', 'c']],
    ] as const) {
      const { baseUrl } = await rig.connect(host, ids);
      settings.set({ baseUrl });
    }
    const modelFor = { edit: 'a', commit: 'both', shorten: 'unlisted', ask: 'c@two', chat: 'c' };
    settings.set({ modelFor });
    const { choice } = rig;
    const purposes = ['edit', 'commit', 'shorten', 'ask', 'chat'] as const;
    const models = purposes.map((purpose) => choice.of(purpose));
    assert.deepEqual(models, ['a@one', 'both', 'unlisted', 'c@two', 'c']);
    settings.set({ baseUrl: '' });
    assert.equal(choice.of('edit'), 'a@one');
  });
});

describe('ModelCatalog', () => {
  const endpoint = { id: origin, baseUrl, origin, host: 'h', apiKey: 'sk-', fetch, demo: false };
  const signal = new AbortController().signal;

  it('keeps a list for each origin over a restart, with the time it was read', async () => {
    const rig = new ConnectionRig(() => Promise.resolve([model('a/1'), { id: 'b', ownedBy: 'x' }]));
    const changed: string[] = [];
    rig.catalog.onDidChange((changedOrigin) => changed.push(changedOrigin));
    await rig.catalog.refresh(endpoint, signal);
    const { state, clock } = rig;
    const again = catalogOn(state);
    assert.equal(again.list(origin)?.readAt, clock.wall());
    assert.deepEqual(
      again.list(origin)?.models.map(({ id, ownedBy }) => [id, ownedBy]),
      [
        ['a/1', 'a'],
        ['b', 'x'],
      ],
    );
    assert.equal(again.list('https://other.example'), undefined);
    assert.deepEqual(changed, [origin]);
  });

  it("stores the service's model details, even for the next window", async () => {
    const state = new FakeMemento();
    const open = (): ModelCatalog => catalogOn(state);
    const price = { input: 0.5, output: 1.5, cachedInput: 0.05 };
    const facts = { contextWindow: 8192, maxOutput: 1024, price, tools: true };
    await open().remember(origin, [{ ...model('a/1'), facts }, model('a/2')]);
    assert.deepEqual(
      [...open().facts(origin)],
      [
        ['a/1', facts],
        ['a/2', {}],
      ],
    );
    assert.equal(open().facts('https://other.example').size, 0);
  });

  it('keeps the old list when a new one cannot be read', async () => {
    const rig = new ConnectionRig(() => Promise.reject(new Error('offline')));
    await rig.catalog.remember(origin, [model('a/1')]);
    await assert.rejects(rig.catalog.refresh(endpoint, signal), /offline/);
    assert.equal(rig.catalog.list(origin)?.models.length, 1);
    assert.equal(rig.catalog.lacks(origin, 'a/1'), false);
    assert.equal(rig.catalog.lacks(origin, 'a/2'), true);
    assert.equal(rig.catalog.lacks('https://other.example', 'a/2'), false);
  });

  it('reads nothing from damaged state', async () => {
    const state = new FakeMemento();
    for (const key of [`aside.models:${origin}`, 'aside.recentModels', 'aside.pinnedModels']) {
      await state.update(key, { models: 7 });
    }
    const catalog = catalogOn(state);
    assert.equal(catalog.list(origin), undefined);
    assert.deepEqual([catalog.recent(), catalog.pinned()], [[], []]);
  });

  it('remembers the last five choices and the pins', async () => {
    const { catalog } = new ConnectionRig();
    for (const id of ['a', 'b', 'c', 'a', 'd', 'e', 'f']) await catalog.noteChoice(id);
    assert.deepEqual(catalog.recent(), ['f', 'e', 'd', 'a', 'c']);
    for (const id of ['a', 'b', 'a']) await catalog.togglePin(id);
    assert.deepEqual(catalog.pinned(), ['b']);
  });

  it('keeps choices and pins at their service after another one became the current one', async () => {
    const rig = new ConnectionRig();
    const { catalog, settings, state } = rig;
    // An earlier version stored ids alone.
    await state.update('aside.pinnedModels', ['early']);
    settings.set({ baseUrl });
    await rig.connect('api.example.com');
    await catalog.noteChoice('chosen');
    await catalog.togglePin('pinned');
    const other = await rig.connect('other.test');
    settings.set({ baseUrl: other.baseUrl });
    assert.deepEqual(catalog.recent(), ['chosen@example']);
    assert.deepEqual(catalog.pinned(), ['early@example', 'pinned@example']);
    settings.set({ baseUrl });
    assert.deepEqual(catalog.recent(), ['chosen']);
    assert.deepEqual(catalog.pinned(), ['early', 'pinned']);
  });

  it('holds a pin of an earlier version at every service, until it is removed there', async () => {
    const rig = new ConnectionRig();
    const { catalog, settings, state } = rig;
    await state.update('aside.pinnedModels', ['early']);
    settings.set({ baseUrl });
    for (const host of ['api.example.com', 'other.test']) await rig.connect(host);
    assert.deepEqual(catalog.pinned(), ['early', 'early@other']);
    await catalog.togglePin('early@other');
    assert.deepEqual(catalog.pinned(), ['early']);
  });
});

describe('model details from the services', () => {
  it('are found by the ids that people write, for every service, those of the demo alone', async () => {
    const rig = new ConnectionRig();
    const { catalog, connection, settings } = rig;
    for (const host of ['one.test', 'two.test']) await rig.connect(host, ['small']);
    await catalog.remember(parseAddress(demoBaseUrl).origin, [model('demo/b')]);
    const ids = () => [...knownFacts(connection, catalog).keys()];
    assert.deepEqual(ids(), ['small@one', 'small@two']);
    settings.set({ baseUrl: 'https://one.test/v1' });
    assert.deepEqual(ids(), ['small', 'small@two']);
    await connection.useDemo();
    assert.deepEqual(ids(), ['demo/b']);
  });
});

describe('ModelChoice', () => {
  it('follows the settings, and reports when the model is gone from the list', async () => {
    const rig = new ConnectionRig();
    const { choice } = rig;
    rig.settings.set({ baseUrl, model: 'a/1', modelFromWorkspace: true });
    assert.deepEqual(choice.current(), { id: 'a/1', fromWorkspace: true, missing: false });
    const seen: boolean[] = [];
    choice.onDidChange(({ missing }) => seen.push(missing));
    await rig.catalog.remember(origin, [model('a/2')]);
    rig.settings.set({ model: 'a/2' });
    assert.deepEqual(seen, [true, false]);
    rig.settings.set({ model: '' });
    assert.equal(choice.current().missing, false);
  });

  it('has a model for the demo, whatever the settings say', async () => {
    const rig = new ConnectionRig();
    const { choice } = rig;
    rig.settings.set({ baseUrl, model: 'a/1' });
    await rig.connection.useDemo();
    assert.deepEqual(choice.current(), { id: 'demo/guide', fromWorkspace: false, missing: false });
    rig.settings.set({ model: 'demo/b' });
    assert.equal(choice.current().id, 'demo/b');
    assert.equal(rig.settings.values.model, 'demo/b');
  });
});

const asked = (): Promise<never> => Promise.reject(new Error('asked'));

/** @param written resolves when VS Code has written the settings */
function modelsOf(
  { choice, connection, state }: ConnectionRig,
  selectModel: () => Promise<boolean>,
  written = () => Promise.resolve(),
): InstanceType<typeof Models> {
  const ui = { connect: asked, selectModel };
  return new Models({ written }, connection, choice, new TokenRatios(state), ui);
}

describe('the model for the next request', () => {
  it('is the one that was chosen just before, while VS Code still writes it', async () => {
    const rig = new ConnectionRig();
    await rig.connection.useDemo();
    const written = () => rig.settings.setModel('demo/b');
    assert.equal(await modelsOf(rig, asked, written).requireModel(), 'demo/b');
  });

  it('is selected if there is none, without which nothing is sent', async () => {
    const rig = new ConnectionRig();
    rig.settings.set({ baseUrl, model: '' });
    const close = (): Promise<boolean> => Promise.resolve(false);
    await assert.rejects(modelsOf(rig, close).requireModel(), /Select a model/);
    const select = () => rig.settings.setModel('a/1').then(() => true);
    assert.equal(await modelsOf(rig, select).requireModel(), 'a/1');
  });
});

describe('options that a model refuses', () => {
  it('are stored by service and model, with its limits, until they are cleared', async () => {
    const state = new FakeMemento();
    const open = (): ModelCatalog => catalogOn(state);
    const catalog = open();
    await catalog.remember(origin, [{ ...model('a/1'), facts: { refused: ['top_p'] } }]);
    for (const option of ['stop', 'temperature', 'stop'] as const)
      await catalog.learned.learn(origin, 'a/1', { refused: [option] });
    await catalog.noteError(
      origin,
      'a/1',
      new ServiceError('context-exceeded', '400', { detail: 'maximum context length is 8192' }),
    );
    const again = open();
    const { contextWindow, refused = [] } = again.facts(origin).get('a/1') ?? {};
    assert.equal(contextWindow, 8192);
    assert.deepEqual([...refused].toSorted(), ['stop', 'temperature', 'top_p']);
    assert.equal(again.facts('https://other.test').get('a/1'), undefined);
    assert.deepEqual(again.listedFacts(origin, 'a/1'), { refused: ['top_p'] });
    assert.deepEqual(again.learned.details(origin, 'a/1').refused, ['stop', 'temperature']);
    await again.learned.forget(origin, 'a/1');
    assert.deepEqual(open().facts(origin).get('a/1'), { refused: ['top_p'] });
  });
});

describe('limits that errors name', () => {
  const tooLong = (window: number): ServiceError =>
    new ServiceError('context-exceeded', '400', {
      detail: `This model's maximum context length is ${String(window)} tokens.`,
    });

  it('are facts of the model from then on, even in the next window, if they are smaller', async () => {
    const state = new FakeMemento();
    const list = [
      { ...model('a/1'), facts: { contextWindow: 100_000, tools: true } },
      { ...model('a/2'), facts: { contextWindow: 4000 } },
      model('a/3'),
    ];
    const open = (): ModelCatalog => catalogOn(state, list);
    const catalog = open();
    await catalog.remember(origin, list);
    const changedOrigins: string[] = [];
    catalog.onDidChange((changed) => changedOrigins.push(changed));
    for (const id of ['a/1', 'a/2', 'a/3', 'a/4'])
      await catalog.noteError(origin, id, tooLong(8192));
    await catalog.noteError(
      origin,
      'a/3',
      new ServiceError('bad-request', '400', { detail: 'max_tokens cannot exceed 4096' }),
    );
    await catalog.noteError(origin, 'a/3', new ServiceError('bad-request', '400'));
    assert.deepEqual(
      changedOrigins,
      Array.from({ length: 5 }, () => origin),
    );
    for (const reopened of [catalog, open()])
      assert.deepEqual(Object.fromEntries(reopened.facts(origin)), {
        'a/1': { contextWindow: 8192, tools: true },
        'a/2': { contextWindow: 4000 },
        'a/3': { contextWindow: 8192, maxOutput: 4096 },
        'a/4': { contextWindow: 8192 },
      });
    assert.deepEqual([...open().facts('https://other.test')], []);
    // The list of models stays as it was.
    assert.equal(open().list(origin)?.models.length, 3);
  });
});

describe("a model that the service doesn't have", () => {
  const list = [model('a/1'), model('a/2')];
  const refusal = (details: ConstructorParameters<typeof ServiceError>[2]): ServiceError =>
    new ServiceError('not-found', '404', { status: 404, ...details });

  it('is missing from then on, even in the next window', async () => {
    for (const details of [{ code: 'model_not_found' }, { detail: 'The model a/1 is gone.' }]) {
      const state = new FakeMemento();
      const open = (): ModelCatalog => catalogOn(state, list);
      const catalog = open();
      await catalog.remember(origin, list);
      const changedOrigins: string[] = [];
      catalog.onDidChange((changed) => changedOrigins.push(changed));
      await catalog.noteError(origin, 'a/1', refusal(details));
      await catalog.noteError(origin, 'a/1', refusal(details));
      assert.deepEqual([catalog.lacks(origin, 'a/1'), open().lacks(origin, 'a/1')], [true, true]);
      assert.deepEqual([catalog.lacks(origin, 'a/2'), changedOrigins], [false, [origin]]);
      const { models = [] } = catalog.list(origin) ?? {};
      const [current] = groupModels({ models, current: 'a/1', recent: [], pinned: [] });
      assert.equal(current?.models[0]?.missing, true);
    }
  });

  it('is not missing for any other reason', async () => {
    const state = new FakeMemento();
    const catalog = catalogOn(state, list);
    await catalog.remember(origin, list);
    await catalog.noteError(origin, 'a/1', refusal({ detail: '<html>Not Found</html>' }));
    await catalog.noteError(origin, 'a/1', new ServiceError('rate-limited', 'model'));
    await catalog.noteError(origin, 'a/1', new Error('model'));
    assert.equal(catalog.lacks(origin, 'a/1'), false);
  });
});
