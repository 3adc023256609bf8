/**
 * Patches markdown-it for the webview:
 *
 * - `mdurl` and `punycode.js`, which normalize links, are left out: `src/webview/markdown/parser.ts`
 *   keeps addresses as written, and `URL` decides which of them may be opened.
 * - The renderer is left out, and the rules for HTML and typography, which options turn off.
 * - The names of characters, such as `&eacute;`, are left out: the browser knows them.
 * - Class fields are assigned. markdown-it defines each through a helper, which was a tenth of the
 *   time of a short reply.
 */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const fieldDefinition =
  /\b_defineProperty\(\s*(\w+),\s*(?:\/\*[^]*?\*\/\s*)?"(\w+)",\s*([^;]+?)\s*\);/g;

const unusedRegions =
  /^\/\/#region src\/(?:renderer|rules_core\/(?:replacements|smartquotes)|common\/html_\w+|rules_\w+\/html_\w+)\.ts\n[^]*?^\/\/#endregion\n/gm;
const unusedRules =
  /^\t\[(?:\n\t\t)?"(?:replacements|smartquotes|html_block|html_inline)",(?:.*|[^]*?\n\t)\],?\n/gm;
const uses = /\bnew Renderer\(\)|(?<=, )Renderer(?=\);)/g;

export const leanParser: Plugin = {
  name: 'lean-parser',
  setup(build) {
    const filter = /^(?:mdurl|punycode\.js)$/;
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'left-out' }));
    build.onLoad({ filter, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};' }));
    const entities = /^entities$/;
    build.onResolve({ filter: entities }, ({ path }) => ({ path, namespace: 'decoding' }));
    build.onLoad({ filter: entities, namespace: 'decoding' }, () => ({ contents: decoding }));
    build.onLoad({ filter: /markdown-it\.mjs$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const used = [unusedRegions, unusedRules].reduce((all, part) => all.replace(part, ''), text);
      return { contents: used.replace(uses, '{}').replace(fieldDefinition, '$1.$2 = $3;') };
    });
  },
};

/**
 * What markdown-it imports of `entities`, for a text that is one name, with `&` and `;`. The browser
 * knows the names. It also knows some without `;`: what remains of such a text is no name. A document
 * loses white space at its start, so it begins with another character.
 */
const decoding = `
const name = /^&[a-z][a-z0-9]{1,31};$/i;
const mostKnown = 5000;
const known = new Map();
export function decodeHTMLStrict(text) {
  if (!name.test(text)) return text;
  const found = known.get(text) ?? decode(text);
  if (known.size >= mostKnown) known.clear();
  known.set(text, found);
  return found;
}
function decode(text) {
  const { body } = new DOMParser().parseFromString('.' + text, 'text/html');
  const found = body.textContent.slice(1);
  return found.length > 1 && found.endsWith(';') ? text : found;
}`;
