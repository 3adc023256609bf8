import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { unsearchedBelow } from '../../src/core/approval/secrets.ts';
import type { SearchScope } from '../../src/core/files/fileSearch.ts';
import { SearchResults } from '../../src/core/files/searchResults.ts';
import { findRipgrep, ripgrepAt } from '../../src/host/node/ripgrepRun.ts';
import { Ripgrep } from '../../src/core/files/ripgrep.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { fetchVsCode } from '../support/vscode/fetchVsCode.ts';
import { compare } from './row.ts';
import type { Table } from './table.ts';
import { writeWorkspace } from './workspace.ts';

const never = new AbortController().signal;

async function searchOurs(ripgrep: Ripgrep, path: string, text: string): Promise<string> {
  const root = { scheme: 'file', authority: '', path };
  const exclude = ['**/.git', '**/.svn', '**/.hg', '**/.DS_Store', '**/node_modules'];
  const scope: SearchScope = {
    root,
    start: '',
    include: [],
    exclude,
    leftOut: unsearchedBelow(root, []),
  };
  const results = new SearchResults();
  const query = { text, isRegex: false, context: 0 };
  await ripgrep.lines(scope, query, (line) => results.add(line), never);
  return results.render(0);
}

/** Runs a search as in a terminal, with output to a pipe. */
async function searchByHand(program: string, folder: string, text: string): Promise<string> {
  const programArguments = [
    '--no-config',
    '--no-require-git',
    '--smart-case',
    '--line-number',
    text,
    './',
  ];
  const child = spawn(program, programArguments, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [output] = await Promise.all([readAll(child.stdout), once(child, 'close')]);
  return output;
}

async function timed(work: () => Promise<string>, check: RegExp): Promise<number> {
  const start = performance.now();
  const text = await work();
  const time = performance.now() - start;
  assert.match(text, check);
  return time;
}

/** Measures `search_text` for rare words, and for one that is in every file. */
export async function bench(table: Table): Promise<void> {
  const { server } = await fetchVsCode();
  const program = await findRipgrep(join(dirname(server), '..'));
  assert.ok(program !== undefined, 'VS Code came without ripgrep.');
  const folder = await TemporaryFolder.create();
  try {
    await writeWorkspace(folder.path);
    const ripgrep = new Ripgrep(ripgrepAt(program), ({ path }) => path);
    for (const { name, text, check } of searches) {
      const row = await compare({
        name: `search_text in 10,000 files, ${name}`,
        against: 'ripgrep by hand',
        goal: 1.3,
        rounds: 21,
        ours: () => timed(() => searchOurs(ripgrep, folder.path, text), check),
        theirs: () => timed(() => searchByHand(program, folder.path, text), check),
      });
      table.add(row);
    }
  } finally {
    await folder.dispose();
  }
}

const searches = [
  { name: '200 lines found', text: 'findNeedle', check: /findNeedle/ },
  { name: 'a word in every line', text: 'compute', check: /compute/ },
];
