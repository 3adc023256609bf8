import * as vscode from 'vscode';

/** The range of the symbol whose name is at the position; undefined if there is no such name. */
export async function symbolNamedAt(
  document: vscode.TextDocument,
  position: vscode.Position,
): Promise<vscode.Range | undefined> {
  const symbols = (await symbolsOf(document)).flatMap(withInner);
  return symbols.find(
    (symbol) => kinds.has(symbol.kind) && symbol.selectionRange.contains(position),
  )?.range;
}

/** The innermost symbol around the position that is more than a single name. */
export async function symbolAt(
  document: vscode.TextDocument,
  position: vscode.Position,
): Promise<vscode.Range | undefined> {
  const ranges = (await symbolsOf(document))
    .flatMap(allRanges)
    .filter((range) => range.contains(position));
  return ranges.reduce<vscode.Range | undefined>(
    (innermost, range) =>
      innermost === undefined || innermost.contains(range) ? range : innermost,
    undefined,
  );
}

async function symbolsOf({
  uri,
}: vscode.TextDocument): Promise<readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[]> {
  const symbols = await vscode.commands.executeCommand<
    (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
  >('vscode.executeDocumentSymbolProvider', uri);
  return symbols ?? [];
}

/** A symbol and those inside it; none for a flat `SymbolInformation`, which has no range of its name. */
function withInner(
  symbol: vscode.DocumentSymbol | vscode.SymbolInformation,
): readonly vscode.DocumentSymbol[] {
  return 'children' in symbol ? [symbol, ...symbol.children.flatMap(withInner)] : [];
}

/** Kinds that a person may mean by "this" code, unlike each variable inside it. */
const kinds = new Set([
  vscode.SymbolKind.Class,
  vscode.SymbolKind.Constructor,
  vscode.SymbolKind.Enum,
  vscode.SymbolKind.Function,
  vscode.SymbolKind.Interface,
  vscode.SymbolKind.Method,
  vscode.SymbolKind.Module,
  vscode.SymbolKind.Namespace,
  vscode.SymbolKind.Struct,
]);

function allRanges(symbol: vscode.DocumentSymbol | vscode.SymbolInformation): vscode.Range[] {
  const isIncluded = kinds.has(symbol.kind);
  if (!('children' in symbol)) return isIncluded ? [symbol.location.range] : [];
  const inner = symbol.children.flatMap(allRanges);
  return isIncluded ? [symbol.range, ...inner] : inner;
}

/** The kind of a symbol for the model: `type parameter`, `function` … */
export function symbolKindName(kind: vscode.SymbolKind): string {
  const name = vscode.SymbolKind[kind];
  return name.replace(/\B[A-Z]/g, ' $&').toLowerCase();
}

/** The symbols that language services find for a query, also in other files than the workspace's. */
export async function workspaceSymbols(
  query: string,
): Promise<readonly vscode.SymbolInformation[]> {
  const symbols = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
    'vscode.executeWorkspaceSymbolProvider',
    query,
  );
  return symbols ?? [];
}

/** Those in files of the workspace; none from a language service that fails. */
export async function ownSymbols(query: string): Promise<readonly vscode.SymbolInformation[]> {
  try {
    return (await workspaceSymbols(query)).filter(
      ({ location }) => vscode.workspace.getWorkspaceFolder(location.uri) !== undefined,
    );
  } catch {
    return [];
  }
}
