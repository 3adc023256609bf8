import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseAddress } from '../../../../src/core/service/address.ts';
import type { Model } from '../../../../src/core/service/wire.ts';
import type { Endpoint } from '../../../../src/host/service/connection.ts';
import { newService, Services } from '../../../../src/host/service/services.ts';
import type { UsageByModel } from '../../../../src/host/usage/usageByModel.ts';
import { asProposed, FakeMemento } from '../fakes.ts';
import { baseUrl, ConnectionRig, origin } from './rig.ts';
import { SeveralServices } from './severalServicesRig.ts';

const address = parseAddress(baseUrl);
const ofWork = `${origin}#work`;
const [main, work] = ['sk-main-0123456789', 'sk-work-0123456789'];

/** The models that the service lists for each key. */
function readModels({ apiKey }: Endpoint): Promise<readonly Model[]> {
  return Promise.resolve([
    { id: 'small', ownedBy: '' },
    { id: apiKey === work ? 'of-work' : 'of-main', ownedBy: '' },
  ]);
}

const add = 'Add as Another Account…';

/** A person who connects, and then again with the key of another account and these answers. */
async function connectTwice(...answers: readonly (string | undefined)[]) {
  const rig = new ConnectionRig(readModels, baseUrl, main, baseUrl, ...answers);
  await rig.commands.connect();
  const before = rig.stored;
  const isConnected = await rig.commands.connect();
  return { rig, before, isConnected };
}

function namesOf({ connection }: ConnectionRig) {
  return connection.services.names;
}

function keysIn({ secrets }: { readonly secrets: ConnectionRig['secrets'] }) {
  return Object.fromEntries(
    [...secrets.stored].map(([name, key]) => [name.replace('aside.key:', ''), key]),
  );
}

describe('aside.connect, with another key for a connected address', () => {
  it('adds an account with its own key and models, which becomes the current one', async () => {
    const { rig } = await connectTwice(work, add, asProposed);
    assert.deepEqual(keysIn(rig), { [origin]: main, [ofWork]: work });
    assert.deepEqual(namesOf(rig), { current: 'work', others: ['example'] });
    assert.equal(rig.settings.values.baseUrl, baseUrl);
    const listed = [origin, ofWork].map((service) =>
      rig.catalog.list(service)?.models.map(({ id }) => id),
    );
    assert.deepEqual(listed, [
      ['small', 'of-main'],
      ['small', 'of-work'],
    ]);
    assert.equal((await rig.connection.endpoint()).apiKey, work);
    const { services } = rig.connection;
    const written = [origin, ofWork].map((service) => services.written(service, 'small'));
    assert.deepEqual(written, ['small@example', 'small']);
  });

  it('replaces the key, as the person chooses, and keeps one account', async () => {
    const { rig } = await connectTwice(work, 'Replace Key');
    assert.deepEqual(rig.dialogs.pickItems, ['Replace Key example', `${add} `]);
    assert.deepEqual(keysIn(rig), { [origin]: work });
    assert.deepEqual(namesOf(rig), { current: 'example', others: [] });
  });

  it('changes nothing if the person cancels the question or the name', async () => {
    for (const answers of [[undefined], [add, undefined]]) {
      const { rig, before, isConnected } = await connectTwice(work, ...answers);
      assert.equal(isConnected, false);
      assert.equal(rig.stored, before);
      assert.equal(rig.dialogs.unused, 0);
    }
  });

  it('asks nothing about a key that is stored, and uses its account', async () => {
    const { rig } = await connectTwice(work, add, ' Team ', baseUrl, main);
    assert.deepEqual(namesOf(rig), { current: 'team', others: ['example'] });
    await rig.commands.connect();
    assert.deepEqual(namesOf(rig), { current: 'example', others: ['team'] });
    assert.equal((await rig.connection.endpoint()).apiKey, main);
    assert.equal(rig.dialogs.unused, 0);
  });

  it('accepts only names that ids of models can end with, each once', async () => {
    const { rig } = await connectTwice(work, add, 'work');
    const { check } = rig.dialogs.inputs.at(-1) ?? assert.fail();
    for (const name of ['', ' ', 'my team', 'a@b', 'example', 'Example'])
      assert.equal(check(name)?.severity, 'error', name);
    for (const name of ['work', 'Work', 'team-2']) assert.equal(check(name), undefined, name);
  });

  it('keeps the account that was only in the settings', async () => {
    const rig = new ConnectionRig(readModels, baseUrl, work, add, asProposed);
    rig.settings.set({ baseUrl });
    await rig.keys.store(origin, main);
    await rig.commands.connect();
    assert.deepEqual(namesOf(rig), { current: 'work', others: ['example'] });
    assert.deepEqual(keysIn(rig), { [origin]: main, [ofWork]: work });
  });
});

