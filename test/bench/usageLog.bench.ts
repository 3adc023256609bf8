import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../src/core/support/clock.ts';
import { DiskFiles } from '../../src/host/node/diskFiles.ts';
import { UsageMonth } from '../../src/host/usage/usageMonth.ts';
import {
  writeProgress,
  writeUsageRecord,
  type UsageRecord,
} from '../../src/host/usage/usageRecord.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { alternate, median } from './measure.ts';
import { figureRow, ratioRow } from './row.ts';
import type { Table } from './table.ts';

const requests = 50_000;
const file = '2030-01.jsonl';

/** A month with tools: chats of 80 requests, of which three of four are later rounds of a turn. */
async function writeMonth(folder: string): Promise<void> {
  const lines: string[] = [];
  for (let index = 0; index < requests; index++) {
    const chat = Math.floor(index / 80);
    const prompt = 2000 + (index % 50) * 400;
    const usage = {
      prompt_tokens: prompt,
      completion_tokens: 0,
      total_tokens: prompt,
      cached_tokens: Math.floor(prompt * 0.7),
      requests: 1,
      estimated: true,
      cost: 0.0042,
    };
    const sent: UsageRecord = {
      id: crypto.randomUUID(),
      state: 'sent',
      at: 1_893_456_000_000 + index * 50_000,
      day: `2030-01-${String(Math.floor((31 * index) / requests) + 1).padStart(2, '0')}`,
      service: 'https://api.example.com',
      model: ['mistralai/mistral-small', 'qwen/qwen3-coder', 'openai/gpt-5'][chat % 3] ?? '',
      workspace: 'file:///home/me/projects/weather',
      chat: `c0ffee00-0000-4000-8000-${String(chat).padStart(12, '0')}`,
      turn: crypto.randomUUID(),
      purpose: index % 4 === 0 ? 'chat' : 'tools',
      usage,
      price: { input: 0.25, output: 2, cachedInput: 0.025, currency: '$' },
      demo: false,
      reserve: { prompt: prompt + 500, reply: 8192 },
      same: prompt - 300,
    };
    const ended = {
      ...usage,
      completion_tokens: 400,
      total_tokens: prompt + 400,
      estimated: false,
    };
    lines.push(writeUsageRecord(sent));
    if (index % 3 === 0)
      lines.push(
        writeProgress({
          id: sent.id,
          time: sent.at + 2000,
          usage: { ...usage, completion_tokens: 150 },
        }),
      );
    lines.push(
      writeUsageRecord({
        ...sent,
        state: 'used',
        usage: ended,
        duration: 4000,
        outcome: 'finished',
      }),
    );
  }
  await appendFile(join(folder, file), `${lines.join('\n')}\n`);
}

/** Reads and adds up a month of the log, against parsing the lines that it adds up. */
export async function bench(table: Table): Promise<void> {
  const folder = await TemporaryFolder.create();
  try {
    await writeMonth(folder.path);
    const read = async (): Promise<void> => {
      await new UsageMonth(new DiskFiles(folder.path), '2030-01', systemClock).read([file]);
    };
    const blocks: number[] = [];
    for (let round = 0; round < 5; round++) blocks.push(await longestBlock(read));
    const ours = async (): Promise<number> => {
      const started = performance.now();
      await read();
      return performance.now() - started;
    };
    const theirs = async (): Promise<number> => {
      const started = performance.now();
      const text = await readFile(join(folder.path, file), 'utf8');
      for (const line of text.split('\n')) if (line.includes('"state":"used"')) JSON.parse(line);
      return performance.now() - started;
    };
    const [our = [], their = []] = await alternate(9, 2, [ours, theirs]);
    const name = `Reading a month of ${requests.toLocaleString('en')} requests`;
    table.add(
      ratioRow({
        name,
        against: '`JSON.parse` of the lines of their ends',
        ours: median(our),
        theirs: median(their),
      }),
    );
    table.add(figureRow({ name: 'The same, in time', value: median(our), unit: 'ms', goal: 300 }));
    table.add(
      figureRow({
        name: 'The same, longest time that holds up others, median of 5',
        value: median(blocks),
        unit: 'ms',
        goal: 20,
      }),
    );
  } finally {
    await folder.dispose();
  }
}

/** The longest time, in milliseconds, that other work waits while this one runs. */
async function longestBlock(work: () => Promise<void>): Promise<number> {
  let [longest, last, isRunning] = [0, performance.now(), true];
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (isRunning) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isRunning = false;
  return longest;
}
