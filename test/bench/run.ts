/**
 * Runs the benchmarks: `npm run bench`, or `npm run bench -- NAME…` for those whose path contains a
 * name. `--readme` writes the table of a complete run into the README. `--profile` runs the
 * `*.profile.ts` files instead, which show where the time is spent.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { writeToReadme } from './readme.ts';
import { Table, type Bench } from './table.ts';

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { readme: { type: 'boolean' }, profile: { type: 'boolean' } },
});
const kind = values.profile === true ? 'profile' : 'bench';
const files = globSync(`**/*.${kind}.ts`, {
  cwd: import.meta.dirname,
  exclude: ['**/node_modules/**'],
})
  .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
  .toSorted();
if (files.length === 0) throw new Error(`No ${kind} is named ${names.join(' or ')}.`);
if (values.readme === true && (names.length > 0 || kind === 'profile'))
  throw new Error('The table of the README comes from one whole run: leave the names out.');

function isBench(module: unknown): module is { readonly bench: Bench } {
  return typeof module === 'object' && module !== null && 'bench' in module;
}

const table = new Table(console.log);
for (const file of files) {
  const module: unknown = await import(pathToFileURL(join(import.meta.dirname, file)).href);
  if (!isBench(module)) throw new Error(`${file} exports no \`bench\`.`);
  await module.bench(table);
}
for (const line of table.foot()) console.log(line);
if (values.readme === true) await writeToReadme(table.lines());
process.exitCode = table.missed.length === 0 ? 0 : 1;