describe('the key of an account', () => {
  it('is set and removed without the other one', async () => {
    const { rig } = await connectTwice(work, add, 'work', 'Remove Key', 'sk-new-0123456789');
    await rig.commands.removeApiKey();
    assert.equal(
      rig.dialogs.chosen.at(-1)?.message,
      'Remove the API key for api.example.com (work)?',
    );
    assert.deepEqual(keysIn(rig), { [origin]: main });
    assert.equal(rig.catalog.has(ofWork, 'of-work'), true);
    await assert.rejects(rig.connection.endpoint(), {
      kind: 'missing-key',
      host: 'api.example.com (work)',
    });
    await rig.commands.setApiKey();
    assert.equal(rig.dialogs.inputs.at(-1)?.title, 'API Key for api.example.com (work)');
    assert.deepEqual(keysIn(rig), { [origin]: main, [ofWork]: 'sk-new-0123456789' });
  });
});

describe('the accounts of an address', () => {
  /** An account in use, and a further one. */
  async function world() {
    const several = new SeveralServices({ hosts: [address.host] });
    const { keys, connection } = several;
    const { services } = connection;
    const first = services.at(address);
    const second = newService(address, services.all, 'work');
    await services.remember(first);
    await keys.store(first.id, main);
    await services.remember(second);
    await keys.store(second.id, work);
    return { several, first, second };
  }

  it('get requests with their own key, after a reload, too', async () => {
    const { several, first, second } = await world();
    for (const [current, models] of [
      [first, ['m', 'm@work', 'm@example']],
      [second, ['m@example', 'm', 'm@example']],
    ] as const) {
      await several.use(current);
      const again = new SeveralServices({ hosts: [], stored: several });
      for (const window of [several, again]) {
        window.received.length = 0;
        for (const model of models) await window.ask(model);
        assert.deepEqual(
          window.received.map(({ key }) => key),
          [main, work, main].map((key) => `Bearer ${key}`),
        );
      }
    }
  });

  it('wait and learn each for itself', async () => {
    const { several } = await world();
    several.limitedKeys.add(main);
    const request = { messages: [{ role: 'user' as const, content: 'Hello' }] };
    const firstEvent = async (model: string): Promise<string | undefined> => {
      const { client } = await several.access.connect('chat', model);
      for await (const { type } of client.stream({ ...request, model }))
        if (type !== 'sent') return type;
      return undefined;
    };
    assert.equal(await firstEvent('m'), 'retry');
    several.limitedKeys.clear();
    assert.equal(await firstEvent('m'), 'retry', 'the account has to wait');
    await several.ask('m@work');
    await several.catalog.learned.learn(origin, 'm', { contextWindow: 1000 });
    assert.equal(several.catalog.learned.details(ofWork, 'm').contextWindow, undefined);
  });

  it('count their usage separately, even after one of them was removed', async () => {
    const { several, second } = await world();
    const { ledger, connection } = several;
    await several.ask('m');
    for (const model of ['m@work', 'm@work']) await several.ask(model);
    await ledger.refresh();
    const counted = (usage: UsageByModel) =>
      Object.fromEntries([...usage].map(([model, { requests }]) => [model, requests]));
    assert.deepEqual(counted(ledger.today), { m: 1, 'm@work': 2 });
    await connection.services.remove(second.id);
    assert.deepEqual(counted(ledger.today), { m: 1, 'm@work': 2 });
    await several.use(second);
    await connection.services.remove(origin);
    assert.deepEqual(counted(ledger.today), { 'm@example': 1, m: 2 });
  });

  it('are followed by another window when it gets the focus', async () => {
    const { several, second } = await world();
    const other = new SeveralServices({ hosts: [], stored: several });
    let changes = 0;
    other.connection.onDidChange(() => changes++);
    other.connection.refresh();
    assert.equal(changes, 0);
    await several.use(second);
    other.connection.refresh();
    other.connection.refresh();
    assert.equal(changes, 1);
    assert.equal((await other.connection.endpoint()).apiKey, work);
  });

  it('may differ in the path, by which a changed setting names them', async () => {
    const state = new FakeMemento();
    let current = 'https://gateway.test/team-a/v1';
    const services = new Services(state, () => parseAddress(current));
    await services.remember(services.at(parseAddress(current)));
    const teamB = parseAddress('https://gateway.test/team-b/v1');
    const account = newService(teamB, services.all, 'b');
    await services.remember(account);
    for (const [baseUrl, name] of [
      ['https://gateway.test/team-a/v1', 'gateway'],
      ['https://gateway.test/team-b/v1', 'b'],
      ['https://gateway.test/v2', 'gateway'],
    ] as const) {
      current = baseUrl;
      assert.deepEqual(services.current?.name, name);
      assert.equal(services.current.baseUrl, baseUrl);
    }
    await services.select(account);
    assert.equal(services.current?.name, 'b');
  });

  it('are read from a damaged record only with an id of their own address', async () => {
    const stored = { origin, baseUrl, name: 'work' };
    for (const [id, expected] of [
      [ofWork, [ofWork]],
      [undefined, [origin]],
      ['https://other.example', []],
      ['https://other.example#work', []],
      [`${origin}#team`, []],
    ] as const) {
      const state = new FakeMemento();
      await state.update('aside.services', [{ ...stored, id }]);
      const services = new Services(state, () => undefined);
      assert.deepEqual(
        services.all.map((service) => service.id),
        expected,
        id,
      );
    }
  });
});

