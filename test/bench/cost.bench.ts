import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { usageCost } from '../../src/core/conversation/usage.ts';
import { ServiceClient } from '../../src/core/service/client.ts';
import type { Completion } from '../../src/core/service/completion.ts';
import { readPrice } from '../../src/core/service/prices.ts';
import { systemClock } from '../../src/core/support/clock.ts';
import { median } from './measure.ts';
import { figureRow } from './row.ts';
import type { Table } from './table.ts';

/** What lists of services say that models cost. */
const entries: ReadonlyMap<string, object> = new Map([
  [
    'x-ai/grok-4.1-fast',
    { prompt: '0.0000002', completion: '0.0000005', input_cache_read: '0.00000005' },
  ],
  [
    'openai/gpt-5.3-codex',
    { input: '0.00000175', output: '0.000014', input_cache_read: '0.000000175' },
  ],
  ['moonshotai/kimi-k2', { prompt: '0.0000006', completion: '0.0000025' }],
]);

/** Compares the cost that Aside computes from a list with the one that recorded replies were billed. */
export async function bench(table: Table): Promise<void> {
  if (table.recordings === undefined) return;
  const errors: number[] = [];
  for (const file of globSync('**/*.sse', { cwd: table.recordings }).toSorted()) {
    const bytes = readFileSync(join(table.recordings, file));
    const [, model = ''] = /"model": ?"([^"]+)"/.exec(bytes.toString('utf8')) ?? [];
    const usage = (await play(bytes))?.usage;
    const { price } = readPrice({ pricing: entries.get(model) });
    if (usage?.billed !== undefined && price !== undefined)
      errors.push(100 * Math.abs(usageCost(usage, price) / usage.billed - 1));
  }
  if (errors.length === 0) throw new Error(`${table.recordings} has no reply with a bill.`);
  table.add(
    figureRow({
      name: `Cost by the list's price against the bill, median of ${errors.length} recorded replies`,
      value: median(errors),
      unit: '%',
      goal: 1,
    }),
  );
}

async function play(bytes: Uint8Array<ArrayBuffer>): Promise<Completion | undefined> {
  const client = new ServiceClient({
    baseUrl: 'https://service.test/v1',
    apiKey: 'sk-recorded',
    fetch: () =>
      Promise.resolve(new Response(bytes, { headers: { 'Content-Type': 'text/event-stream' } })),
    clock: systemClock,
    silenceLimit: 60_000,
  });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  for await (const event of client.stream({ model: 'm', messages, stream: true }))
    if (event.type === 'end') return event.completion;
  return undefined;
}
