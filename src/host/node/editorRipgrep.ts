import * as vscode from 'vscode';
import type { FileSearch } from '../../core/tools/fileSearch.ts';
import { toUri } from '../tools/location.ts';
import { Ripgrep } from './ripgrep.ts';
import { findRipgrep } from './ripgrepProgram.ts';

/** Searches with the ripgrep that comes with VS Code; undefined where there is none to run. */
export async function findEditorRipgrep(): Promise<FileSearch | undefined> {
  const program = await findRipgrep(vscode.env.appRoot);
  if (program === undefined) return undefined;
  return new Ripgrep({ program, toPath: (location) => toUri(location).fsPath });
}
