/**
 * Builds what runs: the extension host's script, the view's script, and the styles and icon font
 * that the view loads. `--production` minifies, `--watch` rebuilds on change.
 */
import { cp, mkdir, rm } from 'node:fs/promises';
import { context } from 'esbuild';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

const shared = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: 'none',
  logLevel: 'info',
  define: { 'process.env.NODE_ENV': production ? '"production"' : '"development"' },
};

const extension = {
  ...shared,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.cjs',
  platform: 'node',
  target: 'node22',
  format: 'cjs',
  external: ['vscode'],
};

const webview = {
  ...shared,
  entryPoints: ['src/webview/main.tsx'],
  outfile: 'dist/webview/main.js',
  platform: 'browser',
  target: 'chrome138',
  format: 'iife',
  jsx: 'automatic',
  jsxImportSource: 'preact',
};

async function copyMedia() {
  await mkdir('dist/webview', { recursive: true });
  await cp('media/webview', 'dist/webview', { recursive: true });
  for (const file of ['codicon.css', 'codicon.ttf'])
    await cp(`node_modules/@vscode/codicons/dist/${file}`, `dist/webview/${file}`);
}

await rm('dist', { recursive: true, force: true });
await copyMedia();
for (const options of [extension, webview]) {
  const build = await context(options);
  if (watch) await build.watch();
  else await build.rebuild().finally(() => build.dispose());
}
