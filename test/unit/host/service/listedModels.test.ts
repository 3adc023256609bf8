import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseAddress } from '../../../../src/core/service/address.ts';
import { ConnectionRig, demoModels } from './rig.ts';
import { listedModels } from '../../../../src/host/service/modelProvider.ts';

interface Service {
  readonly host: string;
  readonly hasKey: boolean;
  /** Undefined if the list was never read. */
  readonly models: readonly string[] | undefined;
}

/** Connects services, the first of which is the current one. */
async function connected(services: readonly Service[], selected = '') {
  const rig = new ConnectionRig();
  for (const { host, hasKey, models } of services) {
    const { origin } = await rig.connect(host, models);
    if (hasKey) await rig.keys.store(origin, `sk-${host}`);
  }
  const [current] = services;
  const baseUrl = current === undefined ? '' : `https://${current.host}/v1`;
  rig.settings.set({ baseUrl, model: selected });
  const list = async () => (await listedModels(rig.parts)).map(({ id, host }) => [id, host]);
  return { connection: rig.connection, list };
}

const service = fc.record({
  host: fc.constantFrom('one.example', 'two.example', 'three.example'),
  hasKey: fc.boolean(),
  models: fc.option(fc.uniqueArray(fc.constantFrom('a', 'b', 'c/d')), { nil: undefined }),
});

describe('the models for other extensions', () => {
  it('are those that each usable service listed, under ids that lead to it', async () => {
    const services = fc.uniqueArray(service, { selector: ({ host }) => host, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(services, async (all) => {
        const { connection, list } = await connected(all);
        const places = (await list()).map(([id = '', host]) => {
          const reference = connection.placeOf(id);
          assert.equal(reference.service, `https://${host}`);
          return `${host} ${reference.id}`;
        });
        // The current service lists its models without a key, too.
        const usable = all.filter(({ hasKey }, index) => index === 0 || hasKey);
        const expected = usable.flatMap(({ host, models = [] }) =>
          models.map((id) => `${host} ${id}`),
        );
        assert.deepEqual(places.sort(), expected.sort());
      }),
      { numRuns: 50 },
    );
  });

  const unread = { hasKey: true, models: undefined };

  it('are the selected one if no list was read', async () => {
    const { list } = await connected([{ host: 'one.example', ...unread }], 'm');
    assert.deepEqual(await list(), [['m', 'one.example']]);
  });

  it('do not include those that cannot chat', async () => {
    const rig = new ConnectionRig();
    const { origin } = parseAddress('https://one.example/v1');
    rig.settings.set({ baseUrl: 'https://one.example/v1' });
    await rig.catalog.remember(origin, [
      { id: 'a', ownedBy: '', facts: { tools: true } },
      { id: 'embed', ownedBy: '', facts: { chat: false } },
    ]);
    const models = await listedModels(rig.parts);
    assert.deepEqual(
      models.map(({ id }) => id),
      ['a'],
    );
  });

  it('are those of the demo alone while it is used', async () => {
    const { connection, list } = await connected([
      { host: 'one.example', hasKey: true, models: ['a'] },
    ]);
    await connection.useDemo();
    assert.deepEqual(
      await list(),
      demoModels.map((id) => [id, undefined]),
    );
  });
});
