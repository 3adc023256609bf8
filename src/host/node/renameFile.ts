import { rename } from 'node:fs/promises';
import type { RenameFile } from '../changes/changeFiles.ts';

/** Renames a file of this machine. */
export const renameFile: RenameFile = (from, to) => rename(from.fsPath, to.fsPath);
