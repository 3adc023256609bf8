import * as vscode from 'vscode';
import { systemClock } from '../core/support/clock.ts';
import { paidUsage, type UsageByModel } from '../host/usage/usageTable.ts';
import { windowDialogs } from '../host/dialogs.ts';
import type { OpenChats } from '../host/chat/openChats.ts';
import type { OpenPage } from '../host/page.ts';
import type { UsageOptions } from '../host/usage/statusBar.ts';
import { UsageCommands, type ChosenFile } from '../host/usage/usageCommands.ts';
import { UsageHistory } from '../host/usage/usageHistory.ts';
import { localDay } from '../host/usage/usageRecord.ts';
import { UsageTab } from '../host/usage/usageTab.ts';
import type { Base } from './hostWindow.ts';
import type { ConnectionServices } from './connection.ts';

export interface UsageFeaturesOptions {
  readonly base: Base;
  readonly connection: ConnectionServices;
  readonly chats: OpenChats;
  readonly usage: UsageOptions;
  readonly titles: () => Promise<ReadonlyMap<string, string>>;
  readonly openPage: OpenPage;
}

/** The tab with the usage, and the commands on the log. */
export interface UsageFeatures {
  readonly tab: UsageTab;
  readonly commands: UsageCommands;
}

export function createUsageFeatures(options: UsageFeaturesOptions): UsageFeatures {
  const { base, connection, chats, usage, titles, openPage } = options;
  const { ledger, ratios } = connection;
  const { extensionUri } = base.context;
  const history = new UsageHistory({
    files: base.keptFiles.folder('usage'),
    ledger,
    clock: systemClock,
    onError: (what, error) => base.log.error(what, error),
  });
  const tab = new UsageTab({
    ...usage,
    history,
    ratios,
    clock: systemClock,
    account: {
      id: () => chats.current().conversation.id,
      usage: (): UsageByModel => paidUsage(chats.current().conversation),
      demoUsage: (): UsageByModel =>
        new Map(Object.entries(chats.current().conversation.demoUsage ?? {})),
    },
    titles,
    extensionUri,
    openPage,
    onError: (error) => base.log.error('Showing the usage', error),
  });
  const commands = new UsageCommands({
    history,
    ledger,
    dialogs: windowDialogs,
    chooseFile,
    today: () => localDay(systemClock.wall()),
    language: vscode.env.language,
    onDidDelete: () => tab.update(),
  });
  return { tab, commands };
}

async function chooseFile(name: string): Promise<ChosenFile | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('');
  const chosen = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(folder, name),
    filters: { CSV: ['csv'] },
    title: vscode.l10n.t('Export Token Usage'),
  });
  if (chosen === undefined) return undefined;
  return {
    path: chosen.fsPath,
    write: async (bytes) => vscode.workspace.fs.writeFile(chosen, bytes),
  };
}
