/**
 * Builds what runs: the scripts of the extension host, the view's scripts, and the styles and
 * icon font that the view loads. `--production` minifies, `--watch` rebuilds on change,
 * `--folder=PATH` builds elsewhere than into `dist`.
 */
import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { context, transform } from 'esbuild';
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

/** Each import of `vscode` would else be a copy of the whole interface, when the script is loaded. */
const oneVsCode = {
  name: 'one vscode for all files',
  setup(build) {
    build.onResolve({ filter: /^vscode$/ }, ({ namespace }) =>
      namespace === 'vscode'
        ? { path: 'vscode', external: true }
        : { path: 'vscode', namespace: 'vscode' },
    );
    build.onLoad({ filter: /^vscode$/, namespace: 'vscode' }, () => ({
      contents: "export * from 'vscode'",
    }));
  },
};

/** The scripts of the extension host; all but the first are loaded when they are needed. */
const hostScripts = {
  extension: 'src/extension.ts',
  aside: 'src/aside.ts',
  tools: 'src/tools.ts',
  attach: 'src/attach.ts',
  demo: 'src/local/demoService.ts',
};

/** What is imported by `import()` is a script of its own. */
const lateScripts = {
  name: 'scripts that are loaded later',
  setup(build) {
    build.onResolve({ filter: /\.ts$/ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const file = relative(import.meta.dirname, join(resolveDir, path)).replaceAll('\\', '/');
      const found = Object.entries(hostScripts).find(([, entry]) => entry === file);
      return found && { path: `./${found[0]}.cjs`, external: true };
    });
  },
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

const extension = {
  ...shared,
  entryPoints: hostScripts,
  outdir: folder,
  outExtension: { '.js': '.cjs' },
  platform: 'node',
  target: 'node22',
  format: 'cjs',
  // `import()` becomes a `require` that comes later: VS Code answers for `vscode` in both scripts.
  supported: { 'dynamic-import': false },
  plugins: [oneVsCode, lateScripts, styleAsText],
};

const webview = {
  ...shared,
  entryPoints: ['src/webview/main.tsx', 'media/webview/main.css'],
  entryNames: 'main',
  assetNames: '[name]',
  loader: { '.ttf': 'copy' },
  outdir: join(folder, 'webview'),
  platform: 'browser',
  target: 'chrome138',
  format: 'esm',
  // What is imported by `import()` is loaded when it is first used.
  splitting: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [usedIcons],
};

await rm(folder, { recursive: true, force: true });
for (const options of [extension, webview]) {
  const build = await context(options);
  if (watch) await build.watch();
  else await build.rebuild().finally(() => build.dispose());
}
