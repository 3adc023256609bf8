import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { systemClock } from '../../../../src/core/support/clock.ts';
import { Leases } from '../../../../src/host/leases.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import { Ledger } from '../../../../src/host/usage/ledger.ts';
import { localDay } from '../../../../src/host/usage/usageRecord.ts';
import { totalOf } from '../../../../src/host/usage/usageTable.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { runs } from '../../../support/sample.ts';
import { hostProcess } from '../../../../src/host/node/thisMachine.ts';

const script = join(import.meta.dirname, 'killedWindow.ts');
const stub = new URL('../../../support/stubVsCode.ts', import.meta.url).href;

/** Runs a window until it kills itself. */
async function killedAt(folder: string, step: number): Promise<void> {
  const child = spawn(process.execPath, ['--import', stub, script, folder, String(step)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
}

function windowOn(folder: string): Ledger {
  return new Ledger({
    files: new DiskFiles(join(folder, 'usage')),
    fileOf: (day) => `${day.slice(0, 7)}.jsonl`,
    clock: systemClock,
    leases: new Leases({
      files: new DiskFiles(join(folder, 'windows')),
      host: hostProcess(),
      workspace: '',
      clock: systemClock,
    }),
    workspace: '',
    onError: (what, error) => assert.fail(`${what}: ${String(error)}`),
  });
}

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

/** Damages a line, as after a power failure. */
async function damage(folder: string, share: number): Promise<void> {
  const file = join(folder, 'usage', `${localDay(Date.now()).slice(0, 7)}.jsonl`);
  const lines = (await textOf(file)).split('\n').filter((line) => line !== '');
  const ends = lines.filter((line) => line.includes('"state":"done"'));
  const spoiled = ends[Math.floor(share * ends.length)];
  if (spoiled === undefined) return;
  const text = lines.map((line) => `${line === spoiled ? line.slice(0, 40) : line}\n`).join('');
  await writeFile(file, text);
}

describe('windows that are killed while requests run', () => {
  it('leave nothing reserved, and at most 2 % uncounted of what the service bills', async () => {
    // All steps, and some beyond the last one, at which nothing is killed.
    const step = fc.integer({ min: 1, max: 480 });
    const half = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    await fc.assert(
      fc.asyncProperty(step, step, half, async (first, second, share) => {
        const temporary = await TemporaryFolder.create();
        const { path: folder } = temporary;
        try {
          await Promise.all([killedAt(folder, first), killedAt(folder, second)]);
          await damage(folder, share);
          const windows = [windowOn(folder), windowOn(folder)];
          await Promise.all(windows.map((window) => window.refresh()));
          const bills = (await textOf(join(folder, 'bills'))).split('\n');
          const billed = bills.reduce((sum, line) => sum + Number(line), 0);
          for (const window of windows) {
            await window.refresh();
            const { day, dayReserved, monthReserved } = window.log.counted('');
            const used = totalOf(day);
            assert.deepEqual([dayReserved, monthReserved], [[], []]);
            assert.ok(used.total_tokens >= 0.98 * billed, `${used.total_tokens} of ${billed}`);
            assert.ok(used.total_tokens <= 1.2 * billed + 8 * 64 + 4700, 'No reserve is counted.');
          }
          const log = await textOf(
            join(folder, 'usage', `${localDay(Date.now()).slice(0, 7)}.jsonl`),
          );
          const closed = [...log.matchAll(/^\{"id":"([^"]+)".*"outcome":"interrupted"/gm)];
          const ids = closed.map(([, id]) => id);
          assert.equal(new Set(ids).size, ids.length, 'Each is closed once.');
          await Promise.all(windows.map((window) => window.close()));
          for (const window of windows) window.dispose();
        } finally {
          await temporary.dispose();
        }
      }),
      { numRuns: runs(8) },
    );
  }).timeout(300_000);
});
