import * as vscode from 'vscode';
import type { Conversation } from '../../core/conversation/conversation.ts';
import { systemClock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/event.ts';
import type { CommandsOf } from '../commands.ts';
import { windowDialogs } from '../dialogs.ts';
import type { OpenPage } from '../page.ts';
import type { HostWindow } from '../workspace/window.ts';
import { setBudget } from './budgetCommand.ts';
import type { UsageOptions } from './statusBar.ts';
import type { TokenRatios } from './tokenRatios.ts';
import { UsageCommands, type ChosenFile } from './usageCommands.ts';
import { localDay } from './usageRecord.ts';
import { UsageTab, type UsageTabOptions } from './usageTab.ts';

export interface UsageNeeds {
  readonly usage: UsageOptions;
  readonly ratios: TokenRatios;
  readonly conversation: () => Conversation;
  readonly titles: UsageTabOptions['titles'];
  readonly openPage: OpenPage;
}

export interface UsageFeature extends Disposable {
  readonly commands: CommandsOf<'usage'>;
  readonly tab: UsageTab;
}

export function createUsage(window: HostWindow, needs: UsageNeeds): UsageFeature {
  const { context, settings, errors, log } = window;
  const { usage, ratios, conversation, titles, openPage } = needs;
  const { ledger } = usage;
  const tab = new UsageTab({
    ...usage,
    ratios,
    clock: systemClock,
    conversation,
    titles,
    host: {
      extensionUri: context.extensionUri,
      openPage,
      clock: systemClock,
      refusal: errors.refusal,
      onError: (error) => log.error('Showing the usage', error),
    },
  });
  const commands = new UsageCommands({
    ledger,
    dialogs: windowDialogs,
    chooseFile,
    today: () => localDay(systemClock.wall()),
    language: vscode.env.language,
    onDidDelete: () => tab.update(),
  });
  return {
    commands: {
      showUsage: () => tab.show(),
      resetUsage: () => commands.reset(),
      exportUsage: (range) => commands.export(range),
      deleteUsage: () => commands.delete(),
      setBudget: () =>
        setBudget({
          settings,
          dialogs: windowDialogs,
          language: vscode.env.language,
        }),
    },
    tab,
    dispose: () => tab.dispose(),
  };
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
