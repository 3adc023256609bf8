import * as vscode from 'vscode';
import { zeroUsage } from '../../core/conversation/usage.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { wasUsed } from '../firstStart.ts';
import { commands, modelSetting, statusBarItem } from '../contributions.ts';
import type { ConfigurationInspection } from '../settingValues.ts';
import { statusLabel, statusText } from './usageTable.ts';

/** Milliseconds after which a window has usually finished starting. */
const afterStart = 3_000;

/**
 * The status bar item before other modules are loaded. It shows the model in the settings, once the
 * extensions that start with this one had their turn.
 */
export class InitialStatusBar implements Disposable {
  #item: vscode.StatusBarItem | undefined;
  readonly #listening: Disposable[];

  /** @param load called if there is more to show than the model */
  constructor(context: vscode.ExtensionContext, load: () => unknown) {
    this.#listening = [
      after(0, () => (this.#item ??= makeItem())),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('aside')) load();
      }),
    ];
    if (wasUsed(context)) this.#listening.push(after(afterStart, load));
  }

  /** Passes the item to the caller, who updates it from then on. */
  handOver(): vscode.StatusBarItem {
    disposeAll(this.#listening.splice(0));
    return (this.#item ??= makeItem());
  }

  dispose(): void {
    disposeAll(this.#listening.splice(0));
    this.#item?.dispose();
  }
}

function makeItem(): vscode.StatusBarItem {
  const { Right } = vscode.StatusBarAlignment;
  const item = vscode.window.createStatusBarItem(statusBarItem, Right, 100);
  const model = configuredModel(vscode.workspace.getConfiguration().inspect(modelSetting));
  item.name = vscode.l10n.t('Aside: Token Usage');
  item.command = commands.showUsage;
  item.tooltip = item.name;
  item.text = statusText(model, zeroUsage);
  item.accessibilityInformation = { label: statusLabel(model, zeroUsage) };
  item.show();
  return item;
}

function after(milliseconds: number, act: () => unknown): Disposable {
  const timer = setTimeout(act, milliseconds);
  return { dispose: () => clearTimeout(timer) };
}

/**
 * The model in the settings; empty if there is none. A workspace setting takes precedence, as in
 * `readSettings`, which isn't loaded yet.
 */
function configuredModel({ workspaceValue, globalValue }: ConfigurationInspection = {}): string {
  return textOf(workspaceValue) || textOf(globalValue);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
