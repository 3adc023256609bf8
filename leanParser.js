/**
 * Patches markdown-it for the webview:
 *
 * - `mdurl` and `punycode.js`, which normalize links, are left out: `src/webview/markdown/parser.ts`
 *   keeps addresses as written, and `URL` decides which of them may be opened.
 * - The renderer is left out, and the rules for HTML and typography, which options turn off.
 * - The names of characters, such as `&eacute;`, take half of the space, and are unpacked when a text
 *   first has one.
 * - Class fields are assigned. markdown-it defines each through a helper, which was a tenth of the
 *   time of a short reply.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { characterEntities } from 'character-entities';

const fieldDefinition =
  /\b_defineProperty\(\s*(\w+),\s*(?:\/\*[^]*?\*\/\s*)?"(\w+)",\s*([^;]+?)\s*\);/g;

const unusedRegions =
  /^\/\/#region src\/(?:renderer|rules_core\/(?:replacements|smartquotes)|common\/html_\w+|rules_\w+\/html_\w+)\.ts\n[^]*?^\/\/#endregion\n/gm;
const unusedRules =
  /^\t\[(?:\n\t\t)?"(?:replacements|smartquotes|html_block|html_inline)",(?:.*|[^]*?\n\t)\],?\n/gm;
const uses = /\bnew Renderer\(\)|(?<=, )Renderer(?=\);)/g;

const characters = fileURLToPath(import.meta.resolve('character-entities'));

export const leanParser = {
  name: 'lean-parser',
  setup(build) {
    const filter = /^(?:mdurl|punycode\.js)$/;
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'left-out' }));
    build.onLoad({ filter, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};' }));
    build.onResolve({ filter: /^entities$/ }, () => ({ path: characters }));
    build.onLoad({ filter: /[\\/]character-entities[\\/]/ }, () => ({
      contents: `const packed = ${JSON.stringify(packed(characterEntities))};\n${unpacking}`,
    }));
    build.onLoad({ filter: /markdown-it\.mjs$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const used = [unusedRegions, unusedRules].reduce((all, part) => all.replace(part, ''), text);
      return { contents: used.replace(uses, '{}').replace(fieldDefinition, '$1.$2 = $3;') };
    });
  },
};

/** What markdown-it imports of `entities`, for a text that is one name, with `&` and `;`. */
const unpacking = `
let characters;
function unpack() {
  let first = 0;
  return new Map(packed.split(';').flatMap((group) => {
    const [code, ...names] = group.split(' ');
    const [step, second] = code.split('+').map((digits) => parseInt(digits, 36));
    first += step;
    const text = String.fromCodePoint(first, ...(second === undefined ? [] : [second]));
    return names.map((name) => [name, text]);
  }));
}
export function decodeHTMLStrict(text) {
  characters ??= unpack();
  return characters.get(text.slice(1, -1)) ?? text;
}`;

/** The names by what they stand for, each as its distance from the one before: it compresses well. */
function packed(entities) {
  const codes = (text) => Array.from(text, (character) => character.codePointAt(0));
  const groups = new Map(Object.values(entities).map((text) => [text, []]));
  for (const [name, text] of Object.entries(entities)) groups.get(text).push(name);
  let before = 0;
  return [...groups]
    .map(([text, names]) => ({ codes: codes(text), names }))
    .toSorted((one, other) => one.codes[0] - other.codes[0])
    .map(({ codes: [first, ...others], names }) => {
      const numbers = [first - before, ...others].map((number) => number.toString(36));
      before = first;
      return [numbers.join('+'), ...names].join(' ');
    })
    .join(';');
}
