import * as vscode from 'vscode';
import type { l10n } from 'vscode';
import { usageContext, type UsageOptions } from './statusBar.ts';
import { usageRows, type UsageByModel, type UsageContext } from './usageTable.ts';

interface UsageItem extends vscode.QuickPickItem {
  readonly run?: () => unknown;
}

/** `aside.showUsage` and `aside.resetUsage`. */
export class UsageView {
  readonly #options: UsageOptions;

  constructor(options: UsageOptions) {
    this.#options = options;
  }

  /** Shows all numbers, also by model, and related actions. */
  async show(): Promise<void> {
    const { chat, ledger } = this.#options;
    await ledger.refresh();
    const items: UsageItem[] = [
      ...this.#sums(vscode.l10n.t('This chat'), chat()),
      ...this.#sums(vscode.l10n.t('This session'), ledger.session),
      ...this.#sums(vscode.l10n.t('Today'), ledger.today),
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      {
        label: `$(debug-restart) ${vscode.l10n.t('Reset Session')}`,
        run: () => this.reset(),
      },
    ];
    const chosen = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Token Usage'),
      placeHolder: vscode.l10n.t('≈ marks values estimated by Aside'),
      matchOnDetail: true,
    });
    await chosen?.run?.();
  }

  reset(): void {
    this.#options.ledger.resetSession();
    void vscode.window.showInformationMessage(
      vscode.l10n.t("Session usage was reset. Today's usage is unchanged."),
    );
  }

  #sums(title: string, usage: UsageByModel): UsageItem[] {
    const context = usageContext(this.#options.settings);
    return [
      { label: title, kind: vscode.QuickPickItemKind.Separator },
      ...describeUsage(usage, context),
    ];
  }
}

type L10n = Pick<typeof l10n, 't'>;

interface DescribedUsage {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

/** The numbers of one column as lines: the sum, then each model where there are several. */
export function describeUsage(usage: UsageByModel, context: UsageContext): DescribedUsage[] {
  const { l10n }: { l10n: L10n } = context;
  const [first = ''] = usage.keys();
  if (usage.size < 2) return [describe(usage, first, context)];
  const models = [...usage].toSorted(([, a], [, b]) => b.total_tokens - a.total_tokens);
  return [
    describe(usage, l10n.t('{0} models', usage.size), context),
    ...models.map(([id, own]) => describe(new Map([[id, own]]), id, context)),
  ];
}

function describe(usage: UsageByModel, whose: string, context: UsageContext): DescribedUsage {
  const { l10n }: { l10n: L10n } = context;
  const rows = usageRows([usage], context).map(({ name, label, values: [value = ''] }) => {
    return { name, text: `${label} ${value}`, value };
  });
  const valueOf = (wanted: string): string[] =>
    rows.filter(({ name }) => name === wanted).map(({ value }) => value);
  return {
    label: [l10n.t('{0} tokens', valueOf('total').join()), ...valueOf('cost')].join(' · '),
    // The id comes from the service and must not become an icon.
    description: whose.replaceAll('$(', '$ ('),
    detail: rows
      .filter(({ name }) => name !== 'total' && name !== 'cost')
      .map(({ text }) => text)
      .join(' · '),
  };
}
