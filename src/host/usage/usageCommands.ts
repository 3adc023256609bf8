import * as vscode from 'vscode';
import { counted } from '../../core/support/counted.ts';
import { usageRanges } from '../../protocol/usageMessages.ts';
import type { Dialogs } from '../dialogs.ts';
import type { UsageLog } from './usageLog.ts';
import { usageCsv } from './usageCsv.ts';
import { firstDay } from './usageOverview.ts';
import { monthOf, monthsLater, type StoredUsage } from './usageRecord.ts';

/**
 * Writes a line of CSV for each request.
 *
 * @param save saves a text in a file that the person chooses, and resolves with its path; undefined
 *   if they cancel
 * @param argument the range that the tab shows; any other value exports all requests
 */
export async function exportUsage(
  log: UsageLog,
  dialogs: Dialogs,
  save: typeof saveFile,
  argument?: unknown,
): Promise<void> {
  const range = usageRanges.find((name) => name === argument) ?? 'all';
  const first = firstDay(range, log.today);
  const months = (await log.months()).filter((month) => month >= monthOf(first));
  if (months.length === 0) {
    dialogs.showInformation(vscode.l10n.t('There is no token usage to export yet.'));
    return;
  }
  const path = await save(`token-usage-${log.today}.csv`, async () => {
    let requests: readonly StoredUsage[] = [];
    for (const month of months) requests = [...requests, ...(await log.requests(month))];
    return usageCsv(requests.filter(({ day }) => day >= first));
  });
  if (path !== undefined)
    dialogs.showInformation(vscode.l10n.t('The token usage was exported to {0}.', path));
}

export async function saveFile(
  name: string,
  read: () => Promise<string>,
): Promise<string | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('');
  const file = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(folder, name),
    filters: { CSV: ['csv'] },
    title: vscode.l10n.t('Export Token Usage'),
  });
  if (file !== undefined)
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(await read()));
  return file?.fsPath;
}

/** Deletes whole months that don't count in a budget. */
export async function deleteUsage(log: UsageLog, dialogs: Dialogs): Promise<void> {
  const months = await log.deletable();
  if (months.length === 0) {
    dialogs.showInformation(
      vscode.l10n.t('There is no token usage from before this month to delete.'),
    );
    return;
  }
  const { language } = vscode.env;
  const nameOf = (month: string): string =>
    new Date(`${month}-15T12:00`).toLocaleDateString(language, { month: 'long', year: 'numeric' });
  // Months before which everything can be deleted, latest first.
  const choices = months.map((month, index) => {
    const next = monthsLater(month, 1);
    const description =
      index === 0
        ? vscode.l10n.t('deletes 1 month')
        : counted(vscode.l10n.t('deletes {0} months'), index + 1, language);
    return { label: nameOf(next), description, value: next };
  });
  const title = vscode.l10n.t('Delete Token Usage Before');
  const chosen = await dialogs.pick(choices.toReversed(), title);
  if (chosen === undefined) return;
  const isSure = await dialogs.confirm(
    vscode.l10n.t('Delete the token usage from before {0}?', nameOf(chosen)),
    vscode.l10n.t("Chats and later usage are kept. This can't be undone."),
    vscode.l10n.t('Delete'),
  );
  if (!isSure) return;
  await log.remove(months.filter((month) => month < chosen));
  dialogs.showInformation(
    vscode.l10n.t('The token usage from before {0} was deleted.', nameOf(chosen)),
  );
}
