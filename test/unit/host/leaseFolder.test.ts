import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LeaseFolder, type Lease } from '../../../src/host/leaseFolder.ts';
import { MemoryLeases } from './chat/memoryLeases.ts';

const lease: Lease = {
  writer: 'w',
  machine: 'm',
  hostProcess: 1,
  workspace: '',
  isOpen: true,
  at: 0,
};

describe('the folder of leases', () => {
  it('has the highest generation of each chat as its last one', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 200 }))),
      async (created) => {
        const folder = new LeaseFolder(new MemoryLeases());
        for (const [chat, generation] of created) await folder.create(chat, generation, lease);
        for (const chat of ['a', 'b']) {
          const generations = created.filter(([id]) => id === chat).map(([, number]) => number);
          const expected = generations.length === 0 ? undefined : Math.max(...generations);
          assert.equal((await folder.last(chat))?.generation, expected);
        }
      },
    );
    await fc.assert(property, { seed: 1, numRuns: 50 });
  });

  it('reads a damaged lease as one without content', async () => {
    const files = new MemoryLeases();
    await files.create('a.3.json', '{');
    const folder = new LeaseFolder(files);
    assert.deepEqual(await folder.last('a'), { generation: 3, lease: undefined });
    assert.equal(await folder.read('a', 2), undefined);
  });

  it('removes what a generation replaces, and nothing of other chats', async () => {
    const files = new MemoryLeases();
    const folder = new LeaseFolder(files);
    for (const generation of [1, 2]) await folder.create('a', generation, lease);
    await folder.create('b', 1, lease);
    await folder.ask('a', 1, lease);
    await files.create('other.txt', '');
    await folder.removeBefore('a', 2);
    assert.deepEqual(await files.names(), ['a.2.json', 'b.1.json', 'other.txt']);
  });
});
