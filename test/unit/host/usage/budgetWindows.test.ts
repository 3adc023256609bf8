import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { TemporaryFolder } from '../../../support/temporaryFolder.ts';
import { runs } from '../../../support/sample.ts';

const script = join(import.meta.dirname, 'budgetWindow.ts');
const stub = new URL('../../../support/stubVsCode.ts', import.meta.url).href;

/** A window that sends a request for each line. */
function openWindow() {
  const child = spawn(process.execPath, ['--import', stub, script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async send(line: string): Promise<number> {
      child.stdin.write(`${line}\n`);
      return Number((await answers.next()).value);
    },
    async close(): Promise<void> {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

describe('two windows that send at the same moment', () => {
  it('never pass a budget together, and use what is left of it', async () => {
    const folder = await TemporaryFolder.create();
    const windows = [openWindow(), openWindow()];
    const tokens = fc.integer({ min: 1, max: 2000 });
    // Enough for one request, for both, or for one and a part of the other.
    const share = fc.double({ min: 0.1, max: 2.5, noNaN: true });
    let round = 0;
    try {
      await fc.assert(
        fc.asyncProperty(tokens, tokens, share, async (prompt, reply, part) => {
          round += 1;
          const limit = Math.round(part * (prompt + reply)) + 5;
          const line = `${join(folder.path, String(round))} ${limit} ${prompt} ${reply}`;
          const billed = await Promise.all(windows.map((window) => window.send(line)));
          const all = billed.reduce((sum, amount) => sum + amount, 0);
          assert.ok(all <= limit, `${billed.join(' and ')} of ${limit}`);
          const bound = Math.ceil(1.1 * prompt) + 8;
          if (limit > bound + 40) assert.ok(all > 0, 'One of them was sent.');
        }),
        { numRuns: runs(200, 1) },
      );
    } finally {
      await Promise.all(windows.map((window) => window.close()));
      await folder.dispose();
    }
  }).timeout(300_000);
});
