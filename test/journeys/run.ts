/**
 * Runs the journeys.
 * - `--on HOST` selects the host (see `hosts.ts`)
 * - `--only chosen` runs what `npm test` runs, `--only others` the rest, `--only main` what other
 *   hosts run in `npm test -- --all`
 * - `--light` uses a light theme
 * - `--processes 1` runs one file at a time
 * - `--keep` keeps the screenshots of earlier runs
 * Other arguments are parts of the names of the files to run.
 */
import { globSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { fetchVsCode } from '../support/vscode/fetchVsCode.ts';
import { findBrowser, isWatched } from '../support/vscode/findBrowser.ts';
import { hostNamed, hosts } from '../support/vscode/hosts.ts';
import { filesOf } from './support/chosenJourneys.ts';
import type { FileResult } from './support/fileResult.ts';
import { runJourneys } from './support/journeyQueue.ts';
import { picturesFolder } from './support/pictures.ts';

const { values, positionals: wanted } = parseArgs({
  options: {
    on: { type: 'string' },
    only: { type: 'string' },
    keep: { type: 'boolean', default: false },
    light: { type: 'boolean', default: false },
    processes: { type: 'string', default: '2' },
  },
  allowPositionals: true,
});
const host = hostNamed(values.on);
const only = filesOf(values.only);
// Pages without VS Code give the same results on every host.
const pattern = host === 'newest' ? '**/*.{journey,pages}.ts' : '**/*.journey.ts';
const files = globSync(pattern, { cwd: import.meta.dirname })
  .filter((file) => only === undefined || only.some((name) => file === `${name}.journey.ts`))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
if (files.length === 0) throw new Error('There is no such journey.');
const isWhole = wanted.length === 0 && values.only === undefined && host === 'newest';
if (isWhole && !values.keep) await rm(picturesFolder, { recursive: true, force: true });
await mkdir(picturesFolder, { recursive: true });

// Downloads both once, before the processes need them.
await fetchVsCode(hosts[host].age);
await findBrowser();
// Somebody who watches sees one journey at a time.
const processes = isWatched ? 1 : Number(values.processes);
const results = await runJourneys(files, processes, {
  ...process.env,
  ASIDE_HOST: host,
  ASIDE_ONLY: values.only,
  ASIDE_THEME: values.light ? 'light' : 'dark',
  ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
});

printTimes(results);
console.log(`Pictures: ${picturesFolder}`);
if (host !== 'newest')
  console.log(`Not on ${host}: *.pages.ts: they look at pages without VS Code`);
for (const { title, reason } of results.flatMap(({ skipped }) => skipped))
  console.log(`Not on ${host}: ${title}: ${reason}`);
const failed = results.flatMap((result) => result.failed);
for (const title of failed) console.log(`Failed: ${title}`);
const passed = results.reduce((sum, result) => sum + result.passed, 0);
console.log(`${passed} passed, ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);

/** Prints the duration of each file, the longest first. */
function printTimes(files: readonly FileResult[]): void {
  for (const { file, seconds, opening } of files.toSorted((a, b) => b.seconds - a.seconds)) {
    const windows = `${opening.seconds.toFixed(0).padStart(4)} s in ${opening.windows} windows`;
    console.log(`${seconds.toFixed(0).padStart(5)} s, of which ${windows}: ${file}`);
  }
}
