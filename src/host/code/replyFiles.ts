import * as vscode from 'vscode';
import { UserError } from '../errors.ts';
import { openNewFile, withSecretsOf } from '../workspace/editorActions.ts';
import type { FindFile } from '../workspace/workspaceFile.ts';

/** Code of a reply, and the file it belongs to if the reply names one. */
export interface ReplyCode {
  readonly text: string;
  /** The language as named by the model. */
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
  const place = new vscode.Range((line ?? 1) - 1, 0, (line ?? 1) - 1, 0);
  await vscode.commands.executeCommand('vscode.open', uri, line && { selection: place });
}

/** Opens code as a new unsaved file, with the name that the reply gives unless that file exists. */
export async function openReplyAsFile(code: ReplyCode, find: FindFile): Promise<void> {
  const { path, text, language } = code;
  // Without trust the workspace is not accessed.
  const named =
    path !== undefined && vscode.workspace.isTrusted
      ? await findOrUndefined(path, find)
      : undefined;
  if (named === undefined || named.isThere) return openNewFile(text, language);
  const content = await withSecretsOf('', text);
  const document = await vscode.workspace.openTextDocument(named.uri.with({ scheme: 'untitled' }));
  const editor = await vscode.window.showTextDocument(document);
  if (document.getText() !== '') {
    throw new UserError(vscode.l10n.t('A new file {0} is already open.', named.label));
  }
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), content));
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
