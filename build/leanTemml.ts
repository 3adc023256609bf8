/**
 * Patches Temml for the webview:
 *
 * - Bundles only the modules that turn TeX into a tree of MathML, without writing markup or
 * touching a page: `src/webview/markdown` creates the elements.
 * - Removes links, images and HTML attributes, which formulas in replies may not use, and
 * everything that needs more than MathML to be drawn.
 * - Removes color names: a formula has the color of the text around it.
 * - Limits tokens and nodes. Some commands build their argument twice, so a short formula with
 * twenty of them nested would use up all memory.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

/** Maximum number of tokens and nodes in a formula. */
const maxCount = 12_000;

/** Modules that only register commands that formulas may not use. */
const unused = /\/functions\/(?:bordermatrix|cancelto|html|includegraphics|label|ref)\.js$/;

const entry = `
import Settings from './src/Settings';
import parseTree from './src/parseTree';
import buildMathML from './src/buildMathML';
import { StyleLevel } from './src/constants';
import Style from './src/Style';
import { startCounting } from 'temml-count';
export default {
  __renderToMathMLTree(expression, options) {
    startCounting();
    const settings = new Settings(options);
    const tree = parseTree(expression, settings);
    const level = settings.displayMode ? StyleLevel.DISPLAY : StyleLevel.TEXT;
    return buildMathML(tree, expression, new Style({ level, maxSize: settings.maxSize }), settings);
  },
};`;

const counter = `
let remaining = 0;
export const startCounting = () => { remaining = ${maxCount}; };
export const count = () => { if (--remaining < 0) throw new Error('The formula is too long.'); };`;

/** Methods of nodes that create DOM nodes and markup. */
const outputs = /^ {2}(?:toNode|toMarkup)\(\) \{\n[^]*?^ {2}\}\n/gm;

const counting = "import { count } from 'temml-count';\n";

/** Replacements by module. */
const patches: Readonly<Record<string, readonly (readonly [from: RegExp, to: string])[]>> = {
  'mathMLTree.js': [
    [outputs, ''],
    [/^import .*(?:domTree|utils)";\n/gm, ''],
    [/^export class MathNode \{\n {2}constructor\(.*\{\n/m, `${counting}$&    count();\n`],
  ],
  'tree.js': [[outputs, '']],
  'domTree.js': [
    [outputs, ''],
    [/^const toNode = [^]*?^};\n/m, ''],
    [/^const toMarkup = [^]*?^};\n/m, ''],
    [/^export class Img [^]*?^}\n/m, ''],
  ],
  'MacroExpander.js': [
    [/^ {2}popToken\(\) \{\n/m, `$&    count();\n`],
    [/^/, counting],
  ],
  'color.js': [[/JSON\.parse\(`[^]*?`\)/, '{}']],
  'unicodeSymbols.js': [[/^[^]*$/, 'export default {};']],
};

export const leanTemml: Plugin = {
  name: 'lean-temml',
  setup(build) {
    const path = fileURLToPath(import.meta.resolve('temml/temml.js'));
    build.onResolve({ filter: /^temml$/ }, () => ({ path }));
    build.onResolve({ filter: /^temml-count$/ }, () => ({ path: 'count', namespace: 'temml' }));
    build.onLoad({ filter: /^count$/, namespace: 'temml' }, () => ({ contents: counter }));
    build.onLoad({ filter: /[\\/]temml[\\/](?:temml|src[\\/].*)\.js$/ }, async ({ path: file }) => {
      const name = file.replaceAll('\\', '/');
      if (name.endsWith('/temml/temml.js')) return { contents: entry };
      return { contents: unused.test(name) ? '' : patched(name, await readFile(file, 'utf8')) };
    });
  },
};

function patched(name: string, text: string): string {
  let changed = text;
  for (const [from, to] of patches[name.slice(name.lastIndexOf('/') + 1)] ?? []) {
    const next = changed.replace(from, to);
    if (next === changed) throw new Error(`${name} has changed: ${String(from)} is not in it.`);
    changed = next;
  }
  return changed;
}
