import assert from 'node:assert/strict';
import { WriterClaims } from '../../../../src/host/journal/writerClaims.ts';
import { Leases } from '../../../../src/host/leases.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { MemoryLeases } from '../chat/memoryLeases.ts';

describe('the claim of a chat', () => {
  it('says that the chat is elsewhere until the other window releases it', async () => {
    const files = new MemoryLeases();
    const clock = new ManualClock();
    const windows = [1, 2].map((id) => {
      const host = { machine: 'm', id, isRunning: () => true };
      const leases = new Leases({ files, host, workspace: '', clock });
      const claims = new WriterClaims(leases, (what) => assert.fail(what));
      return { leases, claims };
    });
    const [first, second] = windows.map(({ claims }) => claims);
    assert.ok(first !== undefined && second !== undefined);
    assert.equal(await first.claim('a'), true);
    assert.equal(await second.claim('a'), false);
    assert.deepEqual([first.isElsewhere('a'), second.isElsewhere('a')], [false, true]);
    await first.release('a');
    assert.equal(await second.claim('a'), true);
    assert.equal(second.isElsewhere('a'), false);
    for (const { leases } of windows) leases.dispose();
  });
});
