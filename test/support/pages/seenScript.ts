import { join } from 'node:path';
import { build } from 'esbuild';
import { projectFolder } from '../paths.ts';

/** The script that measures pages, which it makes a global `seen` in them. */
export async function seenScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(projectFolder, 'test/support/pages/seen/index.ts')],
    ...{ bundle: true, write: false, format: 'iife', globalName: 'seen', target: 'chrome138' },
    footer: { js: 'globalThis.seen = seen;' },
  });
  return outputFiles[0]?.text ?? '';
}
