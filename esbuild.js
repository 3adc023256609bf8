/**
 * Builds what runs: the scripts of the extension host, the view's scripts, and the styles and
 * icon font that the view loads. `--production` minifies, `--watch` rebuilds on change,
 * `--folder=PATH` builds elsewhere than into `dist`.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { context, transform } from 'esbuild';
import { minify } from 'terser';
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

/** What is there when a window opens: one script. The others are loaded when they are needed. */
const firstScript = { extension: 'src/extension.ts' };
const lateScripts = {
  aside: 'src/aside.ts',
  tools: 'src/tools.ts',
  code: 'src/code.ts',
  connect: 'src/connect.ts',
  attach: 'src/attach.ts',
  demo: 'src/local/demoService.ts',
};

/** The first script knows the second by its name alone. */
const asideStaysApart = {
  name: 'a script that is loaded later',
  setup(build) {
    build.onResolve({ filter: /\/aside\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './aside.cjs', external: true } : undefined,
    );
  },
};

/**
 * VS Code wants CommonJS: each script is made one when all are built. What two scripts
 * need is a script of its own then, which is there once; esbuild shares code among newer modules alone.
 */
const asCommonJs = {
  name: 'modules that VS Code can load',
  setup(build) {
    build.onEnd(async ({ outputFiles = [] }) => {
      await mkdir(folder, { recursive: true });
      for (const { path, text } of outputFiles) await writeFile(path, await commonJs(path, text));
    });
  },
};

async function commonJs(path, text) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    minify: production,
    sourcefile: path,
    sourcemap: production ? false : 'inline',
    legalComments: 'none',
    // `import()` becomes a `require` that comes later: VS Code answers for `vscode` in all scripts.
    supported: { 'dynamic-import': false },
  });
  // Each script would else copy the whole interface of VS Code when it is loaded.
  const plain = code.replace(/(?<![\w$])[\w$]+\((require\("vscode"\))(?:, ?1)?\)/g, '$1');
  return production ? smallest(plain) : plain;
}

/** What esbuild minified still has a thirtieth that a slower look takes out. */
async function smallest(script) {
  const options = { module: true, ecma: 2022, compress: { passes: 2 } };
  return (await minify(script, options)).code;
}

/** The same for scripts that stay as esbuild made them. */
const asSmallScripts = {
  name: 'scripts as small as they get',
  setup(build) {
    build.onEnd(async ({ outputFiles = [] }) => {
      await mkdir(build.initialOptions.outdir, { recursive: true });
      for (const { path, text, contents } of outputFiles)
        await writeFile(path, path.endsWith('.js') ? await smallest(text) : contents);
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

const extensionHost = {
  ...shared,
  sourcemap: production ? false : 'inline',
  outdir: folder,
  outExtension: { '.js': '.cjs' },
  chunkNames: 'shared-[hash]',
  platform: 'node',
  target: 'node22',
  format: 'esm',
  // What is imported by `import()` is loaded when it is first used.
  splitting: true,
  external: ['vscode'],
  write: false,
};
const first = {
  ...extensionHost,
  entryPoints: firstScript,
  plugins: [asideStaysApart, styleAsText, asCommonJs],
};
const late = { ...extensionHost, entryPoints: lateScripts, plugins: [asCommonJs] };

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
  write: !production,
  plugins: [usedIcons, unusedGrammars, leanParser, ...(production ? [asSmallScripts] : [])],
};

await rm(folder, { recursive: true, force: true });
for (const options of [first, late, webview]) {
  const build = await context(options);
  if (watch) await build.watch();
  else await build.rebuild().finally(() => build.dispose());
}
