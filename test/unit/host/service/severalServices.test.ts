import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseAddress } from '../../../../src/core/service/address.ts';
import { Services } from '../../../../src/host/service/services.ts';
import { UserError } from '../../../../src/host/platform/errors.ts';
import {
  settingsOfModel,
  withFacts,
  readSettings,
  type SettingValues,
} from '../../../../src/host/platform/settingValues.ts';
import type { UsageByModel } from '../../../../src/host/usage/usageByModel.ts';
import { FakeMemento } from '../fakes.ts';
import { ConnectionRig } from './rig.ts';
import { keyOf, SeveralServices } from './severalServicesRig.ts';

const host = fc
  .tuple(fc.constantFrom('api', 'llm', 'x'), fc.constantFrom('one', 'two', 'three'))
  .map(([first, second]) => `${first}.${second}.example`);
const hosts = fc.uniqueArray(host, { minLength: 1, maxLength: 5 });
const id = fc.constantFrom('m', 'a/m', '@cf/m', 'm@2024', 'm@two', 'm@one-2', 'x@one@two');

describe('the host of a service', () => {
  it('is shown if several are connected, for the chosen model', async () => {
    const all = ['a.example', 'b.test'];
    for (const hosts of [all.slice(0, 1), all]) {
      const world = new SeveralServices({ hosts });
      await world.connectAll(hosts);
      const { connection } = world;
      const [other = { name: '' }] = connection.services.others;
      const hostsOfModels = ['m', `m@${other.name}`].map((model) => connection.stateOf(model).host);
      assert.deepEqual(hostsOfModels, hosts.length === 1 ? [undefined, undefined] : all);
      await connection.useDemo();
      assert.deepEqual(connection.stateOf('m'), { kind: 'demo' });
    }
  });
});

