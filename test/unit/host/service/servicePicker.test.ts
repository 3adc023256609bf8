import assert from 'node:assert/strict';
import { ServiceError } from '../../../../src/core/service/errors.ts';
import type { Model } from '../../../../src/core/service/wire.ts';
import type { Endpoint } from '../../../../src/host/service/connection.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';
import type { FakeDialogs } from '../fakes.ts';
import { until } from '../../../support/until.ts';
import { FakeQuickPick, showIn, vsCodeOfPicks } from './quickPickRig.ts';
import { ConnectionRig } from './rig.ts';

const [{ ServicePicker }, { serviceChanges }] = await withFakeVsCode(vsCodeOfPicks, () =>
  Promise.all([
    import('../../../../src/host/service/servicePicker.ts'),
    import('../../../../src/host/service/models.ts'),
  ]),
);

const modelsOf: ReadonlyMap<string, readonly Model[]> = new Map([
  ['https://a.example', [{ id: 'one', ownedBy: '' }]],
  [
    'https://b.test',
    [
      { id: 'two', ownedBy: '' },
      { id: 'three', ownedBy: '' },
    ],
  ],
]);

function readModels({ origin }: Endpoint): Promise<readonly Model[]> {
  const models = modelsOf.get(origin);
  if (models === undefined) throw new ServiceError('network', 'Nobody there');
  return Promise.resolve(models);
}

/** Connects two services, the second of which becomes the current one. */
async function connectBoth(...more: ConstructorParameters<typeof FakeDialogs>) {
  const rig = new ConnectionRig(
    readModels,
    'https://a.example/v1',
    'sk-a',
    'https://b.test/v1',
    'sk-b',
    ...more,
  );
  await rig.commands.connect();
  rig.settings.set({ model: 'one' });
  await rig.commands.connect();
  return { rig, picker: pickerOf(rig) };
}

/** Connects a service with two accounts, the second of which becomes the current one. */
async function connectAccounts(...more: ConstructorParameters<typeof FakeDialogs>) {
  const address = 'https://a.example/v1';
  const added = ['sk-b', 'Add as Another Account…', 'work'];
  const rig = new ConnectionRig(readModels, address, 'sk-a', address, ...added, ...more);
  await rig.commands.connect();
  await rig.commands.connect();
  return { rig, picker: pickerOf(rig) };
}

function pickerOf(rig: ConnectionRig): InstanceType<typeof ServicePicker> {
  return new ServicePicker(rig.commands, rig.parts, rig.settings, rig.dialogs);
}

async function open(picker: InstanceType<typeof ServicePicker>) {
  const pick = new FakeQuickPick();
  showIn(pick);
  const done = picker.selectService(() => undefined);
  await until(() => pick.shown === 1);
  return { done, pick };
}

/** Removes a service in the list, which is then shown again. */
async function removeIn(picker: InstanceType<typeof ServicePicker>, name: string): Promise<void> {
  const { done, pick } = await open(picker);
  pick.pressAt(name);
  await until(() => pick.shown === 2);
  pick.hide();
  await done;
}

describe('Select Service', () => {
  it('writes the address of the chosen one, and offers its models only if needed', async () => {
    for (const [model, offers] of [
      ['one', false],
      ['one@a', false],
      ['two', true],
      ['', true],
    ] as const) {
      const { rig, picker } = await connectBoth();
      rig.settings.set({ model });
      await rig.connection.useDemo();
      const offered = rig.commands.offered;
      const { done, pick } = await open(picker);
      pick.choose('a');
      await done;
      assert.equal(rig.settings.values.baseUrl, 'https://a.example/v1');
      assert.equal(rig.connection.isDemo, false);
      assert.equal(rig.commands.offered > offered, offers, model);
      assert.deepEqual(rig.connection.services.names, { current: 'a', others: ['b'] });
    }
  });

  it('asks for a missing key before anything changes', async () => {
    for (const key of ['sk-new', undefined]) {
      const { rig, picker } = await connectBoth(key);
      await rig.keys.remove('https://a.example');
      const { done, pick } = await open(picker);
      assert.equal(pick.item('a').detail, '1 model · no key stored');
      pick.choose('a');
      await done;
      const current = key === undefined ? 'https://b.test/v1' : 'https://a.example/v1';
      assert.equal(rig.settings.values.baseUrl, current);
      assert.equal(await rig.keys.read('https://a.example'), key);
      assert.equal(rig.dialogs.inputs.at(-1)?.title, 'API Key for a.example');
    }
  });

  for (const [name, answer, remaining, baseUrl] of [
    ['a', 'Remove', ['b'], 'https://b.test/v1'],
    ['a', undefined, ['a', 'b'], 'https://b.test/v1'],
    ['b', 'Remove', ['a'], ''],
  ] as const) {
    it(`removes ${name} with its key after the answer ${String(answer)}`, async () => {
      const { rig, picker } = await connectBoth(answer);
      await removeIn(picker, name);
      assert.deepEqual(
        rig.connection.services.all.map((service) => service.name),
        remaining,
      );
      assert.equal(rig.settings.values.baseUrl, baseUrl);
      assert.equal(rig.settings.values.model, 'one');
      const origins = [...rig.secrets.stored.keys()].map((key) => key.replace('aside.key:', ''));
      assert.equal(origins.length, remaining.length);
    });
  }
});

