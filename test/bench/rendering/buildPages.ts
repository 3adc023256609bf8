import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { projectFolder } from '../../support/paths.ts';

/** Files by path, such as `/page/aside.js`. */
export type Site = ReadonlyMap<string, Uint8Array>;

/** Modules that rivals load for diagrams, formulas and editors, which these replies don't have. */
const external = ['stream-monaco', '@terrastruct/d2', '@antv/infographic', 'katex/*'];

/** Builds the scripts of the pages like the extension, and their style sheet. */
export async function buildPages(scripts: readonly string[], minify = true): Promise<Site> {
  const result = await build({
    absWorkingDir: projectFolder,
    entryPoints: [...scripts, 'test/bench/rendering/page/page.css'],
    entryNames: '[name]',
    outdir: 'site',
    write: false,
    bundle: true,
    external,
    minify,
    format: 'esm',
    splitting: true,
    platform: 'browser',
    target: 'chrome138',
    jsx: 'automatic',
    loader: { '.ttf': 'dataurl' },
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  const root = join(projectFolder, 'site');
  return new Map(
    result.outputFiles.map(({ path, contents }) => [
      `/${relative(root, path).replaceAll('\\', '/')}`,
      contents,
    ]),
  );
}
