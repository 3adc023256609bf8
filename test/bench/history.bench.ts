import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { ChatSearch, type FindJournals, findJournalsIn } from '../../src/host/chat/chatSearch.ts';
import { ChatHeads } from '../../src/host/chat/chatHeads.ts';
import { findRipgrep, ripgrepAt } from '../../src/host/node/ripgrepRun.ts';
import { DiskFiles } from '../../src/host/node/diskFiles.ts';
import type { JournalFiles } from '../../src/host/chat/journalFiles.ts';
import { diskJournals } from '../support/diskJournals.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { fetchVsCode } from '../support/vscode/fetchVsCode.ts';
import { median } from './measure.ts';
import { compare, figureRow } from './row.ts';
import type { Table } from './table.ts';
import { rareWord, writeChats } from './writeChats.ts';

/** Number of chats. `ASIDE_CHATS=2000 npm run bench -- history` is faster. */
const chats = Number(process.env['ASIDE_CHATS'] ?? 10_000);
const rounds = 11;

/** Measures the list of saved chats, and searching them. */
export async function bench(table: Table): Promise<void> {
  const { server } = await fetchVsCode();
  const program = await findRipgrep(join(dirname(server), '..'));
  assert.ok(program !== undefined, 'VS Code came without ripgrep.');
  const folder = await TemporaryFolder.create();
  try {
    const journals = diskJournals(join(folder.path, 'chats'));
    const megabytes = Math.round((await writeChats(journals.location, chats)) / 1_000_000);
    const what = `${chats.toLocaleString('en')} chats, ${megabytes} MB`;
    await measureList(table, journals, what);
    await measureSearch(table, journals, program, what);
    await measureBlocks(table, journals, what);
  } finally {
    await folder.dispose();
  }
}

async function measureList(table: Table, journals: JournalFiles, what: string): Promise<void> {
  const files = new DiskFiles(dirname(journals.location));
  const cache = {
    read: () => files.read('heads.json'),
    write: (text: string) => files.write('heads.json', text),
  };
  const open = (): ChatHeads => new ChatHeads({ journals, cache, onError: fail });
  const start = performance.now();
  assert.equal((await open().read()).length, chats);
  const anew = performance.now() - start;
  const first: number[] = [];
  const all: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const opened = performance.now();
    const list = await open().read((early) => {
      assert.equal(early.length, 50);
      first.push(performance.now() - opened);
    });
    all.push(performance.now() - opened);
    assert.equal(list.length, chats);
  }
  const unit = 'ms';
  table.add(figureRow({ name: `First 50 of ${what}`, value: median(first), unit, goal: 150 }));
  table.add(figureRow({ name: 'All of them, each checked', value: median(all), unit, goal: 1000 }));
  table.add(figureRow({ name: 'All of them, without the kept heads', value: anew, unit }));
}

async function measureSearch(
  table: Table,
  journals: JournalFiles,
  program: string,
  what: string,
): Promise<void> {
  const find = findJournalsIn(journals.location, ripgrepAt(program));
  for (const { name, word } of [
    { name: 'a word of 20 of them', word: rareWord },
    { name: 'a word of all', word: 'station' },
    { name: 'a word cut between records in one', word: 'hygrograph' },
  ])
    table.add(
      await compare({
        name: `First hits in ${what}: ${name}`,
        against: 'one pass of ripgrep by hand',
        goal: 1.3,
        rounds,
        ours: () => firstHit(journals, find, word),
        theirs: () => passByHand(program, journals.location, word),
      }),
    );
}

async function firstHit(journals: JournalFiles, find: FindJournals, word: string): Promise<number> {
  const ids = await journals.list();
  const search = new ChatSearch({
    journals,
    find: () => Promise.resolve(find),
    onError: fail,
  });
  const abort = new AbortController();
  const start = performance.now();
  let time = NaN;
  const onMatch = (): void => {
    time = performance.now() - start;
    abort.abort();
  };
  await search.search(word, ids, onMatch, abort.signal);
  return time;
}

async function passByHand(program: string, folder: string, word: string): Promise<number> {
  const start = performance.now();
  const programArguments = ['--no-config', '--ignore-case', '--files-with-matches', word, './'];
  const child = spawn(program, programArguments, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await Promise.all([readAll(child.stdout), once(child, 'close')]);
  return performance.now() - start;
}

/** Measures how long the event loop is blocked while all chats are read, as happens without ripgrep. */
async function measureBlocks(table: Table, journals: JournalFiles, what: string): Promise<void> {
  const ids = (await journals.list()).slice(0, 1000);
  const search = new ChatSearch({ journals, onError: fail });
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  await search.search('station', ids, () => undefined, new AbortController().signal);
  clearInterval(timer);
  const name = `Longest block of the event loop while 1,000 of ${what} are read`;
  table.add(figureRow({ name, value: longest, unit: 'ms', goal: 50 }));
}

function fail(what: string, error: unknown): never {
  assert.fail(`${what}: ${String(error)}`);
}
