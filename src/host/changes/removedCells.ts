import * as vscode from 'vscode';
import type { NotebookChange, PlacedCell } from '../../core/edits/notebookChange.ts';
import { cellLanguage } from '../../core/edits/notebookText.ts';
import { cellTexts } from '../workspace/notebooks.ts';

/** Maximum number of stored cells, since outputs can be large. */
const mostKept = 200;

type CellExtras = vscode.NotebookCell;

/**
 * The outputs and metadata of removed cells, so that undo restores them, too. Stored until the
 * window closes; the stored texts only contain sources.
 */
export class RemovedCells {
  readonly #cells = new Map<string, CellExtras>();

  /** Stores the cells that a change is about to remove. */
  keep({ splices }: NotebookChange, notebook: vscode.NotebookDocument): void {
    const texts = cellTexts(notebook);
    for (const { span } of splices) {
      for (let index = span.start; index < span.end; index++) {
        const text = texts[index];
        if (text !== undefined) this.#cells.set(keyOf(notebook, text), notebook.cellAt(index));
      }
    }
    for (const key of [...this.#cells.keys()].slice(0, -mostKept)) this.#cells.delete(key);
  }

  /** A cell to insert, with its outputs and metadata, even if it was removed before. */
  dataFor(cell: PlacedCell, notebook: vscode.NotebookDocument): vscode.NotebookCellData {
    const old =
      cell.from === undefined ? this.#cells.get(keyOf(notebook, cell)) : notebook.cellAt(cell.from);
    const isCode = cell.kind === 'code';
    const kind = isCode ? vscode.NotebookCellKind.Code : vscode.NotebookCellKind.Markup;
    const isSame = old?.kind === kind && cellLanguage(old.document.languageId) === cell.language;
    const language = isSame ? old.document.languageId : cell.language;
    const data = new vscode.NotebookCellData(kind, cell.source, language);
    if (isSame) {
      data.metadata = { ...old.metadata };
      data.outputs = [...old.outputs];
      if (old.executionSummary !== undefined) data.executionSummary = old.executionSummary;
    }
    return data;
  }
}

function keyOf({ uri }: vscode.NotebookDocument, { kind, language, source }: PlacedCell): string {
  return JSON.stringify([uri.toString(), kind, cellLanguage(language), source]);
}