describe('the keys of any services and accounts', () => {
  const hosts = ['one.example', 'two.test', 'api.three.example'];
  const action = fc.record({
    kind: fc.constantFrom('add', 'add', 'use', 'remove'),
    host: fc.constantFrom(...hosts),
    at: fc.nat(20),
  });

  it('reach only the origin that they were entered for, each for its own models', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 12 }), async (actions) => {
        const world = new SeveralServices({ hosts });
        const { connection, keys } = world;
        const { services } = connection;
        const entered = new Map<string, { readonly origin: string; readonly key: string }>();
        for (const [index, { kind, host, at }] of actions.entries()) {
          const to = parseAddress(`https://${host}/v1`);
          const all = services.all.filter(({ id }) => entered.has(id));
          const chosen = all[at % Math.max(1, all.length)];
          if (kind === 'add') {
            const accounts = all.filter((service) => service.origin === to.origin);
            const service =
              accounts.length === 0
                ? services.at(to)
                : newService(to, services.all, `account-${index}`);
            const key = `sk-${index}-of-${host}`;
            await keys.store(service.id, key);
            entered.set(service.id, { origin: to.origin, key });
            await world.use(service);
          } else if (chosen !== undefined && kind === 'use') await world.use(chosen);
          else if (chosen !== undefined) {
            await keys.remove(chosen.id);
            await services.remove(chosen.id);
            entered.delete(chosen.id);
          }
          const again = new SeveralServices({ hosts: [], stored: world });
          for (const window of [world, again])
            for (const [service, expected] of entered) {
              await window.ask(window.connection.services.written(service, 'm'));
              const { origin: received, key } = window.received.at(-1) ?? assert.fail();
              assert.deepEqual(
                { origin: received, key },
                { origin: expected.origin, key: `Bearer ${expected.key}` },
              );
            }
        }
      }),
      { numRuns: 40 },
    );
  });
});
