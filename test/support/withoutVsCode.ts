import { registerHooks } from 'node:module';

/** The exports of `vscode` that host modules access while they are loaded or create a tool. */
const names = [
  'commands',
  'env',
  'extensions',
  'l10n',
  'languages',
  'lm',
  'SymbolKind',
  'window',
  'workspace',
];

/** Every export is a proxy that returns itself for any access or call, and does nothing. */
const source = `
  const nothing = new Proxy(function () {}, { get: () => nothing, apply: () => nothing, construct: () => nothing });
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
