import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { withLineEndings } from '../../core/edits/lineEndings.ts';
import { renderCells, type CellText } from '../../core/edits/notebookText.ts';
import { compileGlob } from '../../core/search/globs.ts';
import { isObject } from '../../core/support/json.ts';
import { cellScheme } from './notebookCells.ts';

/** The cells of a notebook without what they put out. */
export function cellTexts(notebook: vscode.NotebookDocument): readonly CellText[] {
  return notebook.getCells().map(({ kind, document }) => ({
    kind: kind === vscode.NotebookCellKind.Markup ? 'markdown' : 'code',
    language: document.languageId,
    source: withLineEndings(document.getText(), '\n'),
  }));
}

/** A notebook as one text, as tools show it; with another source of one of its cells if given. */
export function notebookText(
  notebook: vscode.NotebookDocument,
  changed?: { readonly index: number; readonly source: string },
): string {
  const cells = cellTexts(notebook);
  if (changed === undefined) return renderCells(cells);
  const { index, source } = changed;
  return renderCells(cells.map((cell, i) => (i === index ? { ...cell, source } : cell)));
}

/** What an extension says of the notebooks that it opens. */
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
 * Whether VS Code opens a file as a notebook: it is open as one, or an extension says so of its
 * name. Where that is only one way to open it, for example of Markdown, the file is a text.
 */
export function isNotebook(uri: vscode.Uri): boolean {
  if (uri.scheme === cellScheme) return false;
  return openNotebookAt(uri) !== undefined || hasNotebookName(uri.path);
}

/** The notebook that is open under an address. */
export function openNotebookAt(uri: vscode.Uri): vscode.NotebookDocument | undefined {
  const address = uri.toString();
  return vscode.workspace.notebookDocuments.find((one) => one.uri.toString() === address);
}

function hasNotebookName(path: string): boolean {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf('/') + 1);
  return vscode.extensions.all.some(({ packageJSON }) =>
    patternsOf(packageJSON).some((fits) => fits(name, lower)),
  );
}

/** Whether the file with this name and this path, both in lower case, is a notebook. */
type NotebookPattern = (name: string, path: string) => boolean;

/** By what an extension says of itself: each file that is read or written is asked about. */
const knownPatterns = new WeakMap<object, readonly NotebookPattern[]>();

function patternsOf(manifest: unknown): readonly NotebookPattern[] {
  if (!isObject(manifest)) return [];
  const known = knownPatterns.get(manifest) ?? readPatterns(manifest);
  knownPatterns.set(manifest, known);
  return known;
}

function readPatterns(manifest: object): readonly NotebookPattern[] {
  const { success, data } = contributions.safeParse(manifest);
  if (!success) return [];
  return data.contributes.notebooks
    .filter(({ priority = 'default' }) => priority !== 'option')
    .flatMap(({ selector }) => selector)
    .map(({ filenamePattern = '', excludeFileNamePattern = '' }) => {
      const included = compilePattern(filenamePattern);
      const excluded = compilePattern(excludeFileNamePattern);
      return (name, path) => included(name, path) && !excluded(name, path);
    });
}

/** A pattern without a slash is about the name. */
function compilePattern(pattern: string): NotebookPattern {
  if (pattern === '') return () => false;
  const fits = compileGlob(pattern.toLowerCase());
  return pattern.includes('/') ? (_, path) => fits(path) : (name) => fits(name);
}
