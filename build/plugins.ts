/** Small esbuild plugins; larger ones have a file each. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, parse } from 'node:path';
import { transform, type Plugin } from 'esbuild';
import { joinPageScripts } from './pageScripts.ts';

/** Imports a style sheet as text: the host inlines the first styles in the page. */
export const cssAsText: Plugin = {
  name: 'css-as-text',
  setup(build) {
    const { minify = false } = build.initialOptions;
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'css', minify });
      return { contents: code, loader: 'text' };
    });
  },
};

/** Makes dynamic imports load separately built scripts from the same folder. */
export function otherScripts(scripts: Readonly<Record<string, string>>): Plugin {
  return {
    name: 'other-scripts',
    setup(build) {
      build.onResolve({ filter: /\.ts$/ }, ({ path, kind }) => {
        const script = kind === 'dynamic-import' ? scripts[path] : undefined;
        return script === undefined ? undefined : { path: script, external: true };
      });
    },
  };
}

/**
 * Unwraps `require("vscode")`: esbuild converts it to a module namespace, which would copy VS
 * Code's whole API for each module that imports it. Writes the output, so `write` must be false.
 */
export const plainVsCode: Plugin = {
  name: 'plain-vscode',
  setup(build) {
    build.onEnd(async ({ outputFiles = [] }) => {
      for (const { path, text } of outputFiles) {
        const plain = text.replace(/(?<![\w$])[\w$]+\((require\("vscode"\))(?:, ?1)?\)/g, '$1');
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, plain);
      }
    });
  },
};

/** Writes the scripts and assets of a page of the view. `write` must be false. */
export const pageFiles = (script: string): Plugin => ({
  name: 'page-files',
  setup(build) {
    const { minify = false } = build.initialOptions;
    const page = `${parse(script).name}.js`;
    build.onEnd(async ({ errors, metafile, outputFiles = [] }) => {
      if (errors.length > 0 || metafile === undefined) return;
      const scripts = await joinPageScripts({ outputFiles, metafile }, { page, minify });
      const others = outputFiles.filter(({ path }) => !path.endsWith('.js'));
      for (const { path, contents } of [...scripts, ...others]) {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, contents);
      }
    });
  },
});
