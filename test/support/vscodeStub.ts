/** Exports of `vscode` that host modules access while they are loaded or create a tool. */
const names = 'commands extensions languages lm SymbolKind Uri window workspace'.split(' ');

/**
 * Every export is a function that does nothing and returns itself for any property or call, except
 * for localized texts, which stay English.
 */
const source = `
  const nothing = new Proxy(function () {}, { get: () => nothing, apply: () => nothing, construct: () => nothing });
  const fill = (text, values) => text.replace(/\\{(\\w+)\\}/g, (all, name) => values[name] ?? all);
  export const l10n = { t: (text, ...values) => typeof text === 'string' ? fill(text, values) : fill(text.message, text.args ?? {}) };
  export const env = new Proxy({ language: 'en' }, { get: (own, name) => own[name] ?? nothing });
  export { ${names.map((name) => `nothing as ${name}`).join(', ')} };
`;

/** Address of a module that replaces `vscode`. */
export const vscodeStub = `data:text/javascript,${encodeURIComponent(source)}`;
