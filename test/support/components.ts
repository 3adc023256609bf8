/** Lets tests import modules with components: Node strips types, but doesn't compile JSX. */
import { transformSync } from 'esbuild';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith('.tsx')) return nextLoad(url, context);
    const file = fileURLToPath(url);
    const { code } = transformSync(readFileSync(file, 'utf8'), {
      sourcefile: file,
      sourcemap: 'inline',
      loader: 'tsx',
      jsx: 'automatic',
      jsxImportSource: 'preact',
    });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
