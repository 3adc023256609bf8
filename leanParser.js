/**
 * Patches markdown-it for the webview:
 *
 * - `mdurl` and `punycode.js`, which normalize links, are left out: `src/webview/markdown/parser.ts`
 *   keeps addresses as written, and `URL` decides which of them may be opened.
 * - Class fields are assigned. markdown-it defines each through a helper, which was a tenth of the
 *   time of a short reply.
 */
import { readFile } from 'node:fs/promises';

const fieldDefinition =
  /\b_defineProperty\(\s*(\w+),\s*(?:\/\*[^]*?\*\/\s*)?"(\w+)",\s*([^;]+?)\s*\);/g;

export const leanParser = {
  name: 'lean-parser',
  setup(build) {
    const filter = /^(?:mdurl|punycode\.js)$/;
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'left-out' }));
    build.onLoad({ filter, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};' }));
    build.onLoad({ filter: /markdown-it\.mjs$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replace(fieldDefinition, '$1.$2 = $3;') };
    });
  },
};
