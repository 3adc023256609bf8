import { globSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { outFolder } from '../support/paths.ts';

/** A half of the files: two windows of VS Code can run them side by side. */
export type Half = 'first' | 'second';

/**
 * Bundles the suite files for the extension host. Resolves with the path of the entry.
 * @param wanted parts of the names of the files; all where empty
 */
export async function buildSuite(wanted: readonly string[] = [], half?: Half): Promise<string> {
  const folder = join(outFolder, 'test', half === undefined ? 'vscode' : `vscode-${half}`);
  await rm(folder, { recursive: true, force: true });
  const files = globSync('**/*.test.ts', { cwd: import.meta.dirname })
    .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
    .toSorted()
    .filter((_, index) => half === undefined || (index % 2 === 0) === (half === 'first'));
  if (files.length === 0) throw new Error('There is no such test.');
  await build({
    entryPoints: ['index.ts', ...files],
    absWorkingDir: import.meta.dirname,
    outdir: folder,
    outbase: '.',
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    sourcemap: 'inline',
    external: ['vscode', 'mocha'],
    logLevel: 'warning',
  });
  return join(folder, 'index.cjs');
}
