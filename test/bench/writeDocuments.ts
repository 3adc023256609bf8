import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withBlock } from '../support/documentBlock.ts';
import { projectFolder } from '../support/paths.ts';
import type { Table } from './table.ts';

/**
 * Writes the complete table into docs/benchmarks.md, and the rows that compare with other programs
 * or miss their goals into docs/measured.md.
 */
export async function writeDocuments(table: Table, folder = projectFolder): Promise<void> {
  await writeBlock(join(folder, 'docs/benchmarks.md'), table.lines());
  await writeBlock(join(folder, 'docs/measured.md'), table.linesOfRivals());
}

async function writeBlock(path: string, lines: readonly string[]): Promise<void> {
  await writeFile(path, await withBlock(path, 'bench', lines));
}
