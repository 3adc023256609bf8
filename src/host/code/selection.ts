import * as vscode from 'vscode';
import type { Attachment } from '../../core/conversation/conversation.ts';

/**
 * What a command on code is about: the selected lines of the editor that is used, else the symbol
 * at the cursor, else the whole file. As it is in the editor, saved or not.
 */
export async function codeAtCursor(
  editor: vscode.TextEditor,
  id: string,
): Promise<Attachment | undefined> {
  const { document, selection } = editor;
  const range = selection.isEmpty ? await symbolAt(document, selection.active) : selection;
  return attachmentOf(document, range, id);
}

/** Lines of a document, or all of it; undefined where that is nothing but white space. */
export function attachmentOf(
  document: vscode.TextDocument,
  range: vscode.Range | undefined,
  id: string,
): Attachment | undefined {
  const path = vscode.workspace.asRelativePath(document.uri);
  const lines = range === undefined ? undefined : wholeLines(document, range);
  const text = document.getText(lines?.range);
  if (text.trim() === '') return undefined;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const { languageId: language } = document;
  if (lines === undefined) return { id, name, path, language, text };
  const { start, end } = lines;
  const place = start === end ? String(start) : `${start}-${end}`;
  return { id, name: `${name}:${place}`, path, language, range: { start, end }, text };
}

/** The range grown to whole lines, which keeps indentation; lines counted from 1. */
function wholeLines(
  document: vscode.TextDocument,
  range: vscode.Range,
): { range: vscode.Range; start: number; end: number } {
  // A selection that ends before the first character of a line does not mean that line.
  const last =
    range.end.character === 0 && !range.isSingleLine ? range.end.line - 1 : range.end.line;
  const grown = new vscode.Range(range.start.line, 0, last, document.lineAt(last).text.length);
  return { range: grown, start: range.start.line + 1, end: last + 1 };
}

/** The innermost symbol around the position that is more than a single name. */
async function symbolAt(
  document: vscode.TextDocument,
  position: vscode.Position,
): Promise<vscode.Range | undefined> {
  const found = await vscode.commands.executeCommand<
    (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
  >('vscode.executeDocumentSymbolProvider', document.uri);
  const ranges = (found ?? []).flatMap(allRanges).filter((range) => range.contains(position));
  return ranges.reduce<vscode.Range | undefined>(
    (innermost, range) =>
      innermost === undefined || innermost.contains(range) ? range : innermost,
    undefined,
  );
}

/** Kinds that a person would name as "this": not each variable inside it. */
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
  const own = kinds.has(symbol.kind);
  if (!('children' in symbol)) return own ? [symbol.location.range] : [];
  const inner = symbol.children.flatMap(allRanges);
  return own ? [symbol.range, ...inner] : inner;
}
