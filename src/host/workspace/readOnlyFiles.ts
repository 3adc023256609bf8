import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { orUndefined } from '../../core/support/background.ts';
import { fileOf } from './notebookCells.ts';
import type { NodePlatform } from './platform.ts';

const globs = z.catch(z.record(z.string(), z.unknown()), {});

/**
 * True if VS Code wouldn't save a document: its file system or file is read-only, the settings say
 * so, or its owner may not write the file.
 */
export async function isReadOnly(
  document: vscode.TextDocument,
  isLocked: NodePlatform['isLocked'] | undefined,
): Promise<boolean> {
  const { fs } = vscode.workspace;
  const uri = fileOf(document.uri);
  if (uri.scheme === 'untitled') return false;
  if (fs.isWritableFileSystem(uri.scheme) !== true || isSetReadOnly(document)) return true;
  const { permissions } = (await orUndefined(fs.stat(uri))) ?? {};
  if (permissions === vscode.FilePermission.Readonly) return true;
  return uri.scheme === 'file' && (await isLocked?.(uri.fsPath)) === true;
}

function isSetReadOnly(document: vscode.TextDocument): boolean {
  const files = vscode.workspace.getConfiguration('files', document.uri);
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  const names = (setting: string): boolean =>
    Object.entries(globs.parse(files.get(setting))).some(([glob, isOn]) => {
      const relative = folder && new vscode.RelativePattern(folder, glob);
      const filter = [
        { pattern: glob },
        ...(relative === undefined ? [] : [{ pattern: relative }]),
      ];
      return isOn === true && vscode.languages.match(filter, document) > 0;
    });
  return names('readonlyInclude') && !names('readonlyExclude');
}
