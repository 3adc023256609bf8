import * as vscode from 'vscode';
import { withLineEndings } from '../../core/edits/lineEndings.ts';
import { jupyterNotebook } from '../../core/tools/newNotebook.ts';
import {
  cellLanguage,
  changeByNumbers,
  changeByText,
  mainLanguage,
  type NotebookChange,
  parseCells,
  type PlacedCell,
} from '../../core/edits/notebookText.ts';
import { newId } from '../../core/support/id.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { Location } from '../../core/files/places.ts';
import { replaceText } from '../platform/editorActions.ts';
import { toLocation, toUri, isThere } from '../platform/location.ts';
import {
  openNotebook,
  refuseOpenAsText,
  cellTexts,
  isNotebook,
  notebookText,
  openNotebookAt,
} from '../platform/notebooks.ts';
import {
  type FileWrite,
  PartlyWritten,
  StaleFile,
  takingBack,
  type TextStore,
  type WrittenText,
} from './textStore.ts';
import { deleteFile, editorTexts, writtenUri } from './editorTexts.ts';

/**
 * Text files and notebooks. A notebook is represented by the text of its cells: sources are
 * compared, shown and restored, while outputs and metadata stay with the cells.
 */
export const workspaceTexts: TextStore = { read, write };

/** The URI of the file as a notebook; undefined for other files. */
function notebookOf(change: FileWrite): vscode.Uri | undefined {
  const { location, named = location } = change;
  const addresses = [writtenUri(change), toUri(location), toUri(named)];
  return (
    addresses.find((address) => openNotebookAt(address) !== undefined) ?? addresses.find(isNotebook)
  );
}

async function read(location: Location): Promise<string | undefined> {
  const uri = toUri(location);
  if (!isNotebook(uri)) return editorTexts.read(location);
  if (!(await isThere(uri))) return undefined;
  try {
    return notebookText(await openNotebook(uri, uri.path));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    // The notebook is damaged, so its text can't be the one that Aside wrote.
    return editorTexts.read(location);
  }
}

async function write(
  changes: readonly FileWrite[],
  signal?: AbortSignal,
): Promise<readonly WrittenText[]> {
  const files = changes.filter((change) => notebookOf(change) === undefined);
  const texts = files.length === 0 ? [] : await editorTexts.write(files, signal);
  const written = new Map(files.map((change, index) => [change, texts[index]]));
  try {
    for (const change of changes) {
      const uri = written.has(change) ? undefined : notebookOf(change);
      if (uri !== undefined) written.set(change, await writeNotebook(change, uri, signal));
    }
  } catch (error) {
    const failed: string[] = [];
    for (const [change, result] of written) {
      if (result === undefined) continue;
      await write([takingBack(change, result)]).catch(() => failed.push(change.path));
    }
    throw failed.length === 0 ? error : new PartlyWritten('The change failed.', failed);
  }
  return changes.flatMap((change) => written.get(change) ?? []);
}

async function writeNotebook(
  change: FileWrite,
  uri: vscode.Uri,
  signal: AbortSignal | undefined,
): Promise<WrittenText> {
  if (change.kind === 'create') return create(change, uri);
  if (!(await isThere(uri))) throw new StaleFile(change.path);
  refuseOpenAsText(uri, change.path);
  const notebook = await openNotebook(uri, change.path);
  signal?.throwIfAborted();
  const replaced = notebookText(notebook);
  if (replaced !== withLineEndings(change.before, '\n')) throw new StaleFile(change.path);
  const result = { location: toLocation(uri), replaced };
  if (change.kind === 'delete') {
    const bytes = await vscode.workspace.fs.readFile(uri);
    if (!(await deleteFile(uri, bytes, () => notebook.isDirty))) throw new StaleFile(change.path);
    return { ...result, text: change.after, isSaved: true };
  }
  const { isDirty } = notebook;
  await applyCells(change, notebook);
  if (!isDirty && notebook.isDirty && !(await notebook.save())) {
    await applyCells(
      { ...change, before: notebookText(notebook), after: replaced, isExact: true },
      notebook,
    );
    throw notWritten(change);
  }
  return { ...result, text: notebookText(notebook), isSaved: !notebook.isDirty };
}

/** Creates a notebook. Formats other than Jupyter's are written by their extension. */
async function create(change: FileWrite, uri: vscode.Uri): Promise<WrittenText> {
  const { path, after } = change;
  if (!/\.ipynb$/i.test(uri.path)) {
    throw new ToolError(
      `Notebooks such as ${path} cannot be created. Ask the person to create it.`,
    );
  }
  if (await isThere(uri)) throw new ToolError(`${path} already exists.`);
  const cells = parseCells(after);
  const contents = new TextEncoder().encode(jupyterNotebook(cells, newId));
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { contents, overwrite: false });
  if (!(await vscode.workspace.applyEdit(edit))) throw notWritten(change);
  // VS Code's language id can differ from the one in the text.
  const text = notebookText(await openNotebook(uri, path));
  return { location: toLocation(uri), replaced: '', text, isSaved: true };
}

/** Replaces the cells by those of the text, as a single undo step. */
async function applyCells(change: FileWrite, notebook: vscode.NotebookDocument): Promise<void> {
  // A model's edit uses current cell numbers; a text to restore may have older ones.
  const before = cellTexts(notebook);
  const wanted = parseCells(change.after, mainLanguage(before));
  const planned =
    change.isExact === true ? changeByText(before, wanted) : changeByNumbers(before, wanted);
  // An empty edit would count as refused.
  if (planned.sources.length + planned.splices.length === 0) return;
  const edit = new vscode.WorkspaceEdit();
  for (const { index, source } of planned.sources) {
    replaceText(edit, notebook.cellAt(index).document, source);
  }
  const splices = planned.splices.map(({ span: { start, end }, cells }) => {
    const data = cells.map((cell) => removedCells.dataFor(cell, notebook));
    return vscode.NotebookEdit.replaceCells(new vscode.NotebookRange(start, end), data);
  });
  if (splices.length > 0) edit.set(notebook.uri, splices);
  removedCells.keep(planned, notebook);
  if (!(await vscode.workspace.applyEdit(edit))) throw notWritten(change);
}

function notWritten({ path }: FileWrite): ToolError {
  return new ToolError(`VS Code could not write ${path}. Nothing was changed.`);
}

/** Maximum number of stored cells, since outputs can be large. */
const mostKept = 200;

/**
 * The outputs and metadata of removed cells, so that undo restores them, too. Stored until the
 * window closes; the stored texts only contain sources.
 */
class RemovedCells {
  readonly #cells = new Map<string, vscode.NotebookCell>();

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

/** Cells that were removed in this window, with their outputs, in case they are restored. */
const removedCells = new RemovedCells();

function keyOf({ uri }: vscode.NotebookDocument, { kind, language, source }: PlacedCell): string {
  return JSON.stringify([uri.toString(), kind, cellLanguage(language), source]);
}
