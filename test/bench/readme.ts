import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { projectFolder } from '../support/paths.ts';

const readme = join(projectFolder, 'README.md');
const start = '<!-- bench -->';
const end = '<!-- /bench -->';

/** Replaces the lines between the two marks in the README. */
export async function writeToReadme(lines: readonly string[]): Promise<void> {
  const text = await readFile(readme, 'utf8');
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`README.md has no ${start} … ${end}.`);
  const before = text.slice(0, from + start.length);
  const filled = [before, '', ...lines, '', text.slice(to)].join('\n');
  // Formatted like all files, including the columns of tables.
  const options = await resolveConfig(readme);
  await writeFile(readme, await format(filled, { ...options, filepath: readme }));
}
