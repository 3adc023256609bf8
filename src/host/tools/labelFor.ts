import * as vscode from 'vscode';
import { canLead } from '../../core/tools/folderPaths.ts';
import { writtenPath } from '../../core/tools/places.ts';
import { openFolders, toLocation } from './location.ts';

/**
 * How the model and the person call a file: relative to the workspace, outside of it, or where the
 * names of its folders do not tell them apart, its path.
 */
export function labelFor(uri: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const folders = openFolders();
  const isKnown = folder === undefined || folders.length === 1 || canLead(folder.name, folders);
  return isKnown ? vscode.workspace.asRelativePath(uri) : writtenPath(toLocation(uri));
}
