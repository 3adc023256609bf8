import * as vscode from 'vscode';
import { usageContext, type UsageSources } from './statusBar.ts';
import type { UsageByModel } from './usageByModel.ts';
import { describeUsage } from './describeUsage.ts';

interface UsageItem extends vscode.QuickPickItem {
  readonly run?: () => unknown;
}

/** `aside.showUsage` and `aside.resetUsage`. */
export class UsageView {
  readonly #sources: UsageSources;

  constructor(sources: UsageSources) {
    this.#sources = sources;
  }

  /** Shows every number, also by model, and what one may want to do about them. */
  async show(): Promise<void> {
    const { chat, ledger } = this.#sources;
    const items: UsageItem[] = [
      ...this.#sums(vscode.l10n.t('This chat'), chat()),
      ...this.#sums(vscode.l10n.t('This session'), ledger.session),
      ...this.#sums(vscode.l10n.t('Today'), ledger.today),
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      {
        label: `$(debug-restart) ${vscode.l10n.t('Start the Session Anew')}`,
        run: () => this.reset(),
      },
    ];
    const chosen = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Token Usage'),
      placeHolder: vscode.l10n.t('≈ marks what the service did not report and Aside estimated'),
      matchOnDetail: true,
    });
    await chosen?.run?.();
  }

  reset(): void {
    this.#sources.ledger.resetSession();
    void vscode.window.showInformationMessage(
      vscode.l10n.t('The session starts anew at 0 tokens. The count of today goes on.'),
    );
  }

  #sums(title: string, usage: UsageByModel): UsageItem[] {
    const context = usageContext(this.#sources.settings);
    return [
      { label: title, kind: vscode.QuickPickItemKind.Separator },
      ...describeUsage(usage, context),
    ];
  }
}
