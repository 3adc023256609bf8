/**
 * Builds what runs: the scripts of the extension host, the view's scripts, and the styles and
 * icon font that the view loads. `--production` minifies, `--watch` rebuilds on change,
 * `--folder=PATH` builds elsewhere than into `dist`.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { context, transform } from 'esbuild';
import { leanParser } from './leanParser.js';
import { usedIcons } from './usedIcons.js';

const { production, watch, folder } = parseArgs({
  options: {
    production: { type: 'boolean', default: false },
    watch: { type: 'boolean', default: false },
    folder: { type: 'string', default: 'dist' },
  },
}).values;

const shared = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: 'none',
  logLevel: 'info',
  define: { 'process.env.NODE_ENV': production ? '"production"' : '"development"' },
};

/** The look of what the page shows first is in the page itself. */
const styleAsText = {
  name: 'a style sheet as text',
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const { code } = await transform(text, { loader: 'css', minify: production });
      return { contents: code, loader: 'text' };
    });
  },
};

/** The first script loads the second by its name, when something is first used. */
const lazyScriptStaysApart = {
  name: 'a script that is loaded later',
  setup(build) {
    build.onResolve({ filter: /\/main\/main\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './lazy.cjs', external: true } : undefined,
    );
  },
};

const extensionHost = {
  ...shared,
  outdir: folder,
  outExtension: { '.js': '.cjs' },
  platform: 'node',
  target: 'node22',
  format: 'cjs',
  external: ['vscode'],
  write: false,
  // `import()` becomes a `require`: VS Code resolves `vscode` in scripts that are required.
  supported: { 'dynamic-import': false },
};

/** Each module would else copy the whole interface of VS Code when it is loaded. */
const vscodeAsItIs = {
  name: 'vscode is used as it is',
  setup(build) {
    build.onEnd(async ({ outputFiles = [] }) => {
      await mkdir(folder, { recursive: true });
      for (const { path, text } of outputFiles) {
        const plain = text.replace(/(?<![\w$])[\w$]+\((require\("vscode"\))(?:, ?1)?\)/g, '$1');
        await writeFile(path, plain);
      }
    });
  },
};

/** What runs when a window opens. */
const first = {
  ...extensionHost,
  entryPoints: { extension: 'src/extension.ts' },
  plugins: [lazyScriptStaysApart, styleAsText, vscodeAsItIs],
};

/** Everything else: modules behind an `import()` are executed when they are first imported. */
const lazy = {
  ...extensionHost,
  entryPoints: { lazy: 'src/main/main.ts' },
  plugins: [styleAsText, vscodeAsItIs],
};

/** Grammars are made by calls, of lists of words made by calls: those that nothing names are left out. */
const unusedGrammars = {
  name: 'grammars that nothing names',
  setup(build) {
    const filter = /legacy-modes\/mode\/(?:clike|sql|verilog)\.js$/;
    build.onLoad({ filter }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const makers = /(?<!function )\b(?:clike|mkVerilog|set|sql|words)\(/g;
      const joined = text.replace(/\b(sqlKeywords) \+ ("[^"]*")/g, '/* @__PURE__ */ $1.concat($2)');
      return { contents: joined.replace(makers, '/* @__PURE__ */ $&') };
    });
  },
};

const webview = {
  ...shared,
  entryPoints: ['src/webview/main.tsx', 'media/webview/main.css'],
  entryNames: 'main',
  assetNames: '[name]',
  outdir: join(folder, 'webview'),
  platform: 'browser',
  target: 'chrome138',
  format: 'esm',
  splitting: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [usedIcons, unusedGrammars, leanParser],
};

await rm(folder, { recursive: true, force: true });
for (const options of [first, lazy, webview]) {
  const build = await context(options);
  if (watch) await build.watch();
  else await build.rebuild().finally(() => build.dispose());
}
