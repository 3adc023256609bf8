import { join } from 'node:path';
import { build } from 'esbuild';
import { projectFolder } from '../paths.ts';

const contents = `import './fakeHost.ts'; export * from './seen/index.ts';`;

/** Scripts to run before those of a page: the fake host, and measurements as a global `seen`. */
export async function pageScripts(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(projectFolder, 'test/support/pages') },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'seen',
    target: 'chrome138',
    footer: { js: 'globalThis.seen = seen;' },
  });
  return outputFiles[0]?.text ?? '';
}
