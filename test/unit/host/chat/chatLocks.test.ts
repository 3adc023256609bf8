import assert from 'node:assert/strict';
import { writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ChatLocks } from '../../../../src/host/chat/chatLocks.ts';
import { hostProcess } from '../../../../src/host/node/thisMachine.ts';
import { FailingDisk, type DiskState } from '../../../support/failingDisk.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { MemoryLocks } from '../../../support/memoryLocks.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { virtualFiles } from '../../../support/virtualFiles.ts';

/** Windows that share a folder of locks. */
class Windows {
  readonly clock = new ManualClock();
  readonly running = new Set<number>();
  readonly disk: DiskState = { fault: undefined, failures: 0 };
  readonly folder: TemporaryFolder;

  constructor(folder: TemporaryFolder) {
    this.folder = folder;
  }

  get path(): string {
    return join(this.folder.path, 'locks');
  }

  open(id: number, { machine = 'm', isVirtual = false } = {}): ChatLocks {
    this.running.add(id);
    const files = isVirtual ? virtualFiles(this.path) : new FailingDisk(this.path, this.disk);
    const host = { machine, id, isRunning: (other: number) => this.running.has(other) };
    return new ChatLocks(files, host, this.clock);
  }

  async write(name: string, text: string): Promise<void> {
    await mkdir(this.path, { recursive: true });
    await writeFile(join(this.path, name), text);
  }

  names(): Promise<readonly string[]> {
    return new FailingDisk(this.path, this.disk).names();
  }
}

