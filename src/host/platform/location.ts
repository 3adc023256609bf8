import * as vscode from 'vscode';
import type { FileSystemView } from '../../core/files/disk.ts';
import {
  canPrefixPaths,
  fullPath,
  type Location,
  type Platform,
  type WorkspaceFolder,
} from '../../core/files/places.ts';

export function toUri({ scheme, authority, path }: Location): vscode.Uri {
  return vscode.Uri.from({ scheme, authority, path });
}

export function toLocation({ scheme, authority, path }: vscode.Uri): Location {
  return { scheme, authority, path };
}

/** The result of an operation on a file or folder; undefined if that doesn't exist. */
export async function ifThere<T>(work: Thenable<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return undefined;
    throw error;
  }
}

/** True if there is a file or folder. */
export async function isThere(uri: vscode.Uri): Promise<boolean> {
  return (await ifThere(vscode.workspace.fs.stat(uri))) !== undefined;
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

/** The scheme of the documents of cells, whose path is that of their notebook. */
export const cellScheme = 'vscode-notebook-cell';

/** The cell of an open notebook whose document has this address; undefined for other documents. */
export function cellOf(uri: vscode.Uri): vscode.NotebookCell | undefined {
  if (uri.scheme !== cellScheme) return undefined;
  const address = uri.toString();
  return vscode.workspace.notebookDocuments
    .filter((notebook) => notebook.uri.path === uri.path)
    .flatMap((notebook) => notebook.getCells())
    .find(({ document }) => document.uri.toString() === address);
}

/** The file that a document is, or is a cell of. */
export function fileOf(uri: vscode.Uri): vscode.Uri {
  return cellOf(uri)?.notebook.uri ?? uri;
}

/** Shows a document in an editor, or in its notebook. */
export async function showDocument(
  document: vscode.TextDocument,
  options?: vscode.TextDocumentShowOptions,
): Promise<void> {
  const cell = cellOf(document.uri);
  if (cell === undefined) {
    await vscode.window.showTextDocument(document, options);
    return;
  }
  const { notebook, index } = cell;
  const range = new vscode.NotebookRange(index, index + 1);
  const editor = await vscode.window.showNotebookDocument(notebook, { selections: [range] });
  editor.revealRange(range, vscode.NotebookEditorRevealType.InCenterIfOutsideViewport);
}
