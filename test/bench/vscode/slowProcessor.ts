/** Slows the processor down for `--slow`: on a slow machine, what takes long is another thing. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { until } from '../../support/until.ts';

/** Microseconds; short, since a process waits for the next period once it has used up its share. */
const period = 10_000;
const halfOfOneCore = period / 2;

/** Makes the main thread of a page four times slower. */
export async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
}

/**
 * Gives a process, and those that it starts from now on, half of one core together.
 *
 * @returns ends the limit, after the processes have ended; undefined if the system has no control
 *   groups, or doesn't let this process make one
 */
export function limitProcess(id: number): (() => Promise<void>) | undefined {
  const group = join(groups, `aside-bench-${process.pid}-${id}`);
  const remove = (): boolean => {
    try {
      rmdirSync(group);
    } catch {
      // It still has a process.
    }
    return !existsSync(group);
  };
  try {
    mkdirSync(group);
    for (const [file, value] of limits) writeFileSync(join(group, file), value);
    writeFileSync(join(group, 'cgroup.procs'), String(id));
  } catch {
    remove();
    return undefined;
  }
  return () => until(remove);
}

/** The two versions of Linux' control groups. */
const isFirstVersion = existsSync('/sys/fs/cgroup/cpu');
const groups = isFirstVersion ? '/sys/fs/cgroup/cpu' : '/sys/fs/cgroup';
const limits: readonly (readonly [file: string, value: string])[] = isFirstVersion
  ? [
      ['cpu.cfs_period_us', String(period)],
      ['cpu.cfs_quota_us', String(halfOfOneCore)],
    ]
  : [['cpu.max', `${halfOfOneCore} ${period}`]];
