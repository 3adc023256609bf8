/** Where a workspace has instruction files, and which of them are above a file. */
import { scopeBelow } from './instructionScope.ts';
import type { InstructionScope } from './messagePieces.ts';

export const folderInstructions = 'AGENTS.md';
/** Paths of instruction files for the whole workspace folder. */
export const fixedInstructions = [folderInstructions, '.github/copilot-instructions.md'] as const;
/** Folder of instruction files that name their globs, and the suffix of their names. */
export const instructionsFolder = '.github/instructions';
export const instructionsSuffix = '.instructions.md';

/** False for an absolute path outside the folder. */
export function isInFolder(path: string, folder: string): boolean {
  return folder !== '' || !/^(?:[/\\]|[a-z][a-z\d+.-]*:)/i.test(path);
}

/**
 * The scope of the `AGENTS.md` of a folder.
 *
 * @param folder as in paths, ending with `/`
 * @returns undefined for a workspace folder itself: its instructions apply to all files
 */
export function scopeOfFolder(
  folder: string,
  workspaceFolder: string,
): InstructionScope | undefined {
  return folder === workspaceFolder ? undefined : scopeBelow(folder);
}

/**
 * The folders between a workspace folder and a file in it, outer first, relative to the workspace
 * folder.
 *
 * @param path of the file, or of a folder with `/` at its end
 * @param workspaceFolder prefix of the paths of its files
 */
export function foldersOf(path: string, workspaceFolder: string): readonly string[] {
  if (!path.startsWith(workspaceFolder) || !isInFolder(path, workspaceFolder)) return [];
  const names = path.slice(workspaceFolder.length).split('/').slice(0, -1);
  if (names.some((name) => name === '' || name === '.' || name === '..')) return [];
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
