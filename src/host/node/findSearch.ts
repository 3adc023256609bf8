import * as vscode from 'vscode';
import { fileSearches, type FileSearchAt } from '../tools/fileSearches.ts';
import { toUri } from '../tools/location.ts';
import { Ripgrep } from './ripgrep.ts';
import { findRipgrep } from './ripgrepProgram.ts';

/** By ripgrep as it comes with VS Code, where it is there. */
export async function findSearch(): Promise<FileSearchAt> {
  const program = await findRipgrep(vscode.env.appRoot);
  const toPath = (location: Parameters<typeof toUri>[0]): string => toUri(location).fsPath;
  return fileSearches(program === undefined ? undefined : new Ripgrep({ program, toPath }));
}
