import * as vscode from 'vscode';
import { testFileCandidates } from '../../core/code/testFiles.ts';

/** Where the tests of a file belong. */
export interface TestFile {
  readonly uri: vscode.Uri;
  readonly exists: boolean;
}

/** Folders in which nobody keeps tests of their own. */
const notOurs = '**/{node_modules,dist,out,build,target,vendor,.venv}/**';

/**
 * The file with the tests of a source file: the first that exists where this language keeps them,
 * else one anywhere in the workspace that has its name, else the one to be made. Undefined where
 * the language has no such place.
 */
export async function findTestFile(document: vscode.TextDocument): Promise<TestFile | undefined> {
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  const root = folder?.uri ?? vscode.Uri.joinPath(document.uri, '..');
  const path = document.uri.path.slice(root.path.length).replace(/^\//, '');
  const candidates = testFileCandidates(path, document.languageId);
  const [first] = candidates;
  if (first === undefined) return undefined;
  for (const candidate of candidates) {
    const uri = vscode.Uri.joinPath(root, candidate);
    if (await isFile(uri)) return { uri, exists: true };
  }
  const named = folder === undefined ? undefined : await findByName(folder, candidates);
  if (named !== undefined) return { uri: named, exists: true };
  return { uri: vscode.Uri.joinPath(root, first), exists: false };
}

/** Only where one file alone has the name: of several nobody knows which is meant. */
async function findByName(
  folder: vscode.WorkspaceFolder,
  candidates: readonly string[],
): Promise<vscode.Uri | undefined> {
  const names = new Set(candidates.map((path) => path.slice(path.lastIndexOf('/') + 1)));
  const [, ...others] = names;
  const glob = others.length === 0 ? `**/${[...names].join('')}` : `**/{${[...names].join(',')}}`;
  const pattern = new vscode.RelativePattern(folder, glob);
  const found = await vscode.workspace.findFiles(pattern, notOurs, 2);
  return found.length === 1 ? found[0] : undefined;
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    ({ type }) => (type & vscode.FileType.File) !== 0,
    () => false,
  );
}
