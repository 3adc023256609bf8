/** What only Node can do for saved chats; `main/browser/history.ts` has the same for a browser. */
import * as vscode from 'vscode';
import type { FindJournals } from '../../host/history/chatSearch.ts';
import { findRipgrep } from '../../host/node/createFileSearch.ts';
import { FileStorage } from '../../host/node/fileStorage.ts';
import { findJournalsIn } from '../../host/node/journalSearch.ts';
import type { ChatStorage } from './storage.ts';

/** The ripgrep of VS Code for the journals; undefined where they are no files, or it has none. */
export async function findJournals(journals: ChatStorage): Promise<FindJournals | undefined> {
  if (!(journals instanceof FileStorage)) return undefined;
  const program = await findRipgrep(vscode.env.appRoot);
  return program === undefined ? undefined : findJournalsIn(journals.location, program);
}
