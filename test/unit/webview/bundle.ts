import { build, type BuildOptions } from 'esbuild';

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

let tabs: Promise<string> | undefined;

/** The script of the pages in tabs. */
export function tabScript(): Promise<string> {
  return (tabs ??= bundle({ entryPoints: ['src/webview/tabs.ts'] }));
}
