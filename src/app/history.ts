import * as vscode from 'vscode';
import { systemClock } from '../core/support/clock.ts';
import type { JournalFiles } from '../host/journal/journalFiles.ts';
import { ChatSearch, type FindJournals } from '../host/history/chatSearch.ts';
import {
  ChatHistory,
  type ChatHistoryOptions,
  type ChatOpening,
} from '../host/history/chatHistory.ts';
import { findJournalsIn } from '../host/history/journalSearch.ts';
import { SavedChats, type StoredText } from '../host/history/savedChats.ts';
import type { KeptFiles } from '../host/keptFiles.ts';
import type { Log } from '../host/log.ts';
import type { NodePlatform } from '../host/workspace/platform.ts';

interface HistoryOptions {
  readonly context: vscode.ExtensionContext;
  /** Undefined in a browser. */
  readonly node: NodePlatform | undefined;
  readonly keptFiles: KeptFiles;
  readonly log: Log;
  readonly storage: JournalFiles;
  readonly opening: ChatOpening;
  readonly deleted: NonNullable<ChatHistoryOptions['deleted']>;
}

/** Creates the list of saved chats and the search in them. */
export async function createChatHistory(options: HistoryOptions): Promise<ChatHistory> {
  const { node, keptFiles, log, storage: journals, opening, deleted } = options;
  const onError = (what: string, error: unknown): void => log.error(what, error);
  const find = await findJournals(options);
  return new ChatHistory({
    chats: new SavedChats({ journals, cache: headCache(keptFiles), onError }),
    search: new ChatSearch({ journals, find, clock: systemClock, onError }),
    journals,
    opening,
    deleted,
    workspace: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? '',
    machine: vscode.env.remoteName === undefined ? '' : (node?.machine().host ?? ''),
    onError,
  });
}

/** Finds journals with ripgrep. Undefined without ripgrep or a disk: all chats are read instead. */
async function findJournals({ context, node }: HistoryOptions): Promise<FindJournals | undefined> {
  const chats = vscode.Uri.joinPath(context.globalStorageUri, 'chats');
  const program = chats.scheme === 'file' ? await node?.ripgrep() : undefined;
  return program && findJournalsIn(chats.fsPath, program);
}

/** Stored beside the folder of the chats, since every file in there is a chat. */
function headCache(keptFiles: KeptFiles): StoredText {
  const file = 'heads.json';
  return { read: () => keptFiles.read(file), write: (text) => keptFiles.write(file, text) };
}
