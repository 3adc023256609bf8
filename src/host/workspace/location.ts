import * as vscode from 'vscode';
import type { FileSystemView } from '../../core/workspace/disk.ts';
import {
  canPrefixPaths,
  fullPath,
  type WorkspaceFolder,
  type Location,
  type Platform,
} from '../../core/workspace/places.ts';
import { isThere } from '../missingFile.ts';
import { cellOf } from './notebookCells.ts';

export function toUri({ scheme, authority, path }: Location): vscode.Uri {
  return vscode.Uri.from({ scheme, authority, path });
}

export function toLocation({ scheme, authority, path }: vscode.Uri): Location {
  return { scheme, authority, path };
}

/** Resolves with true if there is a file or folder, also in a virtual folder. */
export function isThereAt(location: Location): Promise<boolean> {
  return isThere(toUri(location));
}

export function workspaceFolders(): readonly WorkspaceFolder[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.map(({ name, uri }) => ({ name, location: toLocation(uri) }));
}

/**
 * The start folder of dialogs that open files. VS Code's own choice is on disk, from which nothing leads
 * to a virtual folder.
 */
export function startOfDialog(): { readonly defaultUri?: vscode.Uri } {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  return folder === undefined || folder.uri.scheme === 'file' ? {} : { defaultUri: folder.uri };
}

/**
 * The path of a file as the model and the person see it: relative to the workspace, or the full path
 * for a file outside and if several folders have the same name. A cell has the path of its notebook,
 * and a number.
 */
export function labelFor(uri: vscode.Uri): string {
  const cell = cellOf(uri);
  if (cell !== undefined) {
    return vscode.l10n.t('{0}, cell {1}', labelFor(cell.notebook.uri), cell.index + 1);
  }
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const folders = workspaceFolders();
  const isKnown =
    folder === undefined || folders.length === 1 || canPrefixPaths(folder.name, folders);
  return isKnown ? vscode.workspace.asRelativePath(uri) : fullPath(toLocation(uri));
}

/** The machine, as Node sees it. There is none on the web. */
export interface Machine {
  readonly view: FileSystemView;
  readonly platform: Platform;
  /** The person's home folder, and its real path if that differs. */
  readonly homes: readonly Location[];
  /** The names of the machine and of the person on it, for approvals of commands. */
  readonly host: string;
  readonly user: string;
}
