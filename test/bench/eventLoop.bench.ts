import assert from 'node:assert/strict';
import { turnText } from '../../src/core/conversation/conversation.ts';
import { systemClock } from '../../src/core/support/clock.ts';
import { diskJournals } from '../support/diskJournals.ts';
import type { HostMessage } from '../../src/protocol/messages.ts';
import { createDeltaPath } from '../support/deltaPath.ts';
import { delta, done } from '../support/rawReply.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { startFloodServer } from './startFloodServer.ts';
import { figureRow } from './row.ts';
import type { Table } from './table.ts';

const seconds = 10;
const rounds = 3;
/** Milliseconds until the view acknowledges a message. */
const viewTime = 5;

/** Longest blocks during a reply, in milliseconds. */
interface Blocks {
  /** CPU time, which excludes other programs. */
  readonly busy: number;
  /** Wall time. */
  readonly passed: number;
}

/** Measures the longest times between two turns of the event loop during the work. */
async function blocksDuring(work: () => Promise<void>): Promise<Blocks> {
  const longest = { busy: 0, passed: 0 };
  let last = now();
  const timer = setInterval(() => {
    const { busy, passed } = now();
    longest.passed = Math.max(longest.passed, passed - last.passed);
    longest.busy = Math.max(longest.busy, Math.min(busy - last.busy, passed - last.passed));
    last = { busy, passed };
  }, 1);
  await work();
  clearInterval(timer);
  return longest;
}

function now(): Blocks {
  const { user, system } = process.threadCpuUsage();
  return { busy: (user + system) / 1000, passed: performance.now() };
}

/** Streams one reply through the whole extension host and into a file. */
async function reply(baseUrl: string, answer: typeof fetch, length: number): Promise<Blocks> {
  const folder = await TemporaryFolder.create();
  const path = createDeltaPath({
    baseUrl,
    fetch: answer,
    clock: systemClock,
    storage: diskJournals(folder.path),
    post(message: HostMessage, acknowledge) {
      // VS Code serializes messages to a webview.
      JSON.stringify(message);
      if (message.type === 'events') setTimeout(acknowledge, viewTime);
    },
  });
  try {
    return await blocksDuring(async () => {
      assert.equal(turnText(await path.ask()).length, length);
    });
  } finally {
    await folder.dispose();
  }
}

function streamOf(deltas: readonly string[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(deltas.map(delta).join('') + done);
}

function words(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `word${number % 97} `);
}

/** A reply of 10,000 deltas per second, from a server in a separate thread. */
async function paced(): Promise<Blocks[]> {
  const server = await startFloodServer({ seconds, deltasASecond: 10_000 });
  try {
    const { length } = words(seconds * 10_000).join('');
    const blocks: Blocks[] = [];
    for (let round = 0; round < rounds; round++)
      blocks.push(await reply(server.baseUrl, fetch, length));
    return blocks;
  } finally {
    await server.dispose();
  }
}

/** The same number of deltas, all available at once. */
async function atOnce(): Promise<Blocks[]> {
  const deltas = words(seconds * 10_000);
  const bytes = streamOf(deltas);
  const { length } = deltas.join('');
  const blocks: Blocks[] = [];
  for (let round = 0; round < rounds; round++) {
    const answer = (): Promise<Response> => Promise.resolve(new Response(bytes));
    blocks.push(await reply('https://service.test/v1', answer, length));
  }
  return blocks;
}

function addRow(table: Table, name: string, blocks: readonly Blocks[]): void {
  const passed = Math.max(...blocks.map((block) => block.passed)).toFixed(1);
  table.add(
    figureRow({
      name,
      value: Math.max(...blocks.map((block) => block.busy)),
      unit: 'ms',
      goal: 20,
      note: `the longest of ${rounds} replies, in time of the processor; on the wall, with all that ran beside, ${passed} ms`,
    }),
  );
}

/** Measures how long a fast reply blocks other extensions, which share the event loop. */
export async function bench(table: Table): Promise<void> {
  // The first request of a process loads `fetch`, which isn't part of a reply.
  await reply('https://service.test/v1', () => Promise.resolve(new Response(streamOf(['Hi']))), 2);
  addRow(table, 'Longest block of the event loop, 10,000 deltas a second for 10 s', await paced());
  addRow(table, 'The same deltas, all there at once', await atOnce());
}
