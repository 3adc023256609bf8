/**
 * Patches markdown-it for the webview:
 *
 * - Removes `mdurl` and `punycode.js`, which normalize links: `src/webview/markdown/parser.ts`
 * keeps addresses as written, and `URL` decides which of them may be opened.
 * - Removes the renderer, and the rules for HTML and typography, which options turn off.
 * - Removes the names of characters, such as `&eacute;`: the browser knows them.
 * - Assigns class fields. markdown-it defines each through a helper, which was a tenth of the time
 * of a short reply.
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
 * Replaces the import from `entities`. It decodes texts that are a single name with `&` and `;`,
 * which the browser knows. The browser also decodes some names without `;`; a text with anything
 * left after that isn't a name. The text needs a character before it, because a document drops
 * leading white space.
 */
const decoding = `
const name = /^&[a-z][a-z0-9]{1,31};$/i;
const maxCached = 5000;
const cache = new Map();
export function decodeHTMLStrict(text) {
  if (!name.test(text)) return text;
  const decoded = cache.get(text) ?? decode(text);
  if (cache.size >= maxCached) cache.clear();
  cache.set(text, decoded);
  return decoded;
}
function decode(text) {
  const { body } = new DOMParser().parseFromString('.' + text, 'text/html');
  const decoded = body.textContent.slice(1);
  return decoded.length > 1 && decoded.endsWith(';') ? text : decoded;
}`;
