/** What only Node can do for saved chats; `main/browser/history.ts` has the same for a browser. */
import * as vscode from 'vscode';
import type { FindJournals } from '../../host/history/chatSearch.ts';
import { findRipgrep } from '../../host/node/createFileSearch.ts';
import { findJournalsIn } from '../../host/node/journalSearch.ts';

/** The ripgrep of VS Code for a folder of journals; undefined where there is no disk, or it has none. */
export async function findJournals(chats: vscode.Uri): Promise<FindJournals | undefined> {
  if (chats.scheme !== 'file') return undefined;
  const program = await findRipgrep(vscode.env.appRoot);
  return program === undefined ? undefined : findJournalsIn(chats.fsPath, program);
}