describe('requests to several services', () => {
  it('each reach the service of their model, with its key and the bare id', async () => {
    const sentRequest = fc.record({ service: fc.nat(), id, current: fc.nat() });
    await fc.assert(
      fc.asyncProperty(hosts, fc.array(sentRequest, { maxLength: 6 }), async (all, requests) => {
        const world = new SeveralServices({ hosts: all });
        await world.connectAll(all);
        const of = (index: number): string => all[index % all.length] ?? '';
        for (const request of requests) {
          const to = of(request.service);
          const moved = `https://${of(request.current)}/v1`;
          const several = new SeveralServices({ hosts: [of(request.current)] });
          for (const [name, value] of world.state.stored) several.state.stored.set(name, value);
          for (const [name, value] of world.secrets.stored) several.secrets.stored.set(name, value);
          assert.equal(several.baseUrl, moved);
          const model = several.connection.services.written(`https://${to}`, request.id);
          await several.ask(model);
          assert.deepEqual(several.received, [
            { origin: `https://${to}`, key: `Bearer ${keyOf(to)}`, model: request.id },
          ]);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('need the key of their own service, and get no other', async () => {
    const world = new SeveralServices({ hosts: ['a.example'] });
    await world.connectAll(['a.example', 'b.test']);
    await world.keys.remove('https://b.test');
    await assert.rejects(world.ask('m@b'), { kind: 'missing-key', host: 'b.test' });
    await world.keys.store('https://b.test', keyOf('b.test'));
    await world.keys.remove('https://a.example');
    await world.ask('m@b');
    assert.deepEqual(world.received, [
      { origin: 'https://b.test', key: 'Bearer sk-b.test', model: 'm' },
    ]);
  });

  it('stay with their service while the settings change', async () => {
    const world = new SeveralServices({ hosts: ['a.example'] });
    await world.connectAll(['a.example', 'b.test']);
    const { client } = await world.access.connect('chat', 'm@b');
    await world.connection.services.remove('https://b.test');
    const request = { model: 'm@b', messages: [{ role: 'user' as const, content: 'Hello' }] };
    for await (const { type } of client.stream(request)) assert.notEqual(type, 'retry');
    assert.deepEqual(
      world.received.map(({ origin, model }) => [origin, model]),
      [['https://b.test', 'm']],
    );
  });

  it('are not sent if their service was removed, unless the id may be a bare one', async () => {
    const world = new SeveralServices({ hosts: ['a.example'] });
    await world.catalog.remember('https://a.example', [{ id: 'x@2024', ownedBy: '' }]);
    await world.connectAll(['a.example', 'b.test']);
    await world.connection.services.remove('https://b.test');
    await assert.rejects(
      world.ask('m@b'),
      (error) => error instanceof UserError && error.remedy === 'select-model',
    );
    assert.deepEqual(world.received, []);
    await world.ask('x@2024');
    await world.ask('unknown');
    assert.deepEqual(
      world.received.map(({ model }) => model),
      ['x@2024', 'unknown'],
    );
  });

  it('count separately for each service, at its own price, even if both have the model', async () => {
    const prices = {
      m: { price: { input: 1, output: 1 } },
      'm@b': { price: { input: 5, output: 5 } },
    };
    const world = new SeveralServices({
      hosts: ['a.example'],
      settings: { 'aside.models': prices },
    });
    // Their names are a and b.
    await world.connectAll(['a.example', 'b.test']);
    await world.ask('m');
    await world.ask('m@b');
    await world.ask('m@a');
    await world.ledger.refresh();
    const tokens = (usage: UsageByModel): unknown =>
      [...usage].map(([model, used]) => [model, used.requests]).toSorted();
    const expected = [
      ['m', 2],
      ['m@b', 1],
    ];
    assert.deepEqual(tokens(world.ledger.session), expected);
    assert.deepEqual(tokens(world.ledger.today), expected);
    assert.deepEqual(
      world.ledger.log.sums.map(({ service, model, cost }) => [service, model, cost]).toSorted(),
      [
        ['https://a.example', 'm', 0.00003],
        ['https://b.test', 'm', 0.000075],
      ],
    );
  });
});

describe('Services', () => {
  const address = parseAddress;

  function services(state = new FakeMemento(), current = 'https://a.example/v1') {
    const at = { current };
    const all = new Services(state, () => (at.current === '' ? undefined : address(at.current)));
    return { all, state, at };
  }

  it('gives another one a distinct name; the current one keeps its name', async () => {
    const { all, at } = services();
    assert.deepEqual(all.names, { current: 'a', others: [] });
    await all.remember(all.at(address('https://a.test/v1')));
    assert.deepEqual(all.names, { current: 'a', others: ['a-2'] });
    await all.remember(all.at(address(at.current)));
    at.current = 'https://a.test/v1';
    assert.deepEqual(all.names, { current: 'a-2', others: ['a'] });
  });

  it('keeps one whose address was replaced by hand, as long as it has a key', async () => {
    const rig = new ConnectionRig(() => Promise.resolve([]));
    const { connection, keys, settings } = rig;
    await keys.store('https://a.example', 'sk-a');
    for (const baseUrl of ['https://a.example/v1', 'https://b', 'https://b.test/v1', '']) {
      settings.set({ baseUrl });
      await new Promise(setImmediate);
    }
    assert.deepEqual(
      connection.services.all.map(({ name, baseUrl }) => `${name} ${baseUrl}`),
      ['a https://a.example/v1'],
    );
  });

  it('has one service for each origin, with its last address', async () => {
    const state = new FakeMemento();
    const stored = { origin: 'https://a.example', baseUrl: 'https://a.example/v1', name: 'mine' };
    await state.update('aside.services', [stored]);
    const { all } = services(state, '');
    const id = 'https://a.example';
    await all.remember(all.at(address(`${id}/v2`)));
    assert.deepEqual(all.all, [{ ...address(`${id}/v2`), id, name: 'mine' }]);
  });

  it('reads valid parts of a damaged record, and never an address of another origin', () => {
    const whole = { origin: 'https://b.test', baseUrl: 'https://b.test/v1', name: 'b' };
    const damaged: readonly (readonly [stored: unknown, names: readonly string[]])[] = [
      ['text', []],
      [{ whole }, []],
      [[null, 7, {}, whole], ['b']],
      [[{ ...whole, baseUrl: 'https://evil.test/v1' }], []],
      [[{ ...whole, baseUrl: 'http://b.test/v1', origin: 'http://b.test' }], []],
      [[{ ...whole, name: 'x@y' }], []],
      [[whole, { ...whole, name: 'c' }], ['b']],
    ];
    for (const [stored, names] of damaged) {
      const state = new FakeMemento();
      void state.update('aside.services', stored);
      assert.deepEqual(
        services(state, '').all.all.map(({ name }) => name),
        names,
        JSON.stringify(stored),
      );
    }
  });
});

describe('settings of the models of several services', () => {
  const names = { current: 'a', others: ['b'] };

  function valuesWith(models: unknown): SettingValues {
    return readSettings(
      (name) => ({ globalValue: name === 'aside.models' ? models : undefined }),
      (name) => assert.fail(name),
    );
  }

  it("come from an entry with the service's name first, where null hides the general value", () => {
    const values = valuesWith({
      m: { contextWindow: 1000, reasoningEffort: 'low' },
      'm@b': { contextWindow: 2000, reasoningEffort: null },
    });
    for (const [model, services, expected] of [
      ['m', { current: 'a', others: ['b'] }, [1000, 'low']],
      ['m@b', { current: 'a', others: ['b'] }, [2000, undefined]],
      ['m', { current: 'b', others: ['a'] }, [2000, undefined]],
      ['m@a', { current: 'b', others: ['a'] }, [1000, 'low']],
    ] as const) {
      const settings = withFacts(values, new Map(), services);
      const { contextWindow, reasoningEffort } = settingsOfModel(settings, model);
      assert.deepEqual([contextWindow, reasoningEffort], expected, model);
    }
  });

  it('apply to their service, however the model is written', () => {
    const models = {
      m: { contextWindow: 1000, tools: false },
      'm@a': { contextWindow: 2000 },
      'm@b': { contextWindow: 3000 },
      'x@2024': { contextWindow: 4000 },
    };
    const values = valuesWith(models);
    const facts = new Map([
      ['m', { maxOutput: 500, contextWindow: 9000 }],
      ['m@b', { maxOutput: 600 }],
    ]);
    const settings = withFacts(values, facts, names);
    const read = (model: string) => {
      const { contextWindow, maxOutput, tools } = settingsOfModel(settings, model);
      return [contextWindow, maxOutput, tools];
    };
    assert.deepEqual(read('m'), [2000, 500, false]);
    assert.deepEqual(read('m@a'), read('m'));
    assert.deepEqual(read('m@b'), [3000, 600, false]);
    assert.deepEqual(read('m@c'), [undefined, undefined, undefined]);
    assert.deepEqual(read('x@2024'), [4000, undefined, undefined]);
  });
});
