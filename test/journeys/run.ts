/**
 * Runs the journeys.
 * - `--on HOST` selects the host (see `hosts.ts`)
 * - `--main` runs only the main journeys
 * - `--short` skips the long ones
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
import { firstFiles, longFiles, mainJourneys, pageFiles } from './support/chosenJourneys.ts';
import type { FileResult } from './support/fileResult.ts';
import { runJourneys } from './support/journeyQueue.ts';
import { picturesFolder } from './support/pictures.ts';

const { values, positionals: wanted } = parseArgs({
  options: {
    on: { type: 'string' },
    main: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    light: { type: 'boolean', default: false },
    processes: { type: 'string', default: '2' },
  },
  allowPositionals: true,
});
const host = hostNamed(values.on);
const files = globSync('**/*.journey.ts', { cwd: import.meta.dirname })
  .filter((file) => isOfRun(file.replaceAll('\\', '/').replace('.journey.ts', '')))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b, 'en'));
if (files.length === 0) throw new Error('There is no such journey.');
const isWhole = wanted.length === 0 && !values.main && host === 'newest';
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
  ASIDE_MAIN: values.main ? 'yes' : 'no',
  ASIDE_SHORT: values.short ? 'yes' : 'no',
  ASIDE_THEME: values.light ? 'light' : 'dark',
  ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
});

printTimes(results);
console.log(`Pictures: ${picturesFolder}`);
if (values.short)
  for (const file of longFiles) console.log(`Left to \`npm test -- --whole\`: ${file}`);
if (!values.main && host !== 'newest')
  for (const file of pageFiles) console.log(`Not on ${host}: ${file}: its pages need no VS Code`);
for (const { title, reason } of results.flatMap(({ skipped }) => skipped))
  console.log(`Not on ${host}: ${title}: ${reason}`);
const failed = results.flatMap((result) => result.failed);
for (const title of failed) console.log(`Failed: ${title}`);
const passed = results.reduce((sum, result) => sum + result.passed, 0);
console.log(`${passed} passed, ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);

/** The longest files come first, so that none of them runs alone at the end. */
function rankOf(file: string): number {
  const rank = firstFiles.findIndex((name) => file === `${name}.journey.ts`);
  return rank < 0 ? firstFiles.length : rank;
}

function isOfRun(name: string): boolean {
  if (values.main) return name in mainJourneys;
  if (values.short && longFiles.includes(name)) return false;
  return host === 'newest' || !pageFiles.includes(name);
}

/** Prints the duration of each file, the longest first. */
function printTimes(files: readonly FileResult[]): void {
  for (const { file, seconds, opening } of files.toSorted((a, b) => b.seconds - a.seconds)) {
    const windows = `${opening.seconds.toFixed(0).padStart(4)} s in ${opening.windows} windows`;
    console.log(`${seconds.toFixed(0).padStart(5)} s, of which ${windows}: ${file}`);
  }
}
