import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withBlock } from '../support/documentBlock.ts';
import { projectFolder } from '../support/paths.ts';
import type { Table } from './table.ts';

/** The rows that the README shows: what a person notices first. The page has all of them. */
export const chosenRows = [
  'activate, median of 20',
  'panel ready to type',
  'open a chat of 10,000 messages (20 MB)',
  'server writes a chunk → it is in the panel, 300 at 50 a second: median',
  '4000 chunks at full speed, CPU of the main thread',
];

/**
 * Writes the whole table into the page of benchmarks, the chosen rows into the README, and those that
 * are about other programs or miss their goals into the page about what was measured.
 */
export async function writeDocuments(table: Table, folder = projectFolder): Promise<void> {
  const short = table.linesOf(chosenRows);
  await writeBlock(join(folder, 'docs/benchmarks.md'), table.lines());
  await writeBlock(join(folder, 'README.md'), short);
  await writeBlock(join(folder, 'docs/measured.md'), table.linesOfRivals());
}

async function writeBlock(path: string, lines: readonly string[]): Promise<void> {
  await writeFile(path, await withBlock(path, 'bench', lines));
}
