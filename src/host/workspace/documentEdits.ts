import * as vscode from 'vscode';
import { withLineEndings, withoutByteOrderMark } from '../../core/edits/lineEndings.ts';
import { splicesBetween, type Splice } from '../../core/edits/lineDiff.ts';
import { UserError } from '../errors.ts';

/** The error for a file whose text is no longer the one that a change was made for. */
export function fileChangedError(label: string): UserError {
  return new UserError(vscode.l10n.t('{0} has changed meanwhile. Try again.', label));
}

/** Adds the fewest replacements that give a document a text, with the document's line endings and no byte order mark. */
export function replaceText(
  edit: vscode.WorkspaceEdit,
  document: vscode.TextDocument,
  text: string,
): void {
  const wanted = withLineEndings(
    withoutByteOrderMark(text),
    document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n',
  );
  replaceRanges(edit, document, splicesBetween(document.getText(), wanted));
}

export function replaceRanges(
  edit: vscode.WorkspaceEdit,
  document: vscode.TextDocument,
  splices: readonly Splice[],
): void {
  for (const { start, end, text } of splices) {
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    edit.replace(document.uri, range, text);
  }
}
