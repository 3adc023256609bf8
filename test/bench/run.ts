/**
 * Runs the benchmarks: `npm run bench`, or `npm run bench -- NAME…` for those whose path contains a
 * name. `--write` writes the table of a complete run into docs/benchmarks.md. `--slow` runs those in
 * VS Code on a slower processor. `--recordings FOLDER` adds the rows that need recorded streams, which
 * are not part of the project. `--profile` runs the `*.profile.ts` files instead, which show where
 * the time is spent.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { withoutVsCode } from '../support/withoutVsCode.ts';
import { commitToMeasure } from './measuredCommit.ts';
import { processorSpeed } from './processorSpeed.ts';
import { Table, type Bench } from './table.ts';
import { writeDocuments } from './writeDocuments.ts';

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'boolean' },
    profile: { type: 'boolean' },
    slow: { type: 'boolean', default: false },
    recordings: { type: 'string' },
  },
});
const kind = values.profile === true ? 'profile' : 'bench';
const files = globSync(`${values.slow ? 'vscode' : '**'}/*.${kind}.ts`, {
  cwd: import.meta.dirname,
  exclude: ['**/node_modules/**'],
})
  .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
  .toSorted();
if (files.length === 0) throw new Error(`No ${kind} is named ${names.join(' or ')}.`);
if (values.write === true && (names.length > 0 || kind === 'profile' || values.slow))
  throw new Error('The page shows one whole run: leave the names and other options out.');

function isBench(module: unknown): module is { readonly bench: Bench } {
  return typeof module === 'object' && module !== null && 'bench' in module;
}

const commit = values.write === true ? commitToMeasure() : undefined;
const table = new Table(console.log, {
  commit,
  isSlow: values.slow,
  recordings: values.recordings,
});
for (const file of files) {
  const { href } = pathToFileURL(join(import.meta.dirname, file));
  const module: unknown = await withoutVsCode(() => import(href));
  if (!isBench(module)) throw new Error(`${file} exports no \`bench\`.`);
  await module.bench(table);
}
table.add(processorSpeed());
for (const line of table.foot()) console.log(line);
if (values.write === true) await writeDocuments(table);
process.exitCode = table.missed.length === 0 ? 0 : 1;
