/**
 * A window in its own process that shares a budget with others. For each line `FOLDER LIMIT PROMPT
 * REPLY` of its input it sends a request within the daily limit, with this many tokens, and prints
 * the tokens that the service billed; 0 if nothing was sent.
 */
import { createInterface } from 'node:readline';
import type { Client, CompletionEvent } from '../../../../src/core/service/client.ts';
import { systemClock } from '../../../../src/core/support/clock.ts';
import { UserError } from '../../../../src/host/platform/errors.ts';
import { DiskFiles } from '../../../../src/host/node/diskFiles.ts';
import { admissionOn, endOf, ledgerOf, usageOf } from './usageRig.ts';

async function send(folder: string, limit: number, prompt: number, reply: number): Promise<number> {
  let billed = 0;
  const service: Client = {
    address: { baseUrl: 'https://a/v1', host: 'a', origin: 'https://a' },
    async *stream({ max_tokens = Infinity }): AsyncGenerator<CompletionEvent, void> {
      const length = Math.min(reply, max_tokens);
      billed += prompt + length;
      await new Promise((resolve) => setImmediate(resolve));
      yield { type: 'text', text: 'word'.repeat(length) };
      yield endOf(usageOf(prompt, length));
    },
  };
  const ledger = ledgerOf(new DiskFiles(folder), systemClock);
  const { clientOf } = admissionOn(ledger, { day: limit, unit: 'tokens' });
  const account = { chat: undefined, service: 'https://a', model: 'm', demo: false };
  const client = clientOf(service, { ...account, purpose: 'edit' });
  const content = 'x'.repeat(prompt * 4);
  try {
    for await (const { type } of client.stream({
      model: 'm',
      messages: [{ role: 'user', content }],
    }))
      if (type === 'retry') throw new Error('It was sent again.');
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
  await ledger.close();
  ledger.dispose();
  return billed;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [folder = '', ...numbers] = line.split(' ');
  const [limit = 0, prompt = 0, reply = 0] = numbers.map(Number);
  process.stdout.write(`${await send(folder, limit, prompt, reply)}\n`);
}
