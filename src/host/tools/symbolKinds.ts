import * as vscode from 'vscode';

/** What a symbol is, in one word for the model: `type parameter`, `function` … */
export function nameOfKind(kind: vscode.SymbolKind): string {
  const name = vscode.SymbolKind[kind];
  return name.replace(/\B[A-Z]/g, ' $&').toLowerCase();
}
