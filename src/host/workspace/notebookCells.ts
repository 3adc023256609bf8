import * as vscode from 'vscode';

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
  if (cell === undefined) await vscode.window.showTextDocument(document, options);
  else await showCell(cell);
}

async function showCell({ notebook, index }: vscode.NotebookCell): Promise<void> {
  const range = new vscode.NotebookRange(index, index + 1);
  const editor = await vscode.window.showNotebookDocument(notebook, { selections: [range] });
  editor.revealRange(range, vscode.NotebookEditorRevealType.InCenterIfOutsideViewport);
}
