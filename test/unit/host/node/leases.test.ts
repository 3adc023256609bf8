import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Leases } from '../../../../src/host/leases.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { until } from '../../../support/until.ts';
import { hostProcess } from '../../../../src/host/node/thisMachine.ts';

describe('leases on the disk', () => {
  let folder = '';
  let clock: ManualClock;
  const running = new Set<number>();
  beforeEach(async () => {
    clock = new ManualClock();
    folder = await mkdtemp(join(tmpdir(), 'aside-leases-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  function window(id: number, machine = 'm'): Leases {
    running.add(id);
    const files = new DiskFiles(join(folder, 'leases'));
    const host = { machine, id, isRunning: (other: number) => running.has(other) };
    return new Leases({ files, host, workspace: 'w', clock });
  }

  it('are given to one of many windows that claim a chat at once', async () => {
    const windows = Array.from({ length: 10 }, (_, id) => window(id));
    const claimed = await Promise.all(windows.map((leases) => leases.claim('c')));
    assert.equal(claimed.filter(Boolean).length, 1);
    const again = await Promise.all(windows.map((leases) => leases.claim('c')));
    assert.deepEqual(again, claimed);
    running.clear();
    await clock.advance(1000);
    const later = Array.from({ length: 10 }, (_, id) => window(100 + id));
    const claims = await Promise.all(later.map((leases) => leases.claim('c')));
    assert.equal(claims.filter(Boolean).length, 1);
    const before = await Promise.all(windows.map((leases) => leases.claim('c')));
    assert.ok(!before.includes(true));
    assert.deepEqual((await readdir(join(folder, 'leases'))).length, 1);
  });

  it('are taken over from a window that is gone, closed, or silent', async () => {
    const [first, second] = [window(1), window(2)];
    assert.ok(await first.claim('a'));
    assert.equal(await second.claim('a'), false);
    await first.close();
    assert.ok(await second.claim('a'));
    running.delete(2);
    const third = window(3, 'other machine');
    assert.equal(await third.claim('a'), false);
    second.dispose();
    await clock.leap(61_000);
    assert.ok(await third.claim('a'));
    for (let beat = 0; beat < 12; beat++) {
      await clock.advance(10_000);
      await until(() => clock.waits.length > 0);
    }
    assert.equal(await window(4).claim('a'), false);
    await third.release('a');
    assert.deepEqual(await readdir(join(folder, 'leases')), []);
    third.dispose();
  });

  it('know the processes of this machine', () => {
    const host = hostProcess();
    assert.ok(host.isRunning(host.id) && host.isRunning(1));
    assert.equal(host.isRunning(2 ** 30), false);
  });
});
