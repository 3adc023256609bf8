import * as vscode from 'vscode';
import {
  formatTokens,
  shortModelName,
  zeroUsage,
  type Usage,
} from '../../core/conversation/usage.ts';
import { commands, modelSetting, statusBarItem } from '../contributions.ts';

/**
 * Shows the status bar item with the model in the settings. `UsageStatusBar` updates it once it is
 * loaded.
 */
export function showStatusItem(): vscode.StatusBarItem {
  const { Right } = vscode.StatusBarAlignment;
  const item = vscode.window.createStatusBarItem(statusBarItem, Right, 100);
  const set = vscode.workspace.getConfiguration().inspect(modelSetting);
  // As in `readSettings`, which isn't loaded yet, a workspace setting takes precedence.
  const model = trimmed(set?.workspaceValue) || trimmed(set?.globalValue);
  item.name = vscode.l10n.t('Aside: Token Usage');
  item.command = commands.showUsage;
  item.tooltip = item.name;
  item.text = statusText(model, zeroUsage);
  item.accessibilityInformation = { label: statusLabel(model, zeroUsage) };
  item.show();
  return item;
}

function trimmed(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

const icon = '$(comment-discussion)';
const maxNameLength = 32;

/** The text of the status bar: the model without its provider, and the session's tokens. */
export function statusText(model: string, { estimated, total_tokens }: Usage): string {
  if (model === '') return `${icon} Aside`;
  const name = shortModelName(model);
  const short = name.length > maxNameLength ? `${name.slice(0, maxNameLength - 1)}…` : name;
  // A single 0 after a name looks like a part of it.
  const tokens = total_tokens === 0 ? '' : ` ${formatTokens(total_tokens, estimated)}`;
  // The id comes from the service and must not become an icon.
  return `${icon} ${short.replaceAll('$(', '$ (')}${tokens}`;
}

export function statusLabel(model: string, { estimated, total_tokens }: Usage): string {
  if (model === '') return vscode.l10n.t('Aside, no model selected');
  const tokens = formatTokens(total_tokens, estimated);
  return vscode.l10n.t('Aside, model {0}, {1} tokens in this session', model, tokens);
}
