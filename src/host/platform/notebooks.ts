import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Approved, ReadGate } from '../../core/approval/gate.ts';
import { withLineEndings } from '../../core/edits/lineEndings.ts';
import { type CellText, renderCells } from '../../core/edits/notebookText.ts';
import { compileGlob, type PathTest } from '../../core/files/globs.ts';
import { isObject } from '../../core/support/json.ts';
import { ToolError } from '../../core/support/toolError.ts';
import { lastSegment } from '../../core/support/text.ts';
import type { Target } from '../../core/files/places.ts';
import { addressOf, type FileContent, maxReadBytes, readFile, statOf } from './files.ts';
import { cellScheme, toUri } from './location.ts';

/** The cells of a notebook without their outputs. */
export function cellTexts(notebook: vscode.NotebookDocument): readonly CellText[] {
  return notebook.getCells().map(({ kind, document }) => ({
    kind: kind === vscode.NotebookCellKind.Markup ? 'markdown' : 'code',
    language: document.languageId,
    source: withLineEndings(document.getText(), '\n'),
  }));
}

/** A notebook as one text, as tools show it, optionally with another source for one of its cells. */
export function notebookText(
  notebook: vscode.NotebookDocument,
  changed?: { readonly index: number; readonly source: string },
): string {
  const cells = cellTexts(notebook);
  if (changed === undefined) return renderCells(cells);
  const { index, source } = changed;
  return renderCells(cells.map((cell, i) => (i === index ? { ...cell, source } : cell)));
}

/** An extension's contribution points for notebooks. */
const contributions = z.object({
  contributes: z.object({
    notebooks: z.array(
      z.object({
        priority: z.optional(z.string()),
        selector: z.array(
          z.object({
            filenamePattern: z.optional(z.string()),
            excludeFileNamePattern: z.optional(z.string()),
          }),
        ),
      }),
    ),
  }),
});

/**
 * True if VS Code opens a file as a notebook: it is open as one, or an extension contributes its name.
 * A file for which a notebook is only an option, for example Markdown, is text.
 */
export function isNotebook(uri: vscode.Uri): boolean {
  if (uri.scheme === cellScheme) return false;
  if (openNotebookAt(uri) !== undefined) return true;
  const path = uri.path.toLowerCase();
  return vscode.extensions.all.some(({ packageJSON }) =>
    patternsOf(packageJSON).some((fits) => fits(path)),
  );
}

/** The notebook that is open under an address. */
export function openNotebookAt(uri: vscode.Uri): vscode.NotebookDocument | undefined {
  const address = uri.toString();
  return vscode.workspace.notebookDocuments.find((notebook) => notebook.uri.toString() === address);
}

/** Patterns by the `package.json` of an extension, cached since every file access needs them. */
const knownPatterns = new WeakMap<object, readonly PathTest[]>();

/** Tests of paths in lower case, each for a kind of notebook that an extension contributes. */
function patternsOf(manifest: unknown): readonly PathTest[] {
  if (!isObject(manifest)) return [];
  const known = knownPatterns.get(manifest);
  if (known !== undefined) return known;
  const { notebooks = [] } = contributions.safeParse(manifest).data?.contributes ?? {};
  const patterns = notebooks
    .filter(({ priority = 'default' }) => priority !== 'option')
    .flatMap(({ selector }) => selector)
    .map(({ filenamePattern = '', excludeFileNamePattern = '' }): PathTest => {
      const isIncluded = compilePattern(filenamePattern);
      const isExcluded = compilePattern(excludeFileNamePattern);
      return (path) => isIncluded(path) && !isExcluded(path);
    });
  knownPatterns.set(manifest, patterns);
  return patterns;
}

/** Compiles a glob. A pattern without a slash matches the name. */
function compilePattern(pattern: string): PathTest {
  if (pattern === '') return () => false;
  const fits = compileGlob(pattern.toLowerCase());
  return pattern.includes('/') ? fits : (path) => fits(lastSegment(path));
}

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
  if (uri === undefined) return readFile(approved, gate);
  const { label, kind } = approved.value;
  const stat = await statOf(uri);
  if (stat === undefined) return { kind: 'missing' };
  if ((stat.type & vscode.FileType.Directory) !== 0) return { kind: 'folder' };
  if (kind === 'special') throw new ToolError(`${label} is not a regular file.`);
  if (stat.size > maxNotebookBytes) return { kind: 'huge', size: stat.size };
  refuseOpenAsText(uri, label);
  // This fails if the path leads to another file by now. The gate checks it again afterwards.
  await gate.bytes(approved, 1);
  const notebook = await openNotebook(uri, label);
  const text = notebookText(notebook);
  if (text.length > maxReadBytes) return { kind: 'huge', size: stat.size };
  const isCurrent = async (): Promise<boolean> => {
    if (notebookText(notebook) !== text) return false;
    // What is on disk counts only if the editor has no changes.
    if (notebook.isDirty) return true;
    const now = await statOf(notebook.uri);
    return now?.mtime === stat.mtime && now.size === stat.size;
  };
  const { isDirty, cellCount: cells } = notebook;
  return { kind: 'text', text, isDirty, isLossy: false, cells, isCurrent };
}

/** The address by which VS Code knows the notebook; undefined for other files. */
export function notebookUri(target: Target): vscode.Uri | undefined {
  const addresses = [addressOf(target), target.location, target.named].map(toUri);
  const open = addresses.find((address) => openNotebookAt(address) !== undefined);
  return open ?? addresses.find(isNotebook);
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
