import * as vscode from 'vscode';
import type { WorkspaceFolder } from '../../core/tools/places.ts';
import type { Location } from '../../core/tools/target.ts';

export function toUri({ scheme, authority, path }: Location): vscode.Uri {
  return vscode.Uri.from({ scheme, authority, path });
}

export function toLocation({ scheme, authority, path }: vscode.Uri): Location {
  return { scheme, authority, path };
}

/** The folders of the workspace as they are named. */
export function openFolders(): readonly WorkspaceFolder[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.map(({ name, uri }) => ({ name, location: toLocation(uri) }));
}
