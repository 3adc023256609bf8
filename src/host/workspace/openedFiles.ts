import * as vscode from 'vscode';
import type { EditorView } from '../../core/approval/openedFiles.ts';
import { loadedAddresses } from '../../core/approval/remoteReference.ts';
import { openDocument } from './files.ts';
import { toUri } from './location.ts';
import { notebookUri } from './notebookFiles.ts';
import { openNotebookAt } from './notebooks.ts';

export const editorView: EditorView = {
  opens(target, openedAs) {
    const notebook = notebookUri(target);
    if (notebook === undefined) {
      return openedAs === undefined || openDocument(target) !== undefined ? undefined : 'document';
    }
    if (openedAs === 'editor') return isVisible(notebook) ? undefined : 'notebook';
    return openNotebookAt(notebook) === undefined ? 'cells' : undefined;
  },
  assigned: ({ named }) => (mayHaveSchema(named.path) ? assignedAddresses(toUri(named)) : []),
  read: async (location) => vscode.workspace.fs.readFile(toUri(location)),
};

function isVisible(notebook: vscode.Uri): boolean {
  const address = notebook.toString();
  return vscode.window.visibleNotebookEditors.some(
    (editor) => editor.notebook.uri.toString() === address,
  );
}

/** Settings by which a workspace assigns schemas to files, of VS Code and the usual extensions. */
const schemaSettings = [
  'json.schemas',
  'yaml.schemas',
  'xml.fileAssociations',
  'xml.catalogs',
  'evenBetterToml.schema.associations',
];

/** Languages by their names that have no schemas, unless the workspace gives these names to others. */
const programs =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|php|go|rs|java|kt|cs|fs|c|cc|cpp|h|hpp|m|swift|scala|lua|pl|r|sh|ps1|sql|css|scss|less|html|md|txt)$/i;

function mayHaveSchema(path: string): boolean {
  return !programs.test(path) || valuesOfWorkspace('files.associations').length > 0;
}

/** All assigned addresses, since only the extension can tell which of them are for the file. */
function assignedAddresses(uri: vscode.Uri): readonly string[] {
  const values = schemaSettings.flatMap((id) => valuesOfWorkspace(id, uri));
  return values.flatMap((value) => loadedAddresses(`"$schema": ${JSON.stringify(value)}`));
}

function valuesOfWorkspace(id: string, uri?: vscode.Uri): readonly unknown[] {
  const values = vscode.workspace.getConfiguration(undefined, uri).inspect(id);
  const all = [values?.workspaceValue, values?.workspaceFolderValue];
  return all.filter((value) => value !== undefined);
}
