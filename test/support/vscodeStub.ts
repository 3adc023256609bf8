/** The exports of `vscode` that host modules access while they are loaded or create a tool. */
const names = ['commands', 'extensions', 'languages', 'lm', 'SymbolKind', 'window', 'workspace'];

/**
 * Each part is a function, gives itself for whatever is asked of it, and does nothing; only texts
 * for people are themselves, in English.
 */
const source = `
  const nothing = new Proxy(function () {}, { get: () => nothing, apply: () => nothing, construct: () => nothing });
  const fill = (text, values) => text.replace(/\\{(\\w+)\\}/g, (all, name) => values[name] ?? all);
  export const l10n = { t: (text, ...values) => typeof text === 'string' ? fill(text, values) : fill(text.message, text.args ?? {}) };
  export const env = new Proxy({ language: 'en' }, { get: (own, name) => own[name] ?? nothing });
  export { ${names.map((name) => `nothing as ${name}`).join(', ')} };
`;

/** The address of a module in the place of `vscode`. */
export const vscodeStub = `data:text/javascript,${encodeURIComponent(source)}`;
