import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as z from 'zod/mini';
import type { ConversationEvent } from '../../src/core/conversation/events.ts';
import { systemClock, type Clock } from '../../src/core/support/clock.ts';
import type { JournalFiles } from '../../src/host/journal/journalFiles.ts';
import { diskJournals } from '../support/diskJournals.ts';
import { journalOf } from '../support/cutJournal.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { benchWindow, BenchTab } from './benchWindow.ts';
import { ratioRow } from './row.ts';
import type { Table } from './table.ts';

const chats = 20;
const turns = 500;

/** Waits are short: what happens after seconds is there when the heap is measured. */
const clock: Clock = {
  ...systemClock,
  after: (milliseconds, work) => systemClock.after(Math.min(milliseconds, 10), work),
};

/** What open chats take of the memory of the extension host, where each has a tab. */
export async function bench(table: Table): Promise<void> {
  const folder = await TemporaryFolder.create();
  try {
    const storage = diskJournals(folder.path);
    const sizes = await writeJournals(storage);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    // Code is compiled, and caches are filled, before anything counts.
    await heapOf(storage, 2);
    const single = await heapOf(storage, 1);
    const all = await heapOf(storage, chats);
    const unbounded = await heapOf(storage, chats, Infinity);
    const what = `1,000 messages (${megabytes(bytes / chats).toFixed(1)} MB)`;
    const unit = 'MB';
    table.add(
      ratioRow({
        name: `memory of an open chat of ${what}`,
        ...{ against: 'its journal', ours: megabytes(single), theirs: megabytes(sizes[0] ?? NaN) },
        ...{ unit, goal: 1.5 },
      }),
    );
    table.add(
      ratioRow({
        name: `memory of ${chats} such chats in tabs, of which one is visible`,
        ...{ against: 'one of them', ours: megabytes(all), theirs: megabytes(single) },
        ...{ unit, goal: 6 },
      }),
    );
    table.add(
      ratioRow({
        name: 'the same, with none emptied that is idle',
        ...{ against: 'one of them', ours: megabytes(unbounded), theirs: megabytes(single), unit },
      }),
    );
  } finally {
    await folder.dispose();
  }
}

/** Opens chats one after the other, each in a tab that hides the one before. Bytes of the heap. */
async function heapOf(storage: JournalFiles, count: number, mostIdle?: number): Promise<number> {
  const connect = (): Promise<never> => Promise.reject(new Error('not used'));
  const bound = mostIdle === undefined ? {} : { mostIdle };
  const open = benchWindow({ clock, storage, connect, ...bound });
  const before = await heapUsed();
  let visible: BenchTab | undefined;
  for (let number = 0; number < count; number++) {
    visible?.hide();
    visible = new BenchTab(open, open.open(`chat-${number}`));
    await visible.load();
  }
  const used = (await heapUsed()) - before;
  if (open.all.length < count) throw new Error('A chat was closed.');
  open.dispose();
  return used;
}

const callable = z.custom<() => void>((value) => typeof value === 'function');

async function heapUsed(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = callable.parse(runInNewContext('gc'));
  // Files and finished work are let go of in later turns of the event loop.
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    collect();
  }
  return process.memoryUsage().heapUsed;
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

function megabytes(bytes: number): number {
  return bytes / 1_000_000;
}
