import * as vscode from 'vscode';
import type { CodeToEdit } from '../../core/code/codePrompt.ts';
import type { EditPlace } from '../inlineEdit/inlineEdits.ts';
import { labelFor } from '../tools/labelFor.ts';

/** What is sent of a document so that some lines of it can be written anew. */
export function codeToEdit(place: EditPlace, diagnostics: readonly string[]): CodeToEdit {
  const { document, start, end } = place;
  return {
    path: labelFor(document.uri),
    language: document.languageId,
    before: linesOf(document, 0, start),
    selected: linesOf(document, start, end),
    after: linesOf(document, end, document.lineCount),
    firstLine: start + 1,
    ...(diagnostics.length === 0 ? {} : { diagnostics }),
  };
}

/** What VS Code says is wrong in these lines. */
export function problemsOf({ document, start, end }: EditPlace): readonly vscode.Diagnostic[] {
  const all = vscode.languages.getDiagnostics(document.uri);
  return all.filter(({ range }) => range.end.line >= start && range.start.line < end);
}

function linesOf(document: vscode.TextDocument, start: number, end: number): string {
  const lines = Array.from({ length: end - start }, (_, i) => document.lineAt(start + i).text);
  return lines.join('\n');
}
