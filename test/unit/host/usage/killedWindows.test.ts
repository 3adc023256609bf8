import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { systemClock, type Clock } from '../../../../src/core/support/clock.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import type { Ledger } from '../../../../src/host/usage/ledger.ts';
import { localDay } from '../../../../src/host/usage/usageRecord.ts';
import { countedIn, ledgerOf } from './usageRig.ts';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { runs } from '../../../support/sample.ts';

const script = join(import.meta.dirname, 'killedWindow.ts');
const stub = new URL('../../../support/stubVsCode.ts', import.meta.url).href;

/** Runs a window until it kills itself. */
async function killedAt(folder: string, step: number): Promise<void> {
  const child = spawn(process.execPath, ['--import', stub, script, folder, String(step)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
}

/** A clock three minutes later, when windows that were killed count as gone. */
const later: Clock = { ...systemClock, wall: () => Date.now() + 180_000 };

function windowOn(folder: string): Ledger {
  return ledgerOf(new DiskFiles(join(folder, 'usage')), later);
}

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

/** Damages a line, as after a power failure. */
async function damage(folder: string, share: number): Promise<void> {
  const file = join(folder, 'usage', `${localDay(Date.now()).slice(0, 7)}.jsonl`);
  const lines = (await textOf(file)).split('\n').filter((line) => line !== '');
  const ends = lines.filter((line) => line.includes('"state":"used"'));
  const spoiled = ends[Math.floor(share * ends.length)];
  if (spoiled === undefined) return;
  const text = lines.map((line) => `${line === spoiled ? line.slice(0, 40) : line}\n`).join('');
  await writeFile(file, text);
}

describe('windows that are killed while requests run', () => {
  it('leave nothing reserved after two minutes, and at most 2 % uncounted of what the service bills', async () => {
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
            const { tokens, reserved } = countedIn(window.log);
            assert.deepEqual(reserved, []);
            assert.ok(tokens >= 0.98 * billed, `${tokens} of ${billed}`);
            assert.ok(tokens <= 1.2 * billed + 8 * 544, 'No reserve is counted.');
            window.dispose();
          }
        } finally {
          await temporary.dispose();
        }
      }),
      { numRuns: runs(8) },
    );
  }).timeout(300_000);
});
