import assert from 'node:assert/strict';
import { turnText } from '../../src/core/conversation/conversation.ts';
import { ServiceClient, type Client } from '../../src/core/service/client.ts';
import { systemClock } from '../../src/core/support/clock.ts';
import { createRedactor } from '../../src/core/support/redact.ts';
import { diskJournals } from '../support/diskJournals.ts';
import { delta, done } from '../support/rawReply.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { benchWindow, BenchTab } from './benchWindow.ts';
import { compare } from './row.ts';
import { startFloodServer } from './startFloodServer.ts';
import type { Table } from './table.ts';

const seconds = 3;
const deltasASecond = 300;
const streams = 10;

/** Measures simultaneous replies from the socket on, each in its own chat and tab. */
export async function bench(table: Table): Promise<void> {
  await measurePaced(table);
  await measureAtOnce(table);
}

async function measurePaced(table: Table): Promise<void> {
  const server = await startFloodServer({ seconds, deltasASecond });
  const source = { baseUrl: server.baseUrl, fetch, words: seconds * deltasASecond };
  try {
    table.add(
      await compare({
        name: `CPU of ${streams} replies at once in ${streams} chats, ${deltasASecond} deltas a second each`,
        against: 'one of them alone',
        goal: 11,
        rounds: 5,
        ours: () => cpuOfStreams(source, streams),
        theirs: () => cpuOfStreams(source, 1),
      }),
    );
  } finally {
    await server.dispose();
  }
}

/** Nothing waits for the network, so no reply is cheaper because another one woke the host. */
async function measureAtOnce(table: Table): Promise<void> {
  const words = 20_000;
  const deltas = Array.from({ length: words }, (_, number) => delta(`word${number % 97} `));
  const bytes = new TextEncoder().encode(deltas.join('') + done);
  const answer = (): Promise<Response> => Promise.resolve(new Response(bytes));
  const source = { baseUrl: 'https://service.test/v1', fetch: answer, words };
  table.add(
    await compare({
      name: `The same with ${words.toLocaleString('en')} deltas each, all there at once`,
      against: 'one after the other',
      goal: 1.1,
      rounds: 9,
      ours: () => cpuOfStreams(source, streams),
      async theirs() {
        let sum = 0;
        for (let stream = 0; stream < streams; stream++) sum += await cpuOfStreams(source, 1);
        return sum;
      },
    }),
  );
}

/** Source of replies, and the number of words in each. */
interface Source {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly words: number;
}

/** Milliseconds of CPU time of the thread of the extension host. */
async function cpuOfStreams(source: Source, count: number): Promise<number> {
  const folder = await TemporaryFolder.create();
  const chats = benchWindow({
    clock: systemClock,
    storage: diskJournals(folder.path),
    connect: () => Promise.resolve({ client: clientOf(source), demo: false }),
  });
  try {
    const tabs = Array.from({ length: count }, () => new BenchTab(chats, chats.create()));
    await Promise.all(tabs.map((tab) => tab.load()));
    const start = process.threadCpuUsage();
    const replies = await Promise.all(tabs.map((tab) => askIn(tab)));
    const { user, system } = process.threadCpuUsage(start);
    for (const reply of replies) assert.equal(reply.split(' ').length - 1, source.words);
    return (user + system) / 1000;
  } finally {
    await chats.leave();
    chats.dispose();
    await folder.dispose();
  }
}

async function askIn({ chat: opened }: BenchTab): Promise<string> {
  const turn = await opened.send({ text: 'Hello', attachments: [] }, 'some/model');
  await opened.store.flush();
  return turnText(turn);
}

function clientOf({ baseUrl, fetch }: Source): Client {
  const apiKey = 'sk-streams-0123456789abcdef';
  const redactor = createRedactor();
  redactor.setKeys([apiKey]);
  const clock = systemClock;
  return new ServiceClient({ baseUrl, apiKey, fetch, clock, silenceLimit: 60_000, redactor });
}
