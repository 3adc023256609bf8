/**
 * Patches Temml for the webview:
 *
 * - It is built from its modules, of which only those are kept that turn TeX into a tree of MathML.
 *   What writes markup or touches a page is left out: `src/webview/markdown` creates the elements.
 * - Links, images and attributes of HTML are left out, which no formula of a reply may use, and what
 *   needs more than MathML to be drawn.
 * - The names of colors are left out: a formula has the color of the text around it.
 * - Each token and each node is counted: some commands build their argument twice, so that a short
 *   formula with twenty of them inside each other would take all memory.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

/** Tokens and nodes of one formula. */
const most = 12_000;

/** Modules that only register what a formula may use. */
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
let left = 0;
export const startCounting = () => { left = ${most}; };
export const count = () => { if (--left < 0) throw new Error('The formula is too long.'); };`;

/** The methods of nodes that create DOM nodes and markup. */
const outputs = /^ {2}(?:toNode|toMarkup)\(\) \{\n[^]*?^ {2}\}\n/gm;

const counting = "import { count } from 'temml-count';\n";

/** Changes of single modules: what is replaced by what. */
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
