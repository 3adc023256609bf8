import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { projectFolder } from '../support/paths.ts';
import type { Table } from './table.ts';

const start = '<!-- bench -->';
const end = '<!-- /bench -->';

/** The rows that the README shows: what a person notices first. The page has all of them. */
export const chosenRows = [
  'activate, median of 20',
  'panel ready to type',
  'open a chat of 10,000 messages (20 MB)',
  'server writes a chunk → it is in the panel, 300 at 50 a second: median',
  '4000 chunks at full speed, CPU of the main thread',
];

/** Writes the whole table into the page of benchmarks, and the chosen rows into the README. */
export async function writeDocuments(table: Table, folder = projectFolder): Promise<void> {
  const short = table.linesOf(chosenRows);
  await writeBlock(join(folder, 'docs/benchmarks.md'), table.lines());
  await writeBlock(join(folder, 'README.md'), short);
}

async function writeBlock(path: string, lines: readonly string[]): Promise<void> {
  const filled = fillBlock(await readFile(path, 'utf8'), lines);
  // Documents are held to the format of all files, columns of tables included.
  const options = await resolveConfig(join(projectFolder, 'README.md'));
  await writeFile(path, await format(filled, { ...options, filepath: path }));
}

/** The text with the lines between its two marks. Throws where a mark is missing. */
function fillBlock(text: string, lines: readonly string[]): string {
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`The document has no ${start} … ${end}.`);
  return [text.slice(0, from + start.length), '', ...lines, '', text.slice(to)].join('\n');
}
