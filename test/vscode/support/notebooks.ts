import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { cellTexts } from '../../../src/host/platform/notebooks.ts';
import { until } from '../../support/until.ts';

const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A notebook saved by a kernel: two cells have outputs, one of them an image. */
export const analysis = {
  cells: [
    { cell_type: 'markdown', id: 'aa', metadata: {}, source: ['# Readings\n', 'of one day'] },
    {
      cell_type: 'code',
      execution_count: 1,
      id: 'bb',
      metadata: { tags: ['setup'] },
      outputs: [{ data: { 'image/png': image }, metadata: {}, output_type: 'display_data' }],
      source: ['high = 9\n', 'low = 4'],
    },
    {
      cell_type: 'code',
      execution_count: 2,
      id: 'cc',
      metadata: {},
      outputs: [{ name: 'stdout', output_type: 'stream', text: ['5\n'] }],
      source: ['print(high - low)'],
    },
  ],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
};

let files = 0;

export function uriOf(path: string): vscode.Uri {
  const [root] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(root, 'There is no workspace.');
  return vscode.Uri.joinPath(root.uri, path);
}

/** Writes a file on the disk, bypassing VS Code's documents. */
export async function putNotebook(content: object | string, folder = 'notebooks'): Promise<string> {
  const path = `${folder}/${++files}.ipynb`;
  const text = typeof content === 'string' ? content : `${JSON.stringify(content, undefined, 1)}\n`;
  await vscode.workspace.fs.writeFile(uriOf(path), new TextEncoder().encode(text));
  return path;
}

export async function openNotebook(path: string): Promise<vscode.NotebookDocument> {
  return vscode.workspace.openNotebookDocument(uriOf(path));
}

export async function showNotebook(path: string, cell: number): Promise<vscode.NotebookDocument> {
  const notebook = await openNotebook(path);
  const selections = [new vscode.NotebookRange(cell, cell + 1)];
  await vscode.window.showNotebookDocument(notebook, { selections, preview: false });
  await until(() => vscode.window.activeNotebookEditor?.notebook === notebook);
  return notebook;
}

export function sourcesOf(notebook: vscode.NotebookDocument): readonly string[] {
  return cellTexts(notebook).map(({ source }) => source);
}

/** Number of outputs of each cell. */
export function outputsOf(notebook: vscode.NotebookDocument): readonly number[] {
  return notebook.getCells().map((cell) => cell.outputs.length);
}
