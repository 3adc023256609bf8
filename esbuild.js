/**
 * Builds Aside into `dist`: the scripts of the extension host, and the pages of the view.
 *
 * `--production` minifies and leaves out source maps, `--watch` builds again after every change, and
 * `--folder=PATH` replaces `dist`. `--tests` builds the tests that run inside VS Code instead, into
 * `out/test/vscode`; file names after it select some of them.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';
import { writeReviewGrammars } from './build/reviewGrammars.js';
import { thirdPartyNotices } from './build/thirdPartyNotices.js';

const { values, positionals: files } = parseArgs({
  options: {
    production: { type: 'boolean', default: false },
    watch: { type: 'boolean', default: false },
    tests: { type: 'boolean', default: false },
    folder: { type: 'string' },
  },
  allowPositionals: true,
});
const { production, watch, folder = values.tests ? 'out/test/vscode' : 'dist' } = values;

/**
 * Scripts that another script loads when it first needs them, by the imports that load them.
 * @type {Readonly<Record<string, string>>}
 */
const laterScripts = {
  './browser.ts': './browser.cjs',
  './host/node/platform.ts': './node.cjs',
  '../markdown.ts': './markdown.js',
};

/** @type {esbuild.Plugin} */
const imports = {
  name: 'imports',
  setup(build) {
    build.onResolve({ filter: /\.ts$/ }, ({ path, kind }) => {
      const script = kind === 'dynamic-import' ? laterScripts[path] : undefined;
      return script === undefined ? undefined : { path: script, external: true };
    });
    // esbuild copies VS Code's API for each module that imports it, which would take most of the
    // time of activation: with a module between them, it does so once for each script.
    const once = { path: 'vscode', namespace: 'once' };
    const contents = "export * from 'vscode';";
    build.onResolve({ filter: /^vscode$/, namespace: 'file' }, () => once);
    build.onLoad({ filter: /^vscode$/, namespace: 'once' }, () => ({ contents }));
  },
};

/** @type {esbuild.BuildOptions} */
const shared = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: 'none',
  logLevel: 'info',
  outdir: folder,
  entryNames: '[name]',
  // The Node and the browser of the oldest VS Code that Aside supports.
  target: ['node22', 'chrome138'],
  define: { 'process.env.NODE_ENV': production ? '"production"' : '"development"' },
  plugins: [imports, thirdPartyNotices(folder)],
};

/** @type {esbuild.BuildOptions} */
const host = {
  ...shared,
  outExtension: { '.js': '.cjs' },
  platform: 'node',
  format: 'cjs',
  external: ['vscode'],
  loader: { '.css': 'text' },
  // `import()` becomes `require()`: VS Code provides `vscode` only to scripts loaded by `require`.
  supported: { 'dynamic-import': false },
};

/** @type {esbuild.BuildOptions} */
const view = {
  ...shared,
  outdir: join(folder, 'webview'),
  assetNames: '[name]',
  platform: 'browser',
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.ttf': 'file' },
};

const styles = ['media/webview/main.css', 'media/webview/tabs.css'];

/** @type {esbuild.BuildOptions[]} */
const extension = [
  // What runs when a window opens, and all that needs Node.
  { ...host, entryPoints: { extension: 'src/extension.ts', node: 'src/host/node/platform.ts' } },
  // The rest, and all there is in a browser. A module behind an `import()` runs when it is imported.
  { ...host, entryPoints: ['src/browser.ts'], platform: 'browser' },
  // A webview waits long for each file, so what a page starts with is a single script.
  { ...view, entryPoints: ['src/webview/main.tsx', 'src/webview/tabs.ts', ...styles] },
  { ...view, entryPoints: ['src/webview/markdown.ts'], splitting: true },
];

/** @type {esbuild.BuildOptions} */
const suite = {
  ...host,
  entryPoints: [
    'test/vscode/index.ts',
    ...(files.length > 0 ? files : ['test/vscode/**/*.test.ts']),
  ],
  entryNames: '[dir]/[name]',
  outbase: 'test/vscode',
  sourcemap: 'inline',
  logLevel: 'warning',
  external: ['vscode', 'mocha'],
  plugins: [],
};

await rm(folder, { recursive: true, force: true });
for (const options of values.tests ? [suite] : extension) {
  if (watch) await (await esbuild.context(options)).watch();
  else await esbuild.build(options);
}
if (!values.tests) await writeReviewGrammars(join(folder, 'grammars'));
