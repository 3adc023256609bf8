import { registerHooks } from 'node:module';

/** The exports of `vscode` that host modules access while they are loaded or create a tool. */
const names = ['commands', 'extensions', 'languages', 'lm', 'SymbolKind', 'window', 'workspace'];

/**
 * Each part is a function, gives itself for whatever is asked of it, and does nothing; only texts
 * for people are themselves, in English.
 */
const source = `
  const nothing = new Proxy(function () {}, { get: () => nothing, apply: () => nothing, construct: () => nothing });
  export const l10n = { t: (text, ...given) => text.replace(/\\{(\\d+)\\}/g, (all, at) => given[at] ?? all) };
  export const env = new Proxy({ language: 'en' }, { get: (own, name) => own[name] ?? nothing });
  export { ${names.map((name) => `nothing as ${name}`).join(', ')} };
`;

/**
 * Loads modules that import `vscode` outside VS Code, for the parts that do not need it: names,
 * descriptions and schemas. The hook is active only while `load` runs, so that no other import of
 * `vscode` goes unnoticed.
 */
export async function withoutVsCode<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'vscode' ? { url, shortCircuit: true } : next(specifier, context),
  });
  try {
    return await load();
  } finally {
    hooks.deregister();
  }
}
