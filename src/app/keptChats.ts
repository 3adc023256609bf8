import * as vscode from 'vscode';
import { background } from '../core/support/background.ts';
import { systemClock } from '../core/support/clock.ts';
import type { ImageFiles } from '../host/chat/imageFiles.ts';
import type { JournalFiles } from '../host/journal/journalFiles.ts';
import type { Leases } from '../host/leases.ts';
import { UnsavedText } from '../host/journal/unsavedText.ts';
import { notify, windowDialogs } from '../host/dialogs.ts';
import { ChatFiles, type FileDialogs } from '../host/history/chatFiles.ts';
import { Deletion } from '../host/history/deletion.ts';
import { KeptChatCommands } from '../host/history/keptChatCommands.ts';
import { KeptChats, type OpenChatsFace } from '../host/history/keptChats.ts';
import type { ChatTrash } from '../host/history/trash.ts';
import { startOfDialog } from '../host/workspace/location.ts';
import type { Base } from './hostWindow.ts';

export interface KeptChatFeaturesOptions extends Base {
  readonly storage: JournalFiles;
  readonly imageFiles: ImageFiles;
  readonly trash: ChatTrash;
  readonly leases: Leases;
  readonly open: OpenChatsFace;
  readonly onDidChange: () => void;
}

/** Renaming, deleting, export and import: modules that run when the first of them is used. */
export interface KeptChatFeatures {
  readonly commands: KeptChatCommands;
  readonly deletion: Deletion;
}

export function createKeptChatFeatures(options: KeptChatFeaturesOptions): KeptChatFeatures {
  const {
    context,
    keys,
    redactor,
    storage,
    imageFiles: images,
    trash,
    open,
    onDidChange,
  } = options;
  const workspace = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chats = new KeptChats({
    ...options,
    workspace: workspace?.toString() ?? '',
    clock: systemClock,
  });
  const deletion = new Deletion({
    chats,
    open,
    trash,
    storage,
    unsaved: new UnsavedText(context.workspaceState),
    dialogs: windowDialogs,
    notify: async (message, button) => {
      return (await notify('information', message, button)) === button;
    },
    onError: (error) => background(options.errors.show(error, 'Deleting chats')),
    language: vscode.env.language,
    clock: systemClock,
    onDidChange,
  });
  const files = new ChatFiles({
    chats,
    images,
    dialogs: windowDialogs,
    files: fileDialogs,
    folder: workspace ?? vscode.Uri.file(''),
    learned: () => keys.learned(),
    redact: (text) => redactor.redact(text),
  });
  const copy = (text: string): Thenable<void> => vscode.env.clipboard.writeText(text);
  const commands = new KeptChatCommands({
    ...{ chats, images, files, deletion, open, copy },
    dialogs: windowDialogs,
  });
  return { commands, deletion };
}

const fileDialogs: FileDialogs = {
  save: (defaultUri) =>
    vscode.window.showSaveDialog({ defaultUri, title: vscode.l10n.t('Save Chat') }),
  async openFolder() {
    const title = vscode.l10n.t('Select a Folder for the Chats');
    const openLabel = vscode.l10n.t('Export');
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
