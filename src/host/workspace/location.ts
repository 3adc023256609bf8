import * as vscode from 'vscode';
import type { FileSystemView } from '../../core/workspace/disk.ts';
import {
  canPrefixPaths,
  fullPath,
  type WorkspaceFolder,
  type Location,
  type Platform,
} from '../../core/workspace/places.ts';

export function toUri({ scheme, authority, path }: Location): vscode.Uri {
  return vscode.Uri.from({ scheme, authority, path });
}

export function toLocation({ scheme, authority, path }: vscode.Uri): Location {
  return { scheme, authority, path };
}

/** The folders of the workspace as they are named. */
export function workspaceFolders(): readonly WorkspaceFolder[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.map(({ name, uri }) => ({ name, location: toLocation(uri) }));
}

/**
 * How the model and the person call a file: relative to the workspace, outside of it, or where the
 * names of its folders do not tell them apart, its path.
 */
export function labelFor(uri: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const folders = workspaceFolders();
  const isKnown =
    folder === undefined || folders.length === 1 || canPrefixPaths(folder.name, folders);
  return isKnown ? vscode.workspace.asRelativePath(uri) : fullPath(toLocation(uri));
}

/** What only Node tells of the machine. There is none on the web. */
export interface Machine {
  readonly view: FileSystemView;
  readonly platform: Platform;
  /** The person's home folder as it is named, and as it really is where that differs. */
  readonly homes: readonly Location[];
  /** The name of the machine and of the person on it: where a command runs, and as whom. */
  readonly host: string;
  readonly user: string;
}
