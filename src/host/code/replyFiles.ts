import * as vscode from 'vscode';
import { applySplices } from '../../core/edits/lineDiff.ts';
import { UserError } from '../errors.ts';
import { unnamedDocument, type PassGate } from '../review/fileReview.ts';
import { openNewFile, withSecretsOf } from '../workspace/editorActions.ts';
import { showDocument } from '../workspace/notebookCells.ts';
import type { FindFile } from '../workspace/workspaceFile.ts';

/** Code of a reply, and the file it belongs to if the reply names one. */
export interface ReplyCode {
  readonly text: string;
  readonly language: string;
  readonly path?: string | undefined;
}

/**
 * Opens the file that a reply names at a 1-based line.
 * @throws {UserError} if it does not exist in the workspace
 */
export async function openReplyFile(
  path: string,
  line: number | undefined,
  find: FindFile,
): Promise<void> {
  const { uri, label, isThere } = await find(path);
  if (!isThere) {
    throw new UserError(
      vscode.l10n.t("{0} doesn't exist yet. Use “New File” to create it.", label),
    );
  }
  const selection = new vscode.Range((line ?? 1) - 1, 0, (line ?? 1) - 1, 0);
  await vscode.commands.executeCommand('vscode.open', uri, line && { selection });
}

interface NewFileOptions {
  readonly find: FindFile;
  readonly gate: PassGate;
}

/** Opens code as a new unsaved file, with the name that the reply gives unless that file exists. */
export async function openReplyAsFile(
  { path, text, language }: ReplyCode,
  { find, gate }: NewFileOptions,
): Promise<void> {
  // An untrusted workspace isn't accessed.
  const named =
    path !== undefined && vscode.workspace.isTrusted
      ? await findOrUndefined(path, find)
      : undefined;
  const isNew = named?.isThere === false;
  const uri = isNew ? named.uri.with({ scheme: 'untitled' }) : unnamedDocument;
  const content = withSecretsOf('', text);
  const edit = { uri, before: '', after: content, isCurrent: () => true };
  await gate(edit, () =>
    isNew ? fillNew(uri, named.label, content) : openNewFile(content, language),
  );
}

async function fillNew(uri: vscode.Uri, label: string, content: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document);
  if (document.getText() !== '') {
    throw new UserError(vscode.l10n.t('A new file {0} is already open.', label));
  }
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), content));
}

/** Replaces the selection of the active editor, or of a visible one, with code. */
export async function insertAtCursor(text: string, gate: PassGate): Promise<void> {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  if (editor === undefined) {
    throw new UserError(vscode.l10n.t('No editor is open. Open a file, then insert again.'));
  }
  const { document, selections } = editor;
  const before = document.getText();
  const code = withSecretsOf(before, text);
  const splices = selections.map(({ start, end }) => ({
    start: document.offsetAt(start),
    end: document.offsetAt(end),
    text: code,
  }));
  const isCurrent = (): boolean => document.getText() === before;
  const edit = { uri: document.uri, before, after: applySplices(before, splices), isCurrent };
  await gate(edit, () => replaceAll(editor, selections, code));
  await showDocument(document, editor.viewColumn && { viewColumn: editor.viewColumn });
}

async function replaceAll(
  editor: vscode.TextEditor,
  selections: readonly vscode.Selection[],
  text: string,
): Promise<void> {
  const isDone = await editor.edit((edit) => {
    for (const selection of selections) edit.replace(selection, text);
  });
  if (!isDone) throw new UserError(vscode.l10n.t("This file can't be changed."));
}

async function findOrUndefined(
  path: string,
  find: FindFile,
): Promise<Awaited<ReturnType<FindFile>> | undefined> {
  try {
    return await find(path);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
