/**
 * The parser of Markdown as the view needs it.
 *
 * - What it has for writing addresses anew is left out: they stay as the model wrote them
 *   (`src/webview/markdown/parser.ts`), and the browser's own `URL` tells what may be opened.
 * - Its classes come with fields that are defined one by one through a helper, which was a tenth of
 *   the time of a short reply: they are assigned.
 */
import { readFile } from 'node:fs/promises';

const defined = /\b_defineProperty\(\s*this,\s*(?:\/\*[^]*?\*\/\s*)?"(\w+)",\s*([^;]+?)\s*\);/g;

export const leanParser = {
  name: 'a lean parser',
  setup(build) {
    const filter = /^(?:mdurl|punycode\.js)$/;
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'left-out' }));
    build.onLoad({ filter, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};' }));
    build.onLoad({ filter: /markdown-it\.mjs$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replace(defined, 'this.$1 = $2;') };
    });
  },
};
