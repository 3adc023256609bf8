import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { withLineEndings } from '../../core/edits/lineEndings.ts';
import { renderCells, type CellText } from '../../core/edits/notebookText.ts';
import { compileGlob } from '../../core/search/globs.ts';
import { isObject } from '../../core/support/json.ts';
import { cellScheme } from './notebookCells.ts';

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
  return openNotebookAt(uri) !== undefined || hasNotebookName(uri.path);
}

/** The notebook that is open under an address. */
export function openNotebookAt(uri: vscode.Uri): vscode.NotebookDocument | undefined {
  const address = uri.toString();
  return vscode.workspace.notebookDocuments.find((notebook) => notebook.uri.toString() === address);
}

function hasNotebookName(path: string): boolean {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf('/') + 1);
  return vscode.extensions.all.some(({ packageJSON }) =>
    patternsOf(packageJSON).some((fits) => fits(name, lower)),
  );
}

/** True if the file with this name and this path, both in lower case, is a notebook. */
type NotebookPattern = (name: string, path: string) => boolean;

/** Patterns by the `package.json` of an extension, cached since every file access needs them. */
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

/** Compiles a glob. A pattern without a slash matches the name. */
function compilePattern(pattern: string): NotebookPattern {
  if (pattern === '') return () => false;
  const fits = compileGlob(pattern.toLowerCase());
  return pattern.includes('/') ? (_, path) => fits(path) : (name) => fits(name);
}
