import * as vscode from 'vscode';
import { effortLevels } from '../../protocol/rpc.ts';

/** The words for an amount of reasoning; those of a service alone stay as they are. */
export function effortName(effort: string | undefined): string {
  switch (effort) {
    case undefined:
      return vscode.l10n.t('Default');
    case 'low':
      return vscode.l10n.t('Low');
    case 'medium':
      return vscode.l10n.t('Medium');
    case 'high':
      return vscode.l10n.t('High');
    default:
      return effort;
  }
}

/** Lets the person choose how much a model thinks; undefined if they cancel. */
export async function pickEffort(
  model: string,
  current: string | undefined,
): Promise<{ readonly effort: string | undefined } | undefined> {
  const items = [undefined, ...effortLevels].map((effort) => ({
    label: effortName(effort),
    description: effort === current ? vscode.l10n.t('current') : '',
    effort,
  }));
  return vscode.window.showQuickPick(items, {
    title: model,
    placeHolder: vscode.l10n.t('How much the model thinks before it replies'),
  });
}
