import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

let loads = 0;

/**
 * Loads host modules with a test's `vscode`, and with style sheets as text. The modules and their
 * host imports are loaded anew, so other tests keep theirs.
 * @param source the exports of `vscode`, as JavaScript
 */
export async function withFakeVsCode<Loaded>(
  source: string,
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  const vscode = `data:text/javascript,${encodeURIComponent(source)}`;
  const suffix = `?load=${loads++}`;
  const hooks = registerHooks({
    resolve(name, context, next) {
      if (name === 'vscode') return { url: vscode, shortCircuit: true };
      const resolved = next(name, context);
      const isOfHost = /\/src\/host\/.*\.ts$/.test(resolved.url);
      return isOfHost ? { ...resolved, url: resolved.url + suffix } : resolved;
    },
    load(url, context, next) {
      if (!url.endsWith('.css')) return next(url, context);
      const text = readFileSync(fileURLToPath(url), 'utf8');
      const exported = `export default ${JSON.stringify(text)}`;
      return { format: 'module', source: exported, shortCircuit: true };
    },
  });
  try {
    return await load();
  } finally {
    hooks.deregister();
  }
}