describe('the lock of a chat', () => {
  let windows: Windows;
  beforeEach(async () => {
    windows = new Windows(await TemporaryFolder.create());
  });
  afterEach(() => windows.folder.dispose());

  const lockOf = (process: number, at: number, machine = 'm'): string =>
    JSON.stringify({ window: 'other', machine, process, at });

  for (const isVirtual of [false, true])
    it(`is given to one of many windows at once, and then to one of later ones, virtual: ${isVirtual}`, async () => {
      const first = Array.from({ length: 10 }, (_, id) => windows.open(id + 1, { isVirtual }));
      const acquired = await Promise.all(first.map((locks) => locks.acquire('c')));
      assert.ok(acquired.filter(Boolean).length <= 1 || isVirtual);
      // Where files can't be created exclusively, the next check tells who has it.
      const checked = await Promise.all(first.map((locks) => locks.acquire('c')));
      assert.equal(checked.filter(Boolean).length, 1);
      windows.running.clear();
      const later = Array.from({ length: 10 }, (_, id) => windows.open(100 + id, { isVirtual }));
      await Promise.all(later.map((locks) => locks.acquire('c')));
      const next = await Promise.all(later.map((locks) => locks.acquire('c')));
      assert.equal(next.filter(Boolean).length, 1);
      const before = await Promise.all(first.map((locks) => locks.acquire('c')));
      assert.ok(!before.includes(true));
      assert.equal((await windows.names()).length, 1);
    });

  it('is free once its window has released it, closed, or is gone', async () => {
    const [first, second] = [windows.open(1), windows.open(2)];
    assert.ok(await first.acquire('c'));
    assert.equal(await second.acquire('c'), false);
    await first.release('c');
    assert.ok(await second.acquire('c'));
    assert.equal(first.holds('c'), false);
    await second.close();
    assert.deepEqual(await windows.names(), []);
    await assert.rejects(second.acquire('c'), /closing/);
    assert.ok(await first.acquire('c'));
    windows.running.delete(1);
    assert.ok(await windows.open(3).acquire('c'));
  });

  for (const [what, name, text, isFree] of [
    ['of a process that is gone', 'c.7.lock', () => lockOf(9, windows.clock.wall()), true],
    ['of a running process', 'c.7.lock', () => lockOf(1, windows.clock.wall()), false],
    [
      'of an earlier process with this number',
      'c.7.lock',
      () => lockOf(2, windows.clock.wall()),
      true,
    ],
    [
      'whose number is that of another process',
      'c.7.lock',
      () => lockOf(1, windows.clock.wall() - 60_001),
      true,
    ],
    ['of another machine', 'c.7.lock', () => lockOf(9, windows.clock.wall() - 59_000, 'n'), false],
    ['of a silent machine', 'c.7.lock', () => lockOf(9, windows.clock.wall() - 60_001, 'n'), true],
    [
      'of a clock that is far ahead',
      'c.7.lock',
      () => lockOf(1, windows.clock.wall() + 3_600_000),
      true,
    ],
    ['without a process', 'c.7.lock', () => lockOf(0, windows.clock.wall(), ''), false],
    ["that can't be read", 'c.7.lock', () => '{"window":"oth', true],
    ['that is empty', 'c.7.lock', () => '', true],
    ['of another chat', 'cc.7.lock', () => lockOf(1, windows.clock.wall()), true],
  ] as const)
    it(`${what} is ${isFree ? 'free' : 'in use'}`, async () => {
      windows.running.add(1);
      await windows.write(name, text());
      assert.equal(await windows.open(2).acquire('c'), isFree);
    });

  it('is renewed as long as its window runs', async () => {
    const [first, second] = [windows.open(1), windows.open(2, { machine: 'other' })];
    assert.ok(await first.acquire('c'));
    for (let seconds = 0; seconds < 300; seconds += 20) {
      await windows.clock.advance(20_000);
      // The renewal runs on a real disk.
      assert.ok(await first.acquire('c'));
      assert.equal(await second.acquire('c'), false, `after ${seconds} s`);
    }
    first.dispose();
    await windows.clock.leap(61_000);
    assert.ok(await second.acquire('c'));
  });

  it('is lost by a window that slept, which finds that before it writes', async () => {
    const [first, second] = [windows.open(1), windows.open(2)];
    const lost: string[] = [];
    first.onDidLose((chat) => lost.push(chat));
    assert.ok(await first.acquire('c'));
    windows.clock.setWall(windows.clock.wall() + 3_600_000);
    assert.ok(await second.acquire('c'));
    assert.equal(await first.acquire('c'), false);
    assert.deepEqual([lost, first.holds('c')], [['c'], false]);
    await first.release('c');
    assert.ok(await second.acquire('c'));
  });

  it('is created again if somebody empties the folder', async () => {
    const [first, second] = [windows.open(1), windows.open(2)];
    assert.ok(await first.acquire('c'));
    for (const name of await windows.names())
      await new FailingDisk(windows.path, windows.disk).remove(name);
    assert.ok(await first.acquire('c'));
    assert.equal(await second.acquire('c'), false);
  });

  it("can't be had in a folder that is read-only, or on a full disk, unless it is in use", async () => {
    for (const fault of ['read-only', 'full'] as const) {
      const [first, second] = [windows.open(1), windows.open(2)];
      assert.ok(await first.acquire(fault));
      windows.disk.fault = fault;
      await assert.rejects(second.acquire('other'), /EROFS|ENOSPC/);
      assert.equal(await second.acquire(fault), false);
      assert.ok(await first.acquire(fault));
      windows.disk.fault = undefined;
      assert.ok(await second.acquire('other'));
    }
  });

  it('knows the processes of this machine', () => {
    const host = hostProcess();
    assert.ok(host.isRunning(host.id) && host.isRunning(1));
    assert.equal(host.isRunning(2 ** 30), false);
  });
});

describe('a lock that is being renewed', () => {
  for (const how of ['release', 'close'] as const)
    it(`is gone after a ${how} during the renewal`, async () => {
      const clock = new ManualClock();
      const files = new MemoryLocks();
      const locks = new ChatLocks(files, { machine: 'm', id: 1, isRunning: () => true }, clock);
      assert.ok(await locks.acquire('c'));
      let resume = (): void => undefined;
      const hanging = new Promise<void>((resolve) => (resume = resolve));
      let isHanging = false;
      const replace = files.replace.bind(files);
      files.replace = async (name, text) => {
        isHanging = true;
        await hanging;
        await replace(name, text);
      };
      await clock.leap(20_000);
      assert.ok(isHanging);
      const leaving = how === 'release' ? locks.release('c') : locks.close();
      await clock.advance(0);
      resume();
      await leaving;
      await clock.advance(60_000);
      assert.deepEqual(await files.names(), []);
    });
});
