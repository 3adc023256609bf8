import { globSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { outFolder } from '../support/paths.ts';

/**
 * Bundles the suite files for the extension host. Resolves with the path of the entry.
 * @param wanted parts of the names of the files; all where empty
 */
export async function buildSuite(wanted: readonly string[] = []): Promise<string> {
  const folder = join(outFolder, 'test/vscode');
  await rm(folder, { recursive: true, force: true });
  const files = globSync('**/*.test.ts', { cwd: import.meta.dirname }).filter(
    (file) => wanted.length === 0 || wanted.some((part) => file.includes(part)),
  );
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
