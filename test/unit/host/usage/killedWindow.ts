/**
 * A window in its own process that kills itself: `killedWindow.ts FOLDER STEP`. It sends requests
 * to a service that records in a file what it bills, and exits without cleanup at this step. Steps
 * are its file operations and received events.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import { systemClock } from '../../../../src/core/support/clock.ts';
import { UserError } from '../../../../src/host/platform/errors.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import type { RequestPurpose } from '../../../../src/host/usage/usageRecord.ts';
import { admissionOn, endOf, ledgerOf, usageOf } from './usageRig.ts';

const [folder = '', lastStep = ''] = process.argv.slice(2);
let steps = 0;

function step(): void {
  steps += 1;
  if (steps === Number(lastStep)) process.kill(process.pid, 'SIGKILL');
}

/** Fails to write every second end of a request. */
class KilledFiles extends DiskFiles {
  #ends = 0;

  override async append(file: string, lines: string): Promise<void> {
    step();
    if (lines.includes('"state":"used"') && ++this.#ends % 2 === 0) throw new Error('disk full');
    await super.append(file, lines);
    step();
  }
}

function bill(tokens: number): void {
  appendFileSync(join(folder, 'bills'), `${tokens}\n`);
}

/** Tokens of the prompt, tokens of a chunk of the reply, and number of chunks. */
const requests: readonly (readonly [RequestPurpose, number, number, number])[] = [
  ['chat', 300, 7, 60],
  ['edit', 40, 30, 20],
  ['provider:a.b', 2000, 1, 90],
  ['commit', 10, 2, 3],
];

function serviceOf(prompt: number, piece: number, pieces: number): Client {
  return {
    address: { baseUrl: 'https://a/v1', host: 'a', origin: 'https://a' },
    async *stream(): AsyncGenerator<CompletionEvent, void> {
      bill(prompt);
      await new Promise((resolve) => setImmediate(resolve));
      for (let sent = 0; sent < pieces; sent++) {
        bill(piece);
        step();
        yield { type: 'text', text: 'word'.repeat(piece) };
      }
      yield endOf(usageOf(prompt, piece * pieces));
    },
  };
}

const ledger = ledgerOf(new KilledFiles(join(folder, 'usage')), systemClock);
const { clientOf } = admissionOn(ledger, { day: 1_000_000, unit: 'tokens' });

await Promise.all(
  requests.map(async ([purpose, prompt, piece, pieces]) => {
    const sender = { purpose, chat: undefined, service: 'https://a', model: 'm', demo: false };
    const client = clientOf(serviceOf(prompt, piece, pieces), sender);
    const content = 'x'.repeat(prompt * 4);
    const events = client.stream({ model: 'm', messages: [{ role: 'user', content }] });
    try {
      for await (const event of events) if (event.type === 'text') step();
    } catch (error) {
      // While an end can't be written, no other request is sent within a budget.
      if (!(error instanceof UserError)) throw error;
    }
  }),
);
process.stdout.write(`${steps}\n`);
process.kill(process.pid, 'SIGKILL');
