import * as vscode from 'vscode';
import { UserError } from '../errors.ts';
import { openNewFile } from '../workspace/editorActions.ts';
import type { FindFile } from '../workspace/workspaceFile.ts';

/** Code of a reply, and the file that it is of where the reply says so. */
export interface ReplyCode {
  readonly text: string;
  /** As the model calls it. */
  readonly language: string;
  readonly path?: string | undefined;
}

/**
 * Opens the file that a reply names, at a line counted from 1.
 * @throws {UserError} where there is none in the workspace
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
  const place = new vscode.Range((line ?? 1) - 1, 0, (line ?? 1) - 1, 0);
  await vscode.commands.executeCommand('vscode.open', uri, line && { selection: place });
}

/**
 * Opens code as a new file that is not saved: with the name that the reply gave it, unless there is
 * such a file already.
 */
export async function openReplyAsFile(code: ReplyCode, find: FindFile): Promise<void> {
  const { path, text, language } = code;
  // Without trust nothing of the workspace is looked at.
  const named =
    path !== undefined && vscode.workspace.isTrusted ? await found(path, find) : undefined;
  if (named === undefined || named.isThere) return openNewFile(text, language);
  const document = await vscode.workspace.openTextDocument(named.uri.with({ scheme: 'untitled' }));
  const editor = await vscode.window.showTextDocument(document);
  if (document.getText() !== '') {
    throw new UserError(vscode.l10n.t('A new file {0} is already open.', named.label));
  }
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), text));
}

async function found(
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
