import { build, type BuildOptions } from 'esbuild';
import { lazy } from '../../../src/core/support/lazy.ts';

/** A script of a page in one piece, to run in a test. */
export async function bundle(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    bundle: true,
    write: false,
    format: 'iife',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  return outputFiles[0]?.text ?? '';
}

/** The script of the pages in tabs. */
export const tabScript = lazy(() => bundle({ entryPoints: ['src/webview/tabs.ts'] }));
