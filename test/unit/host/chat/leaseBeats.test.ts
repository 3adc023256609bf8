import assert from 'node:assert/strict';
import { Leases } from '../../../../src/host/leases.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { MemoryLeases } from './memoryLeases.ts';

/** Lease files that can hang between the check and the write of a file, as disks do. */
class HangingLeases extends MemoryLeases {
  hanging: Promise<void> | undefined;

  override async replace(name: string, text: string): Promise<void> {
    if ((await this.read(name)) === undefined) return;
    const { hanging } = this;
    this.hanging = undefined;
    await hanging;
    await super.create(name, text);
    await super.replace(name, text);
  }
}

/** Longer than the interval in which a window renews its leases. */
const beat = 30_000;

describe('a lease that is being renewed', () => {
  for (const [what, leave, expected] of [
    ['released', (leases: Leases) => leases.release('c'), []],
    ['handed over', (leases: Leases) => leases.handOver('c'), [false]],
    ['closed', (leases: Leases) => leases.close(), [false]],
  ] as const)
    it(`stays ${what} if that happens during the renewal`, async () => {
      const clock = new ManualClock();
      const files = new HangingLeases();
      const host = { machine: 'm', id: 1, isRunning: () => true };
      const leases = new Leases({ files, host, workspace: 'w', clock });
      assert.ok(await leases.claim('c'));
      let resume = (): void => undefined;
      files.hanging = new Promise((resolve) => (resume = resolve));
      await clock.leap(beat);
      assert.equal(files.hanging, undefined, 'It is being written.');
      const leaving = leave(leases);
      await clock.advance(0);
      resume();
      await leaving;
      await clock.advance(0);
      const texts = await Promise.all((await files.names()).map((name) => files.read(name)));
      assert.deepEqual(
        texts.map((text) => text?.includes('"isOpen":true')),
        expected,
      );
      leases.dispose();
    });
});
