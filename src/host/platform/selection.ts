import * as vscode from 'vscode';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { isObject } from '../../core/support/json.ts';
import { lastSegment } from '../../core/support/text.ts';
import { labelFor } from './location.ts';
import { symbolAt } from './symbols.ts';

/** Number of lines to add before and after a range that is in no known symbol. */
const around = 30;

export type CodePlace = Pick<vscode.TextEditor, 'document' | 'selection'>;

/**
 * The code that a command applies to: the cell whose menu it comes from, the active editor, or the
 * selected cell of a notebook that has no cursor.
 * @param argument the argument of the command; menus of cells pass the cell
 */
export function activeCode(argument?: unknown): CodePlace | undefined {
  const editor = vscode.window.activeTextEditor;
  if (isCell(argument)) {
    return editor?.document === argument.document ? editor : wholeCell(argument);
  }
  if (editor !== undefined) return editor;
  const { notebook, selection } = vscode.window.activeNotebookEditor ?? {};
  const [cell] = notebook?.getCells(selection) ?? [];
  return cell && wholeCell(cell);
}

function wholeCell({ document }: vscode.NotebookCell): CodePlace {
  return { document, selection: new vscode.Selection(0, 0, 0, 0) };
}

function isCell(argument: unknown): argument is vscode.NotebookCell {
  return (
    isObject(argument) &&
    isObject(argument['document']) &&
    isObject(argument['notebook']) &&
    typeof argument['index'] === 'number'
  );
}

/**
 * The code for a command: the selected lines of the editor, else the symbol at the cursor, else the
 * whole file. The text is that of the editor, saved or not.
 */
export async function codeAtCursor(editor: CodePlace, id: string): Promise<Attachment | undefined> {
  const { document, selection } = editor;
  const range = selection.isEmpty ? await symbolAt(document, selection.active) : selection;
  return attachmentOf(document, range, id);
}

/** Like `codeAtCursor`, as whole lines from 0 with `end` after the last; they may be empty. */
export async function linesAtCursor(
  editor: CodePlace,
): Promise<{ readonly start: number; readonly end: number }> {
  const { document, selection } = editor;
  const range = selection.isEmpty ? await symbolAt(document, selection.active) : selection;
  if (range === undefined) return { start: 0, end: linesOfFile(document) };
  const { start, end } = wholeLines(document, range);
  return { start: start - 1, end };
}

/** The whole lines of the symbol around a range, and of the range. */
export async function linesAround(
  document: vscode.TextDocument,
  range: vscode.Range,
): Promise<{ readonly start: number; readonly end: number }> {
  const symbol = await symbolAt(document, range.start);
  const { start, end } = wholeLines(document, symbol?.union(range) ?? range);
  return { start: start - 1, end };
}

/** The number of lines, without an empty one after the last line end. */
export function linesOfFile(document: vscode.TextDocument): number {
  const last = document.lineCount - 1;
  return document.lineAt(last).text === '' ? last : last + 1;
}

/** The symbol around a range together with the range, else the lines around it. */
export async function codeAround(
  document: vscode.TextDocument,
  range: vscode.Range,
  id: string,
): Promise<Attachment | undefined> {
  const symbol = await symbolAt(document, range.start);
  const first = Math.max(0, range.start.line - around);
  const last = Math.min(document.lineCount - 1, range.end.line + around);
  const lines = new vscode.Range(first, 0, last, document.lineAt(last).text.length);
  return attachmentOf(document, symbol?.union(range) ?? lines, id);
}

/** Lines of a document, or all of it, as an attachment; undefined for white space only. */
export function attachmentOf(
  document: vscode.TextDocument,
  range: vscode.Range | undefined,
  id: string,
): Attachment | undefined {
  const path = labelFor(document.uri);
  const lines = range === undefined ? undefined : wholeLines(document, range);
  const text = document.getText(lines?.range);
  if (text.trim() === '') return undefined;
  const name = lastSegment(path);
  const { languageId: language } = document;
  if (lines === undefined) return { id, name, path, language, text };
  const { start, end } = lines;
  const lineNumbers = start === end ? String(start) : `${start}-${end}`;
  return { id, name: `${name}:${lineNumbers}`, path, language, range: { start, end }, text };
}

/** Extends the range to whole lines, which keeps indentation; lines are counted from 1. */
function wholeLines(
  document: vscode.TextDocument,
  range: vscode.Range,
): { range: vscode.Range; start: number; end: number } {
  // A selection that ends before the first character of a line doesn't include that line.
  const last =
    range.end.character === 0 && !range.isSingleLine ? range.end.line - 1 : range.end.line;
  const grown = new vscode.Range(range.start.line, 0, last, document.lineAt(last).text.length);
  return { range: grown, start: range.start.line + 1, end: last + 1 };
}
