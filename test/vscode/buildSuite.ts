import { globSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { outFolder } from '../support/paths.ts';

/** Bundles every suite file for the extension host. Resolves with the path of the entry. */
export async function buildSuite(): Promise<string> {
  const folder = join(outFolder, 'test/vscode');
  await rm(folder, { recursive: true, force: true });
  await build({
    entryPoints: ['index.ts', ...globSync('**/*.test.ts', { cwd: import.meta.dirname })],
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
