import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Loads a module of the host with a `vscode` that the test writes, and with style sheets as text. The
 * module itself is loaded anew, so that other tests keep theirs; what it imports may be shared.
 * @param file the end of the module's path
 * @param source the exports of `vscode`, as JavaScript
 */
export async function withFakeVsCode<Loaded>(
  file: string,
  source: string,
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  const vscode = `data:text/javascript,${encodeURIComponent(source)}`;
  const hooks = registerHooks({
    resolve(name, context, next) {
      if (name === 'vscode') return { url: vscode, shortCircuit: true };
      const resolved = next(name, context);
      return name.endsWith(file) ? { ...resolved, url: `${resolved.url}?own` } : resolved;
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
