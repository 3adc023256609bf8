/** Prints the memory of open chats, in a separate process where nothing else is freed meanwhile. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as z from 'zod/mini';
import type { ConversationEvent } from '../../src/core/conversation/events.ts';
import { systemClock, type Clock } from '../../src/core/support/clock.ts';
import type { JournalFiles } from '../../src/host/chat/journalFiles.ts';
import { diskJournals } from '../support/diskJournals.ts';
import { journalOf } from '../support/cutJournal.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { withoutVsCode } from '../support/withoutVsCode.ts';
import type { BenchTab } from './benchWindow.ts';
import type { OpenChatMemory } from './memory.bench.ts';

const { benchWindow, BenchTab: Tab } = await withoutVsCode(() => import('./benchWindow.ts'));

const chats = 20;
const turns = 500;

/** Shortens delays, so that delayed work is done when the heap is measured. */
const clock: Clock = {
  ...systemClock,
  after: (milliseconds, work) => systemClock.after(Math.min(milliseconds, 10), work),
};

/** Opens chats one after the other, each in a tab that hides the previous one. Returns bytes of the heap. */
async function heapOf(storage: JournalFiles, count: number, mostIdle?: number): Promise<number> {
  const connect = (): Promise<never> => Promise.reject(new Error('not used'));
  const bound = mostIdle === undefined ? {} : { mostIdle };
  const open = benchWindow({ clock, storage, connect, ...bound });
  const before = await heapUsed();
  let visible: BenchTab | undefined;
  for (let number = 0; number < count; number++) {
    visible?.hide();
    visible = new Tab(open, open.open(`chat-${number}`));
    await visible.load();
  }
  const used = (await heapUsed()) - before;
  if (open.all.length < count) throw new Error('A chat was closed.');
  open.dispose();
  return used;
}

/** Bytes by which a heap may still shrink between two measurements. */
const freedAtMost = 100_000;

const callable = z.custom<() => void>((value) => typeof value === 'function');

/** Bytes of the heap once it stops shrinking: files and finished work are freed in later turns. */
async function heapUsed(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = callable.parse(runInNewContext('gc'));
  for (let before = Infinity; ;) {
    for (let round = 0; round < 10; round++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      collect();
    }
    const { heapUsed: used } = process.memoryUsage();
    if (before - used < freedAtMost) return used;
    before = used;
  }
}

async function writeJournals(storage: JournalFiles): Promise<readonly number[]> {
  const sizes: number[] = [];
  for (let chat = 0; chat < chats; chat++) {
    const events = Array.from({ length: turns }, (_, turn) => eventsOf(chat, turn)).flat();
    const text = journalOf(`chat-${chat}`, events);
    await storage.append(`chat-${chat}`, text);
    sizes.push(Buffer.byteLength(text));
  }
  return sizes;
}

/** A turn of 2 to 6 KB; in one of five, a tool reads a file. */
function eventsOf(chat: number, turn: number): readonly ConversationEvent[] {
  const at = Date.UTC(2026, 0, 1) + turn * 60_000;
  const text = (part: string, length: number): string =>
    `${part} ${turn} of chat ${chat}: the station reads its value every minute. `.repeat(length);
  const question = { text: text('question', 16 + (turn % 16)), attachments: [] };
  const id = `call-${turn}`;
  const call = { id, name: 'read_file', arguments: '{"path":"src/app.ts"}', round: 1 };
  const reading: readonly ConversationEvent[] = [
    { type: 'tool-call-start', call },
    { type: 'tool-call-run', id, at },
    { type: 'tool-call-result', id, outcome: 'done', result: text('file', 40), at },
  ];
  return [
    ...[
      { type: 'turn-start', id: `${chat}-${turn}`, question, model: 'm', json: false, at } as const,
    ],
    ...(turn % 5 === 0 ? reading : []),
    ...[1, 2, 3].map(
      (part) => ({ type: 'text-delta', text: text(`part ${part}`, 9), at }) as const,
    ),
    { type: 'turn-end', status: 'finished', finishReason: 'stop', at },
  ];
}

const folder = await TemporaryFolder.create();
try {
  const storage = diskJournals(folder.path);
  const journals = await writeJournals(storage);
  // Compiles code and fills caches before the measurement.
  await heapOf(storage, 2);
  const measured: OpenChatMemory = {
    chats,
    journals,
    single: await heapOf(storage, 1),
    all: await heapOf(storage, chats),
    unbounded: await heapOf(storage, chats, Infinity),
  };
  console.log(JSON.stringify(measured));
} finally {
  await folder.dispose();
}
