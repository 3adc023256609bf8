/** What only Node knows of the machine; `main/browser/machine.ts` has the same for a browser. */
import * as vscode from 'vscode';
import type { FindJournals } from '../../host/history/chatSearch.ts';
import { findRipgrep } from '../../host/node/createFileSearch.ts';
import { findJournalsIn } from '../../host/node/journalSearch.ts';
import { thisMachine } from '../../host/node/thisMachine.ts';
import type { Machine } from '../../host/workspace/location.ts';

export { createFileSearch as fileSearch } from '../../host/node/createFileSearch.ts';
export { terminalProcesses as processesOfTerminals } from '../../host/node/processTree.ts';

/** The machine of the extension host; undefined in a browser. */
export const machineHere: () => Machine | undefined = thisMachine;

/** The ripgrep of VS Code for a folder of journals; undefined where there is no disk, or it has none. */
export async function findJournals(chats: vscode.Uri): Promise<FindJournals | undefined> {
  if (chats.scheme !== 'file') return undefined;
  const program = await findRipgrep(vscode.env.appRoot);
  return program === undefined ? undefined : findJournalsIn(chats.fsPath, program);
}
