import * as vscode from 'vscode';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { commands, settingIds, statusBarItem } from '../contributions.ts';
import type { ConfigurationInspection } from '../settingValues.ts';
import { statusLabel, statusText } from './usageTable.ts';

/** Milliseconds: by then, a window that was just opened has come to rest. */
const afterStart = 3_000;

/** The item in the status bar while nothing else is loaded: the model that the settings say. */
export class InitialStatusBar implements Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #listening: Disposable[];

  /** @param load is called when there is more to show than the model. */
  constructor(context: vscode.ExtensionContext, load: () => unknown) {
    this.#item = makeItem();
    this.#listening = [
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('aside')) load();
      }),
    ];
    if (hasHistory(context)) this.#listening.push(after(afterStart, load));
  }

  /** Leaves what the item shows to whoever takes it. */
  handOver(): vscode.StatusBarItem {
    disposeAll(this.#listening.splice(0));
    return this.#item;
  }

  dispose(): void {
    this.handOver().dispose();
  }
}

function makeItem(): vscode.StatusBarItem {
  const { Right } = vscode.StatusBarAlignment;
  const item = vscode.window.createStatusBarItem(statusBarItem, Right, 100);
  const model = configuredModel(vscode.workspace.getConfiguration().inspect(settingIds.model));
  const nothing = new Map();
  item.name = vscode.l10n.t('Aside: Token Usage');
  item.command = commands.showUsage;
  item.tooltip = item.name;
  item.text = statusText(model, nothing);
  item.accessibilityInformation = { label: statusLabel(model, nothing, vscode.l10n) };
  item.show();
  return item;
}

/** Whether Aside was used before: then today's tokens, the chat, or the demo are to be shown. */
function hasHistory({ globalState, workspaceState }: vscode.ExtensionContext): boolean {
  return globalState.keys().length + workspaceState.keys().length > 0;
}

function after(milliseconds: number, act: () => unknown): Disposable {
  const timer = setTimeout(act, milliseconds);
  return { dispose: () => clearTimeout(timer) };
}

/**
 * The model that the setting says, empty where it says none; the workspace's choice comes first.
 * The same as in `readSettings`, without the rest of it.
 */
export function configuredModel({
  workspaceValue,
  globalValue,
}: ConfigurationInspection = {}): string {
  return textOf(workspaceValue) || textOf(globalValue);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
