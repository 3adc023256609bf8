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

describe('the lease of a window', () => {
  const windowsOn = (clock: ManualClock, files: MemoryLeases): readonly [Leases, Leases] => {
    const open = (id: number): Leases => {
      const host = { machine: 'm', id, isRunning: () => true };
      return new Leases({ files, host, workspace: 'w', clock });
    };
    return [open(1), open(2)];
  };

  it('stays after the machine slept, whichever window looks first', async () => {
    const clock = new ManualClock();
    const files = new MemoryLeases();
    const [writer, other] = windowsOn(clock, files);
    assert.ok(await writer.claim('c'));
    // The timers of a machine that sleeps stand still.
    clock.setWall(clock.wall() + 3_600_000);
    assert.equal(await other.claim('c'), false);
    assert.equal(await other.holder('c'), 'w');
    await clock.advance(beat);
    assert.equal(await other.claim('c'), false);
    assert.ok(await writer.claim('c'));
    for (const leases of [writer, other]) leases.dispose();
  });

  it('is free if its window gives no sign of life while another one looks for a minute', async () => {
    const clock = new ManualClock();
    const [writer, other] = windowsOn(clock, new MemoryLeases());
    assert.ok(await writer.claim('c'));
    writer.dispose();
    let seconds = 0;
    while (!(await other.claim('c')) && seconds++ < 300) await clock.advance(1000);
    assert.ok(seconds > 60 && seconds <= 125, `${seconds} s`);
    other.dispose();
  });

  it('is written again if somebody empties the folder', async () => {
    const clock = new ManualClock();
    const files = new MemoryLeases();
    const [writer, other] = windowsOn(clock, files);
    const lost: string[] = [];
    writer.onDidLose((conversation) => lost.push(conversation));
    assert.ok(await writer.claim('c'));
    for (const name of await files.names()) await files.remove(name);
    await clock.advance(beat);
    assert.ok(await writer.claim('c'));
    assert.equal(await other.claim('c'), false);
    assert.deepEqual(lost, []);
    for (const leases of [writer, other]) leases.dispose();
  });
});
