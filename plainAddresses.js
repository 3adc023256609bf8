/**
 * Leaves out of the view what the parser of Markdown has for writing addresses anew: they stay as
 * the model wrote them (`src/webview/markdown/parser.ts`), and the browser's own `URL` tells what
 * may be opened.
 */
export const plainAddresses = {
  name: 'addresses as they are written',
  setup(build) {
    const filter = /^(?:mdurl|punycode\.js)$/;
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'left-out' }));
    build.onLoad({ filter, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};' }));
  },
};
