import * as vscode from 'vscode';
import { fileSearches, type FileSearchAt } from '../tools/fileSearches.ts';
import { toUri } from '../tools/location.ts';
import { Ripgrep } from './ripgrep.ts';
import { findRipgrep } from './ripgrepProgram.ts';

/** By ripgrep as it comes with VS Code, where it is there. */
export async function findSearch(): Promise<FileSearchAt> {
  const program = await findRipgrep(vscode.env.appRoot);
  if (program === undefined) return fileSearches(undefined);
  return fileSearches(new Ripgrep({ program, toPath: (location) => toUri(location).fsPath }));
}
