import * as vscode from 'vscode';
import { counted } from '../../core/support/counted.ts';
import { usageRanges } from '../../protocol/usageMessages.ts';
import type { Dialogs } from '../dialogs.ts';
import type { Ledger } from './ledger.ts';
import { csvHeading, csvLines } from './usageCsv.ts';
import { monthOf, monthsLater } from './usageRecord.ts';
import { firstDay } from './usageOverview.ts';

export interface UsageCommandsOptions {
  readonly ledger: Ledger;
  readonly dialogs: Dialogs;
  /** Lets the person choose a file with this name; undefined if they cancel. */
  readonly chooseFile: (name: string) => Promise<ChosenFile | undefined>;
  readonly today: () => string;
  /** VS Code's display language, for the names of months. */
  readonly language: string;
  /** Called when months were deleted. */
  readonly onDidDelete: () => void;
}

export interface ChosenFile {
  readonly path: string;
  write(bytes: Uint8Array): Promise<void>;
}

/** `aside.exportUsage`, `aside.deleteUsage` and `aside.resetUsage`. */
export class UsageCommands {
  readonly #options: UsageCommandsOptions;

  constructor(options: UsageCommandsOptions) {
    this.#options = options;
  }

  /**
   * Writes a line of CSV for each request.
   *
   * @param argument the range that the tab shows; any other value exports all requests
   */
  async export(argument?: unknown): Promise<void> {
    const { ledger, dialogs, chooseFile, today } = this.#options;
    const range = usageRanges.find((name) => name === argument) ?? 'all';
    const first = firstDay(range, today());
    const months = (await ledger.log.months()).filter((month) => month >= monthOf(first));
    if (months.length === 0) {
      dialogs.showInformation(vscode.l10n.t('There is no token usage to export yet.'));
      return;
    }
    const file = await chooseFile(`token-usage-${today()}.csv`);
    if (file === undefined) return;
    const parts = [csvHeading()];
    for (const month of months) {
      const requests = await ledger.log.requests(month);
      parts.push(csvLines(requests.filter(({ day }) => day >= first)));
    }
    await file.write(new TextEncoder().encode(parts.join('')));
    dialogs.showInformation(vscode.l10n.t('The token usage was exported to {0}.', file.path));
  }

  /** Deletes whole months that don't count in a budget. */
  async delete(): Promise<void> {
    const { ledger, dialogs, onDidDelete } = this.#options;
    const months = await ledger.log.deletable();
    if (months.length === 0) {
      dialogs.showInformation(
        vscode.l10n.t('There is no token usage from before this month to delete.'),
      );
      return;
    }
    const chosen = await dialogs.pick(
      this.#choices(months),
      vscode.l10n.t('Delete Token Usage Before'),
    );
    if (chosen === undefined) return;
    const isSure = await dialogs.confirm(
      vscode.l10n.t('Delete the token usage from before {0}?', this.#nameOf(chosen)),
      vscode.l10n.t("Chats and later usage are kept. This can't be undone."),
      vscode.l10n.t('Delete'),
    );
    if (!isSure) return;
    await ledger.log.remove(months.filter((month) => month < chosen));
    onDidDelete();
    dialogs.showInformation(
      vscode.l10n.t('The token usage from before {0} was deleted.', this.#nameOf(chosen)),
    );
  }

  reset(): void {
    const { ledger, dialogs } = this.#options;
    ledger.resetSession();
    dialogs.showStatus(vscode.l10n.t("Session usage was reset. Today's usage is unchanged."));
  }

  /** Months before which everything can be deleted, latest first. */
  #choices(months: readonly string[]) {
    const { language } = this.#options;
    return months
      .map((month, index) => {
        const next = monthsLater(month, 1);
        const count = index + 1;
        const description =
          count === 1
            ? vscode.l10n.t('deletes 1 month')
            : counted(vscode.l10n.t('deletes {0} months'), count, language);
        return { label: this.#nameOf(next), description, value: next };
      })
      .toReversed();
  }

  #nameOf(month: string): string {
    const [year = 0, number = 1] = month.split('-').map(Number);
    const { language } = this.#options;
    return new Date(year, number - 1, 15).toLocaleDateString(language, {
      month: 'long',
      year: 'numeric',
    });
  }
}