describe('Select Service, with two accounts of one address', () => {
  it('changes the account in use, and with it the key', async () => {
    const { rig, picker } = await connectAccounts();
    const { done, pick } = await open(picker);
    assert.equal(pick.item('work').description, 'a.example · current');
    assert.equal(pick.item('a').description, 'a.example');
    pick.choose('a');
    await done;
    assert.deepEqual(rig.connection.services.names, { current: 'a', others: ['work'] });
    assert.equal((await rig.connection.endpoint()).apiKey, 'sk-a');
    assert.equal(rig.settings.values.baseUrl, 'https://a.example/v1');
  });

  for (const [name, removed, baseUrl] of [
    ['a', 'https://a.example', 'https://a.example/v1'],
    ['work', 'https://a.example#work', ''],
  ] as const)
    it(`removes ${name}, and leaves the other one its key and models`, async () => {
      const { rig, picker } = await connectAccounts('Remove');
      await removeIn(picker, name);
      // What a change of the address stores is stored in the background.
      await new Promise(setImmediate);
      const all = ['https://a.example', 'https://a.example#work'];
      const remaining = all.filter((id) => id !== removed);
      assert.deepEqual(
        rig.connection.services.all.map(({ id }) => id),
        remaining,
      );
      assert.deepEqual(
        [...rig.secrets.stored.keys()],
        remaining.map((id) => `aside.key:${id}`),
      );
      assert.equal(rig.settings.values.baseUrl, baseUrl);
      assert.ok(remaining.every((id) => rig.catalog.has(id, 'one')));
    });
});

describe('a model of another service', () => {
  async function choose() {
    const { rig } = await connectBoth();
    const { choice, settings } = rig;
    return { rig, choice, settings };
  }

  it('has one written form, and is missing only if its own service lacks it', async () => {
    const { choice, settings } = await choose();
    for (const [model, id, missing] of [
      ['two', 'two', false],
      ['two@b', 'two', false],
      ['one@a', 'one@a', false],
      ['two@a', 'two@a', true],
      ['one', 'one', true],
      ['two@c', 'two@c', true],
    ] as const) {
      settings.set({ model });
      assert.deepEqual(choice.current(), { id, fromWorkspace: false, missing }, model);
    }
  });

  it('changes the service in use', async () => {
    const { rig, choice, settings } = await choose();
    let changes = 0;
    const listening = serviceChanges(rig.connection, choice)(() => changes++);
    for (const [model, expected] of [
      ['two', 0],
      ['three', 0],
      ['one@a', 1],
      ['x@a', 1],
      ['two@b', 2],
    ] as const) {
      settings.set({ model });
      assert.equal(changes, expected, model);
    }
    listening.dispose();
    settings.set({ model: 'one@a' });
    assert.equal(changes, 2);
  });

  it('sets the key of the service in an error, until it has one', async () => {
    const { rig } = await connectBoth('sk-new', 'sk-newer');
    const { connection, commands, dialogs, keys } = rig;
    connection.noteError('one@a', new ServiceError('network', 'Nobody there'));
    assert.equal(connection.serviceWithoutKey, undefined);
    connection.noteError('one@a', new ServiceError('unauthorized', 'Wrong key'));
    await commands.setApiKey();
    assert.equal(dialogs.inputs.at(-1)?.title, 'API Key for a.example');
    assert.equal(await keys.read('https://a.example'), 'sk-new');
    await commands.setApiKey();
    assert.equal(dialogs.inputs.at(-1)?.title, 'API Key for b.test');
    assert.equal(await keys.read('https://b.test'), 'sk-newer');
    assert.equal(rig.settings.values.baseUrl, 'https://b.test/v1');
    connection.noteError('one@a', new ServiceError('missing-key', 'No key'));
    await connection.services.remove('https://a.example');
    assert.equal(connection.serviceWithoutKey, undefined);
  });
});
