import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Number of files in a generated workspace. */
const workspaceFiles = 10_000;

/** Writes a workspace of modules in folders of 50, some of them ignored. */
export async function writeWorkspace(folder: string): Promise<void> {
  await writeFile(join(folder, '.gitignore'), 'generated/\n*.log\n');
  for (let start = 0; start < workspaceFiles; start += 500) {
    const numbers = Array.from({ length: 500 }, (_, index) => start + index);
    await Promise.all(numbers.map((number) => writeModule(folder, number)));
  }
}

/** Path of a module, with `/`. Every twentieth is ignored. */
export function modulePath(number: number): string {
  const kind = number % 20 === 0 ? 'generated' : 'src';
  return `${kind}/part${Math.floor(number / 50)}/module${number}.ts`;
}

/** A line of a module, 0-based. A module has 80 lines; one in 50 modules contains a needle. */
export function moduleLine(number: number, line: number): string {
  return line === 40 && number % 50 === 7
    ? `export const needle${number} = findNeedle(${line});`
    : `  const value${line} = compute(${number}, 'some text in a line of code', ${line * 7});`;
}

async function writeModule(folder: string, number: number): Promise<void> {
  const path = join(folder, modulePath(number));
  const lines = Array.from({ length: 80 }, (_, line) => moduleLine(number, line));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, lines.join('\n'));
}
