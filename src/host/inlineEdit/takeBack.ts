import * as vscode from 'vscode';
import type { OpenRows } from '../../core/code/openRows.ts';
import { decisionStep } from '../../core/code/rowSteps.ts';
import { textChange } from '../../core/code/textChange.ts';
import { lineOf, shapeOf } from './documentShape.ts';

/**
 * Takes a change back that nobody accepted, where its document was closed before: VS Code may have
 * saved it by itself. Where something else stands there, such as what was there before, it stays.
 */
export async function takeBack(uri: vscode.Uri, open: OpenRows): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  if (!open.stand((line) => lineOf(document, line))) return;
  const { start, rows } = open;
  const step = decisionStep(rows, 'reject', { start: 0, end: rows.length });
  const edit = new vscode.WorkspaceEdit();
  for (const one of step.edits) {
    const change = textChange(one, start, shapeOf(document));
    const { startLine, startCharacter, endLine, endCharacter, text } = change;
    const range = new vscode.Range(startLine, startCharacter, endLine, endCharacter);
    edit.replace(uri, range, text);
  }
  await vscode.workspace.applyEdit(edit);
}
