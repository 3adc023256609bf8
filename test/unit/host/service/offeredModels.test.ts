import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Model } from '../../../../src/core/service/wire.ts';
import type { Endpoint, ServiceEndpoint } from '../../../../src/host/service/connection.ts';
import { ModelCatalog } from '../../../../src/host/service/modelCatalog.ts';
import { groupModels } from '../../../../src/host/service/modelList.ts';
import { OfferedModels } from '../../../../src/host/service/modelList.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { FakeMemento } from '../fakes.ts';

const models = ['a/1', 'a/2'].map((id) => ({ id, ownedBy: 'a' }));

function endpointOf(host: string): ServiceEndpoint {
  const origin = `https://${host}`;
  return { id: origin, baseUrl: `${origin}/v1`, origin, host, apiKey: 'k', demo: false, fetch };
}

/** Services, some of which fail. The first is the current one. */
function offer(fails: readonly boolean[]) {
  const clock = new ManualClock();
  const down = new Set(fails.flatMap((isDown, index) => (isDown ? [`https://s${index}`] : [])));
  const readModels = ({ origin }: Endpoint): Promise<readonly Model[]> =>
    down.has(origin) ? Promise.reject(new Error(`${origin} is down`)) : Promise.resolve(models);
  const catalog = new ModelCatalog(new FakeMemento(), readModels, clock);
  const services = fails.map((_, index) => {
    const endpoint = endpointOf(`s${index}`);
    const name = index === 0 ? undefined : `s${index}`;
    return { name, id: endpoint.id, host: endpoint.host, endpoint };
  });
  const written = (service: string, id: string): string =>
    service === 'https://s0' ? id : `${id}@${service.slice('https://'.length)}`;
  const offered = new OfferedModels(services, catalog, written, String);
  const signal = new AbortController().signal;
  return { offered, down, clock, read: () => offered.refresh(signal, () => undefined) };
}

describe('the models of several services', () => {
  it('include every service that responds, and reasons for the others', async () => {
    const several = fc.array(fc.boolean(), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(several, async (fails) => {
        const { offered, read, down } = offer(fails);
        await read();
        const answered = fails.flatMap((isDown, index) => (isDown ? [] : [index]));
        assert.deepEqual(
          offered.list?.models.map(({ id, service }) => [id, service]) ?? [],
          answered.flatMap((index) =>
            models.map(({ id }) =>
              index === 0 ? [id, undefined] : [`${id}@s${index}`, `s${index}`],
            ),
          ),
        );
        assert.deepEqual(
          offered.problems.map(([service]) => service),
          fails.flatMap((isDown, index) => (isDown ? [`s${index}`] : [])),
        );
        down.clear();
        await read();
        assert.deepEqual(offered.problems, []);
        assert.equal(offered.list?.models.length, fails.length * models.length);
      }),
    );
  });

  it('fail as a whole with a single service', async () => {
    const { offered, read } = offer([true]);
    await assert.rejects(read(), { message: 'https://s0 is down' });
    assert.deepEqual([offered.list, offered.problems], [undefined, []]);
  });

  it('are as old as the oldest list', async () => {
    const { offered, clock, read } = offer([false, false]);
    assert.equal(offered.isOlder(0), true);
    await read();
    await clock.advance(1000);
    assert.equal(offered.isOlder(clock.wall()), true);
    assert.equal(offered.isOlder(clock.wall() - 1000), false);
  });
});

describe('groups of the models of several services', () => {
  const listed = [
    { id: 'b/1', ownedBy: 'b' },
    { id: 'a/1', ownedBy: 'a' },
    { id: 'a/1@two', ownedBy: 'a', service: 'two' },
    { id: 'c@one', ownedBy: '', service: 'one' },
  ];
  const none = { models: listed, current: '', recent: [], pinned: [] };
  const shape = (more: Partial<Parameters<typeof groupModels>[0]>): readonly string[] =>
    groupModels({ ...none, ...more }).map(
      ({ kind, owner, models: of }) => `${owner ?? kind}: ${of.map(({ id }) => id).join(' ')}`,
    );

  it('end with the other services', () => {
    assert.deepEqual(shape({}), ['a: a/1', 'b: b/1', 'one: c@one', 'two: a/1@two']);
  });

  it('start with used ones, of any service', () => {
    assert.deepEqual(shape({ current: 'a/1@two', service: 'two', pinned: ['c@one'] }), [
      'current: a/1@two',
      'pinned: c@one',
      'a: a/1',
      'b: b/1',
    ]);
  });

  it('mark a model as gone only if the list of its own service is known', () => {
    assert.deepEqual(shape({ current: 'x@two', service: 'two' })[0], 'current: x@two');
    assert.deepEqual(shape({ current: 'x@three', service: 'three' })[0], 'a: a/1');
    const onlyOthers = listed.filter(({ service }) => service !== undefined);
    assert.deepEqual(shape({ current: 'x', models: onlyOthers })[0], 'one: c@one');
  });
});
