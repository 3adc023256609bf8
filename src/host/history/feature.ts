import * as vscode from 'vscode';
import { background } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import type { RecentChat } from '../../protocol/messages.ts';
import type { ChatStorage } from '../chat/chatStorage.ts';
import type { OpenChats } from '../chat/openChats.ts';
import { UnsavedText } from '../journal/unsavedText.ts';
import type { CommandsOf } from '../commands.ts';
import type { Keys } from '../connection/keys.ts';
import { notify, windowDialogs } from '../dialogs.ts';
import { startOfDialog } from '../workspace/location.ts';
import { firstFolder, type HostWindow } from '../workspace/window.ts';
import { ChatFiles, type FileDialogs } from './chatFiles.ts';
import { ChatHistory } from './chatHistory.ts';
import { ChatSearch, findJournalsIn } from './chatSearch.ts';
import { Deletion } from './deletion.ts';
import { KeptChatCommands } from './keptChatCommands.ts';
import { KeptChats } from './keptChats.ts';
import { SavedChats } from './savedChats.ts';
import type { ChatTrash } from './trash.ts';

export interface HistoryNeeds {
  readonly chats: OpenChats;
  readonly storage: ChatStorage;
  readonly trash: ChatTrash;
  readonly keys: Keys;
  /** Called when a chat was added, named, pinned, deleted or brought back. */
  readonly onDidChange: () => void;
}

/** The list of saved chats, and the commands on them. */
export interface HistoryFeature {
  readonly titles: () => Promise<ReadonlyMap<string, string>>;
  readonly recent: () => Promise<readonly RecentChat[]>;
  /** Deletes a chat without a notice. It can be restored like any other. */
  readonly discard: (id: string) => Promise<void>;
  readonly commands: CommandsOf<'history'>;
}

export async function createHistory(
  { context, errors, keptFiles, log, node, redactor }: HostWindow,
  { storage, trash, keys, chats: open, onDidChange }: HistoryNeeds,
): Promise<HistoryFeature> {
  const { journals, images, locks } = storage;
  const onError = (what: string, error: unknown): void => log.error(what, error);
  const workspace = firstFolder();
  const chats = new KeptChats({
    storage: journals,
    locks,
    open,
    onDidChange,
    workspace,
    clock: systemClock,
  });
  const deletion = new Deletion({
    chats,
    open,
    trash,
    storage: journals,
    unsaved: new UnsavedText(context.workspaceState),
    dialogs: windowDialogs,
    notify: async (message, button) => (await notify('information', message, button)) === button,
    onError: (error) => background(errors.show(error, 'Deleting chats')),
    language: vscode.env.language,
    clock: systemClock,
    onDidChange,
  });
  // Without ripgrep or a disk, all chats are read instead.
  const journalFolder = vscode.Uri.joinPath(context.globalStorageUri, 'chats');
  const ripgrep = journalFolder.scheme === 'file' ? await node?.ripgrep() : undefined;
  const find = ripgrep && findJournalsIn(journalFolder.fsPath, ripgrep);
  // Next to the folder of the chats, in which every file is a chat.
  const heads = 'heads.json';
  const cache = {
    read: () => keptFiles.read(heads),
    write: (text: string) => keptFiles.write(heads, text),
  };
  const history = new ChatHistory({
    chats: new SavedChats({ journals, cache, onError }),
    search: new ChatSearch({ journals, find, clock: systemClock, onError }),
    journals,
    opening: open,
    deleted: () => deletion.deleted(),
    workspace,
    machine: vscode.env.remoteName === undefined ? '' : (node?.machine().host ?? ''),
    onError,
  });
  const files = new ChatFiles({
    chats,
    images,
    dialogs: windowDialogs,
    files: fileDialogs,
    folder: vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(''),
    learned: () => keys.learned(),
    redact: (text) => redactor.redact(text),
  });
  const commands = new KeptChatCommands({
    chats,
    images,
    files,
    deletion,
    open,
    copy: (text) => vscode.env.clipboard.writeText(text),
    dialogs: windowDialogs,
  });
  return {
    titles: () => history.titles(),
    recent: () => history.recent(),
    discard: (id) => deletion.discard(id),
    commands: {
      openChat: (chat) => history.open(chat),
      renameChat: (ids, title) => commands.rename(ids, title),
      forkChat: (chat, turn) => commands.fork(chat, turn),
      pinChat: (ids) => commands.pin(ids),
      copyChat: (ids) => commands.copy(ids),
      exportChat: (ids, target) => commands.export(ids, target),
      exportAllChats: (folder) => commands.exportAll(folder),
      importChat: (uris) => commands.import(uris),
      importChats: (folder) => commands.importAll(folder),
      deleteChat: (ids) => commands.delete(ids),
      deleteAllChats: () => deletion.deleteAll(),
    },
  };
}

const fileDialogs: FileDialogs = {
  save: (defaultUri) =>
    vscode.window.showSaveDialog({ defaultUri, title: vscode.l10n.t('Save Chat') }),
  async openFolder(purpose) {
    const [title, openLabel] =
      purpose === 'export'
        ? [vscode.l10n.t('Select a Folder for the Chats'), vscode.l10n.t('Export')]
        : [vscode.l10n.t('Select a Folder with Chats'), vscode.l10n.t('Import')];
    const only = { ...startOfDialog(), canSelectFolders: true, canSelectFiles: false };
    return (await vscode.window.showOpenDialog({ ...only, title, openLabel }))?.[0];
  },
  openFiles: () =>
    vscode.window.showOpenDialog({
      ...startOfDialog(),
      canSelectMany: true,
      filters: { JSON: ['json'] },
      title: vscode.l10n.t('Import Chat'),
      openLabel: vscode.l10n.t('Import'),
    }),
};
