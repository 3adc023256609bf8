import * as vscode from 'vscode';
import { findTestFile, testPaths } from '../../core/code/testFile.ts';

/** Folders in which nobody keeps tests of their own. */
const notOurs = '**/{node_modules,dist,out,build,target,vendor,.venv}/**';

/** Where the tests of a file are, or belong; undefined where nobody knows. */
export async function findTests(document: vscode.TextDocument): Promise<TestPlace | undefined> {
  const { uri, languageId } = document;
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const root = folder?.uri ?? vscode.Uri.joinPath(uri, '..');
  const path = uri.path.slice(root.path.length).replace(/^\//, '');
  const uriOf = (one: string): vscode.Uri => vscode.Uri.joinPath(root, one);
  const place = await findTestFile(path, languageId, (one) => exists(uriOf(one)));
  if (place === undefined) return undefined;
  if (place.isThere) return { uri: uriOf(place.path), isThere: true };
  const named = folder && (await findByName(folder, testNames(path, languageId)));
  return named === undefined
    ? { uri: uriOf(place.path), isThere: false }
    : { uri: named, isThere: true };
}

/** A file of tests. */
export interface TestPlace {
  readonly uri: vscode.Uri;
  readonly isThere: boolean;
}

/** Some folders of tests have files of the same name as the code, by which nobody can tell them apart. */
function testNames(path: string, language: string): readonly string[] {
  const names = (testPaths(path, language) ?? []).map(nameOf);
  return [...new Set(names)].filter((name) => name !== nameOf(path));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Only where one file alone has the name: of several nobody knows which is meant. */
async function findByName(
  folder: vscode.WorkspaceFolder,
  names: readonly string[],
): Promise<vscode.Uri | undefined> {
  if (names.length === 0) return undefined;
  const glob = names.length === 1 ? `**/${names.join('')}` : `**/{${names.join(',')}}`;
  const pattern = new vscode.RelativePattern(folder, glob);
  const found = await vscode.workspace.findFiles(pattern, notOurs, 2);
  return found.length === 1 ? found[0] : undefined;
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/** A file that is not there yet, opened under the name that it gets when it is saved. */
export async function openNewTests(
  uri: vscode.Uri | undefined,
  language: string,
): Promise<vscode.TextDocument> {
  const document =
    uri?.scheme === 'file'
      ? await vscode.workspace.openTextDocument(uri.with({ scheme: 'untitled' }))
      : await vscode.workspace.openTextDocument({ language });
  await vscode.window.showTextDocument(document);
  return document.languageId === language
    ? document
    : vscode.languages.setTextDocumentLanguage(document, language);
}
