/** Finds and reads the files of the workspace that instruct assistants. */
import * as vscode from 'vscode';
import { hasSecretName, mayBeKey } from '../../core/approval/secrets.ts';
import { reported } from '../../core/support/background.ts';
import {
  fixedInstructions,
  folderInstructions,
  foldersOf,
  instructionsFolder,
  instructionsSuffix,
  parseInstructions,
  scopeOfFolder,
} from '../../core/turn/instructionFile.ts';
import type { InstructionFile } from '../../core/turn/messagePieces.ts';
import { ifThere } from '../missingFile.ts';
import { statOf } from '../workspace/files.ts';
import { labelFor } from '../workspace/location.ts';
import { RegularFiles } from '../workspace/workspacePlaces.ts';

/** The maximum size of such a file in bytes, since it is paid for with every message. */
const maxFileBytes = 100_000;
/** The most files of {@link instructionsFolder} that are read, and their maximum depth in it. */
const maxFiles = 100;
const maxDepth = 5;
/** The most folders of a workspace folder that are searched for an `AGENTS.md`. */
const maxFolders = 200;

export interface InstructionCandidate extends InstructionFile {
  readonly uri: vscode.Uri;
  /** The whole file. `text` excludes the front matter that selects its files. */
  readonly whole: string;
}

/** Globs to watch in each workspace folder. */
export const instructionGlobs: readonly string[] = [
  ...[`**/${folderInstructions}`, '**/.github/copilot-instructions.md'],
  `**/${instructionsFolder}/**/*${instructionsSuffix}`,
];

/**
 * The instruction files of the workspace, and those of the folders above some paths. Links, and
 * names of files with secrets, are excluded.
 *
 * @param paths in the form of `Attachment.path`
 */
export async function findInstructions(
  paths: readonly string[],
): Promise<readonly InstructionCandidate[]> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const files = await Promise.all(folders.map(({ uri }) => findIn(uri, paths)));
  return files.flat();
}

/** The prefix of the paths of all files in a workspace folder. */
function startOfPaths(folder: vscode.Uri): string {
  return labelFor(vscode.Uri.joinPath(folder, folderInstructions)).slice(
    0,
    -folderInstructions.length,
  );
}

async function findIn(
  folder: vscode.Uri,
  paths: readonly string[],
): Promise<readonly InstructionCandidate[]> {
  const start = startOfPaths(folder);
  const regular = new RegularFiles();
  const fixed = fixedInstructions.map((name) =>
    readFile(vscode.Uri.joinPath(folder, name), regular),
  );
  const named = (await filesBelow(vscode.Uri.joinPath(folder, instructionsFolder))).map((uri) =>
    readFile(uri, regular),
  );
  const above = new Set(paths.flatMap((path) => foldersOf(path, start)));
  const nested = [...above].slice(0, maxFolders).map(async (below) => {
    const file = await readFile(vscode.Uri.joinPath(folder, below, folderInstructions), regular);
    return file && { ...file, scope: scopeOfFolder(`${start}${below}/`, start) };
  });
  const scoped = named.map(async (reading) => {
    const file = await reading;
    const parsed = file && parseInstructions(file.whole, start);
    return parsed && { ...file, text: parsed.body, scope: parsed.scope };
  });
  const all = await Promise.all([...fixed, ...scoped, ...nested]);
  return all.filter((file) => file !== undefined).filter(({ text }) => text.trim() !== '');
}

/** The files of a folder and below, in the order of their paths. */
async function filesBelow(folder: vscode.Uri, depth = 0): Promise<readonly vscode.Uri[]> {
  // Most workspaces have no such folder.
  const entries = await vscode.workspace.fs.readDirectory(folder).then(undefined, () => []);
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const files: vscode.Uri[] = [];
  for (const [name, type] of sorted) {
    const uri = vscode.Uri.joinPath(folder, name);
    // A link in a repository may point anywhere.
    if (type === vscode.FileType.File && name.endsWith(instructionsSuffix)) files.push(uri);
    else if (type === vscode.FileType.Directory && depth < maxDepth)
      files.push(...(await filesBelow(uri, depth + 1)));
    if (files.length >= maxFiles) break;
  }
  return files.slice(0, maxFiles);
}

/** Reads a file; undefined if it doesn't exist, or its path contains a link. */
async function readFile(
  uri: vscode.Uri,
  regular: RegularFiles,
): Promise<InstructionCandidate | undefined> {
  const path = labelFor(uri);
  if (hasSecretName(path) || mayBeKey(path)) return undefined;
  const stat = await statOf(uri);
  if (stat?.type !== vscode.FileType.File || stat.size > maxFileBytes) return undefined;
  const bytes = await reported(ifThere(regular.read(uri)));
  if (bytes === undefined) return undefined;
  const whole = new TextDecoder().decode(bytes);
  return { uri, path, whole, text: whole };
}
