import * as vscode from 'vscode';
import type { Approved, ReadGate } from '../../core/approval/gate.ts';
import { renderCells } from '../../core/edits/notebookText.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { Target } from '../../core/workspace/places.ts';
import { addressOf, maxReadBytes, readFile, statOf, type FileContent } from './files.ts';
import { toUri } from './location.ts';
import { cellTexts, isNotebook, openNotebookAt } from './notebooks.ts';

/** The maximum size of a notebook that is read, in bytes, most of which are outputs. */
const maxNotebookBytes = 20_000_000;

/**
 * Reads a file that passed the gate, or a notebook as the text of its cells, without outputs.
 * @throws {ToolError} if it is neither
 */
export async function readContent(
  approved: Approved<Target>,
  gate: ReadGate,
): Promise<FileContent> {
  const uri = notebookUri(approved.value);
  return uri === undefined ? readFile(approved, gate) : readNotebook(uri, approved, gate);
}

/** The address by which VS Code knows the notebook; undefined for other files. */
export function notebookUri(target: Target): vscode.Uri | undefined {
  const addresses = [addressOf(target), target.location, target.named].map(toUri);
  const open = addresses.find((address) => openNotebookAt(address) !== undefined);
  return open ?? addresses.find(isNotebook);
}

async function readNotebook(
  uri: vscode.Uri,
  approved: Approved<Target>,
  gate: ReadGate,
): Promise<FileContent> {
  const { label } = approved.value;
  const stat = await statOf(uri);
  if (stat === undefined) return { kind: 'missing' };
  if ((stat.type & vscode.FileType.Directory) !== 0) return { kind: 'folder' };
  if (approved.value.kind === 'special') throw new ToolError(`${label} is not a regular file.`);
  if (stat.size > maxNotebookBytes) return { kind: 'huge', size: stat.size };
  refuseOpenAsText(uri, label);
  // This fails if the path leads to another file by now. The gate checks it again afterwards.
  await gate.bytes(approved, 1);
  const notebook = await openNotebook(uri, label);
  const text = renderCells(cellTexts(notebook));
  if (text.length > maxReadBytes) return { kind: 'huge', size: stat.size };
  return {
    kind: 'text',
    text,
    isDirty: notebook.isDirty,
    isLossy: false,
    cells: notebook.cellCount,
    isCurrent: () => isCurrent(notebook, text, stat),
  };
}

/**
 * Opens a notebook without showing it.
 * @throws {ToolError} if it can't be read as one, with a message for the model
 */
export async function openNotebook(
  uri: vscode.Uri,
  label: string,
): Promise<vscode.NotebookDocument> {
  try {
    return await vscode.workspace.openNotebookDocument(uri);
  } catch {
    // VS Code's own message may quote the file.
    throw new ToolError(
      `VS Code cannot open ${label} as a notebook: it is damaged, or of a format or version that no extension reads. search_text finds lines in it.`,
    );
  }
}

/**
 * Refuses a notebook that is open as text with changes that the notebook doesn't have.
 * @throws {ToolError} if there are any
 */
export function refuseOpenAsText(uri: vscode.Uri, label: string): void {
  const address = uri.toString();
  const isOpen = vscode.workspace.textDocuments.some(
    (document) => document.isDirty && document.uri.toString() === address,
  );
  if (isOpen) {
    throw new ToolError(
      `${label} is open as text with unsaved changes. Ask the person to save or close it.`,
    );
  }
}

/** True if the notebook still has these cells, and its file is the same unless it has changes. */
async function isCurrent(
  notebook: vscode.NotebookDocument,
  text: string,
  { mtime, size }: vscode.FileStat,
): Promise<boolean> {
  if (renderCells(cellTexts(notebook)) !== text) return false;
  if (notebook.isDirty) return true;
  const now = await statOf(notebook.uri);
  return now?.mtime === mtime && now.size === size;
}
