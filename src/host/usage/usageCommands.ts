import * as vscode from 'vscode';
import { counted } from '../../core/support/counted.ts';
import { usageRanges } from '../../protocol/usageMessages.ts';
import type { Dialogs } from '../platform/dialogs.ts';
import type { UsageLog } from './usageLog.ts';
import { knownCost } from '../../core/conversation/usage.ts';
import { firstDay, monthOf, monthsLater, type UsageRecord } from './usageRecord.ts';

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
    let requests: readonly UsageRecord[] = [];
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

type Cell = string | number | undefined;

const columns: readonly (readonly [name: string, value: (request: UsageRecord) => Cell])[] = [
  [
    'time',
    ({ at }) => {
      const date = new Date(at);
      return Number.isNaN(date.getTime()) ? '' : date.toISOString();
    },
  ],
  ['day', ({ day }) => day],
  ['service', ({ service }) => service],
  ['model', ({ model }) => model],
  ['workspace', ({ workspace }) => workspace],
  ['chat', ({ chat }) => chat],
  ['turn', ({ turn }) => turn],
  ['purpose', ({ purpose }) => purpose],
  ['prompt_tokens', ({ usage }) => usage.prompt_tokens],
  ['cached_tokens', ({ usage }) => usage.cached_tokens],
  ['cache_write_tokens', ({ usage }) => usage.written_tokens ?? 0],
  ['completion_tokens', ({ usage }) => usage.completion_tokens],
  ['reasoning_tokens', ({ usage }) => usage.reasoning_tokens ?? 0],
  ['retried_tokens', ({ usage }) => usage.retried_tokens ?? 0],
  ['total_tokens', ({ usage }) => usage.total_tokens],
  ['requests', ({ usage }) => usage.requests],
  ['estimated', ({ usage }) => String(usage.estimated)],
  ['input_price_per_million', ({ price }) => price?.input],
  ['cached_input_price_per_million', ({ price }) => price && (price.cachedInput ?? price.input)],
  ['output_price_per_million', ({ price }) => price?.output],
  ['currency', ({ price }) => price?.currency],
  ['cost', ({ usage, price }) => knownCost(usage, price)],
  ['billed_usd', ({ usage }) => usage.billed],
  ['duration_ms', ({ duration }) => duration],
  ['outcome', ({ state, outcome }) => (state === 'sent' ? 'open' : outcome)],
  ['tokens_over_reserve', ({ overrun }) => overrun],
  ['demo', ({ demo }) => String(demo)],
];

/** A heading and a line for each request. The byte order mark identifies UTF-8 for spreadsheets. */
export function usageCsv(requests: readonly UsageRecord[]): string {
  const heading = columns.map(([name]) => name);
  const lines = requests.map((request) => columns.map(([, value]) => csvField(value(request))));
  return `\ufeff${[heading, ...lines].map((fields) => `${fields.join()}\r\n`).join('')}`;
}

/**
 * A field that a spreadsheet shows unchanged. Text that would run as a formula is prefixed with
 * `'`, since names of models come from the service.
 */
function csvField(value: Cell): string {
  if (value === undefined) return '';
  if (typeof value === 'number') {
    // Not every program supports exponents.
    const text = String(value);
    return text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
  }
  const harmless = /^[\s\p{C}]*[=+\-@|%＝＋－＠]|^[\t\r\n]/u.test(value) ? `'${value}` : value;
  return /[",;\r\n\t]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
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
