/**
 * Builds the scripts of the extension host and the scripts, styles and icon font of the webview,
 * and collects their licenses.
 *
 * `--production` minifies, `--watch` rebuilds on every change, `--folder=PATH` replaces `dist`. The
 * host has three scripts, minified by esbuild alone: more scripts and a second minifier would save
 * a few percent, at the cost of a wiring file for each script and a dependency.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, parse } from 'node:path';
import { parseArgs } from 'node:util';
import { context, type BuildOptions } from 'esbuild';
import * as z from 'zod/mini';
import { cssAsText, otherScripts, pageFiles, plainVsCode } from './plugins.ts';
import { thirdPartyNotices } from './thirdPartyNotices.ts';
import {
  markedHost,
  markedView,
  markSalt,
  messageMarks,
  writeTranslations,
} from './translations.ts';
import { usedIcons } from './usedIcons.ts';
import { viewMessages } from './viewMessages.ts';

const { production, watch, folder } = parseArgs({
  options: {
    production: { type: 'boolean', default: false },
    watch: { type: 'boolean', default: false },
    folder: { type: 'string', default: 'dist' },
  },
}).values;

const notices = thirdPartyNotices(folder);

const shared: BuildOptions = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: 'none',
  logLevel: 'info',
  define: {
    'process.env.NODE_ENV': production ? '"production"' : '"development"',
    MARK_SALT: String(markSalt),
    MESSAGE_MARKS: JSON.stringify(messageMarks),
  },
};

/** Scripts that `extension.cjs` imports on first use. */
const besideExtension = {
  './browser.ts': './browser.cjs',
  './app/platform.ts': './node.cjs',
};

const extensionHost: BuildOptions = {
  ...shared,
  define: { ...shared.define, ...viewMessages() },
  outdir: folder,
  outExtension: { '.js': '.cjs' },
  platform: 'node',
  target: 'node22',
  format: 'cjs',
  external: ['vscode'],
  // `import()` becomes `require()`: VS Code provides `vscode` only to scripts loaded by `require`.
  supported: { 'dynamic-import': false },
  // Once per script, instead of once per module.
  banner: { js: '"use strict";' },
  tsconfigRaw: { compilerOptions: { alwaysStrict: false, verbatimModuleSyntax: true } },
  write: false,
};

/** Loaded when a window opens in an extension host with Node. It loads the next two on first use. */
const extension: BuildOptions = {
  ...extensionHost,
  entryPoints: { extension: 'src/extension.ts' },
  plugins: [otherScripts(besideExtension), markedHost, cssAsText, plainVsCode, notices],
};

/**
 * The only script that a browser loads, so the build fails if it needs Node. A module behind an
 * `import()` is executed when it is first imported.
 */
const browser: BuildOptions = {
  ...extensionHost,
  entryPoints: { browser: 'src/browser.ts' },
  platform: 'browser',
  target: ['node22', 'chrome138'],
  plugins: [markedHost, cssAsText, plainVsCode, notices],
};

/** Modules that need Node. */
const node: BuildOptions = {
  ...extensionHost,
  entryPoints: { node: 'src/app/platform.ts' },
  plugins: [markedHost, plainVsCode, notices],
};

/** A page of the view: its script, its style sheet, and the scripts that it loads later. */
const page = (script: string, style: string): BuildOptions => ({
  ...shared,
  entryPoints: [script, style],
  entryNames: '[name]',
  assetNames: '[name]',
  chunkNames: `${parse(script).name}-[name]-[hash]`,
  metafile: true,
  outdir: join(folder, 'webview'),
  platform: 'browser',
  target: 'chrome138',
  format: 'esm',
  splitting: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  write: false,
  plugins: [markedView, usedIcons, pageFiles(script), notices],
});
const pages = [
  page('src/webview/main.tsx', 'media/webview/main.css'),
  page('src/webview/tabs.ts', 'media/webview/tabs.css'),
];

const manifest = z.object({
  contributes: z.object({
    grammars: z.array(z.object({ scopeName: z.string(), path: z.string() })),
  }),
});

await rm(folder, { recursive: true, force: true });
for (const options of [extension, browser, node, ...pages]) {
  const build = await context(options);
  if (watch) {
    await build.watch();
    continue;
  }
  try {
    await build.rebuild();
  } finally {
    await build.dispose();
  }
}
await writeGrammars();
await writeTranslations(join(folder, 'l10n'));

/** Writes grammars that include the one their scope is named after, with bracket colors. */
async function writeGrammars(): Promise<void> {
  const brackets = [
    ['{', '}'],
    ['[', ']'],
    ['(', ')'],
  ];
  const { contributes } = manifest.parse(JSON.parse(await readFile('package.json', 'utf8')));
  await mkdir(join(folder, 'grammars'));
  await writeFile(join(folder, 'grammars', 'brackets.json'), JSON.stringify({ brackets }));
  for (const { scopeName, path } of contributes.grammars) {
    const grammar = {
      scopeName,
      patterns: [{ include: scopeName.replace(/\.aside-review$/, '') }],
    };
    await writeFile(join(folder, 'grammars', basename(path)), JSON.stringify(grammar));
  }
}
