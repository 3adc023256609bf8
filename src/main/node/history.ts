/** What only Node can do for saved chats; `main/browser/history.ts` has the same for a browser. */
import * as vscode from 'vscode';
import type { FindJournals } from '../../host/history/chatSearch.ts';
import type { StoredText } from '../../host/history/savedChats.ts';
import { findRipgrep } from '../../host/node/createFileSearch.ts';
import { FileStorage } from '../../host/node/fileStorage.ts';
import { findJournalsIn } from '../../host/node/journalSearch.ts';
import { OwnerFile } from '../../host/node/ownerFile.ts';
import type { ChatStorage } from './storage.ts';

/** The ripgrep of VS Code for the journals; undefined where they are no files, or it has none. */
export async function findJournals(journals: ChatStorage): Promise<FindJournals | undefined> {
  if (!(journals instanceof FileStorage)) return undefined;
  const program = await findRipgrep(vscode.env.appRoot);
  return program === undefined ? undefined : findJournalsIn(journals.location, program);
}

/** A file that only its owner can read; undefined where there is no disk. */
export function ownerFile(file: vscode.Uri): StoredText | undefined {
  return file.scheme === 'file' ? new OwnerFile(file.fsPath) : undefined;
}
