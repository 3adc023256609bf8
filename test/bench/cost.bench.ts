import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { usageCost } from '../../src/core/conversation/usage.ts';
import { readPrice } from '../../src/core/service/prices.ts';
import { testClient } from '../support/testClient.ts';
import { median } from './measure.ts';
import { figureRow } from './row.ts';
import type { Table } from './table.ts';

/** What lists of services say that models cost. */
const entries: readonly (readonly [model: string, pricing: object])[] = [
  [
    'x-ai/grok-4.1-fast',
    { prompt: '0.0000002', completion: '0.0000005', input_cache_read: '0.00000005' },
  ],
  [
    'openai/gpt-5.3-codex',
    { input: '0.00000175', output: '0.000014', input_cache_read: '0.000000175' },
  ],
  ['moonshotai/kimi-k2', { prompt: '0.0000006', completion: '0.0000025' }],
];

const request = {
  model: 'm',
  messages: [{ role: 'user' as const, content: 'Hello' }],
  stream: true as const,
};

/** Compares the cost that Aside computes from a list with the one that recorded replies were billed. */
export async function bench(table: Table): Promise<void> {
  if (table.recordings === undefined) return;
  const errors: number[] = [];
  const headers = { 'Content-Type': 'text/event-stream' };
  for (const file of globSync('**/*.sse', { cwd: table.recordings }).toSorted()) {
    const text = readFileSync(join(table.recordings, file), 'utf8');
    const [, pricing] = entries.find(([model]) => text.includes(`"${model}"`)) ?? [];
    const { price } = readPrice({ pricing });
    if (price === undefined) continue;
    const client = testClient(() => Promise.resolve(new Response(text, { headers })));
    for await (const event of client.stream(request)) {
      const usage = event.type === 'end' ? event.completion.usage : undefined;
      if (usage?.billed !== undefined)
        errors.push(100 * Math.abs(usageCost(usage, price) / usage.billed - 1));
    }
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
