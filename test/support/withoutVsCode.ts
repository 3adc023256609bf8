import { registerHooks } from 'node:module';

/** The parts of `vscode` that modules of the host touch while they load, or make a tool. */
const names = [
  'commands',
  'env',
  'extensions',
  'languages',
  'lm',
  'SymbolKind',
  'window',
  'workspace',
];

/** Each part is a function, gives itself for whatever is asked of it, and does nothing; texts stay English. */
const source = `
  const nothing = new Proxy(function () {}, { get: () => nothing, apply: () => nothing, construct: () => nothing });
  export { ${names.map((name) => `nothing as ${name}`).join(', ')} };
  export const l10n = { t: (message) => message };
`;

/**
 * Loads modules that say `vscode` where there is none, for what in them does not need it: names,
 * descriptions and schemas. Only while `load` runs, so that nothing else comes to say it unseen.
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
