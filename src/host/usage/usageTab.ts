import * as vscode from 'vscode';
import { usageCost } from '../../core/conversation/usage.ts';
import type { Clock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import {
  usageViewMessage,
  type ShownBudget,
  type UsageHostMessage,
  type UsageRange,
  type UsageOverview,
  type UsageTile,
} from '../../protocol/usageMessages.ts';
import { commands, editors } from '../contributions.ts';
import type { OpenPage } from '../page.ts';
import { tightestBudget, type Spending } from './budgets.ts';
import type { ChatAccount } from './requestAdmission.ts';
import { usageContext, type UsageOptions } from './statusBar.ts';
import type { TokenRatios } from './tokenRatios.ts';
import type { UsageHistory } from './usageHistory.ts';
import { localDay, monthOf } from './usageRecord.ts';
import { amountsOf, firstDay, overviewOf } from './usageOverview.ts';
import type { PricedUsage } from './usageSums.ts';
import type { UsageByModel } from './usageTable.ts';

export interface UsageTabOptions extends UsageOptions {
  readonly history: UsageHistory;
  readonly ratios: TokenRatios;
  readonly clock: Clock;
  /** The chat whose usage is that of the open chat. */
  readonly account: Pick<ChatAccount, 'id' | 'usage'>;
  /** The titles of all saved chats by their ids. */
  readonly titles: () => Promise<ReadonlyMap<string, string>>;
  readonly extensionUri: vscode.Uri;
  readonly openPage: OpenPage;
  readonly onError: (error: unknown) => void;
}

/** Milliseconds between two updates: the numbers change with each request of a turn. */
const minInterval = 500;

/** The budget that a tile shows. */
const budgetOf: ReadonlyMap<UsageTile['of'], 'chat' | 'day' | 'month'> = new Map([
  ['chat', 'chat'],
  ['today', 'day'],
  ['month', 'month'],
]);

/** `aside.showUsage`: the tab with the usage, of which a window has one. */
export class UsageTab implements Disposable {
  readonly #options: UsageTabOptions;
  #panel: vscode.WebviewPanel | undefined;
  #listening: readonly Disposable[] = [];
  #range: UsageRange = '30days';
  #titles: ReadonlyMap<string, string> | undefined;
  #waiting: Disposable | undefined;
  #isPosting = false;
  #isOutdated = false;

  constructor(options: UsageTabOptions) {
    this.#options = options;
  }

  /** Shows the tab in front. */
  show(): void {
    if (this.#panel !== undefined) {
      this.#panel.reveal();
      return;
    }
    const { extensionUri, openPage, ledger, settings, onDidChange } = this.#options;
    const title = vscode.l10n.t('Token Usage');
    const panel = vscode.window.createWebviewPanel(editors.usage, title, vscode.ViewColumn.Active);
    panel.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'icon.png');
    this.#panel = panel;
    const update = (): void => this.#updateSoon();
    this.#listening = [
      openPage(panel.webview, extensionUri, 'usage')((message) => this.#receive(message)),
      ledger.onDidChange(update),
      settings.onDidChange(update),
      onDidChange(update),
      panel.onDidChangeViewState(update),
      panel.onDidDispose(() => this.#forget()),
    ];
  }

  /** Shows what has changed, for example after months were deleted. */
  update(): void {
    this.#updateSoon();
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  #forget(): void {
    disposeAll(this.#listening);
    this.#listening = [];
    this.#waiting?.dispose();
    this.#waiting = undefined;
    this.#panel = undefined;
  }

  #receive(given: unknown): void {
    const { data } = usageViewMessage.safeParse(given);
    if (data === undefined) return;
    const { executeCommand } = vscode.commands;
    if (data.type === 'run') void executeCommand(commands[data.command], this.#range);
    else if (data.type === 'open-chat') void executeCommand(commands.openChat, data.id);
    else {
      this.#range = data.range ?? this.#range;
      if (data.type === 'ready') void this.#readTitles();
      void this.#post();
    }
  }

  #updateSoon(): void {
    if (this.#panel?.visible !== true) return;
    this.#waiting ??= this.#options.clock.after(minInterval, () => {
      this.#waiting = undefined;
      void this.#post();
    });
  }

  /** Chats have titles of their own: reading them may take longer than everything else. */
  async #readTitles(): Promise<void> {
    try {
      this.#titles = await this.#options.titles();
      await this.#post();
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** One at a time: what changes meanwhile is posted after it. */
  async #post(): Promise<void> {
    this.#isOutdated = true;
    if (this.#isPosting) return;
    this.#isPosting = true;
    try {
      while (this.#isOutdated) {
        this.#isOutdated = false;
        const message: UsageHostMessage = { type: 'usage', report: await this.#report() };
        void this.#panel?.webview.postMessage(message);
      }
    } catch (error) {
      this.#options.onError(error);
    } finally {
      this.#isPosting = false;
    }
  }

  async #report(): Promise<UsageOverview> {
    const { history, ledger, settings, clock } = this.#options;
    const range = this.#range;
    const today = localDay(clock.wall());
    const sums = await history.sums(monthOf(firstDay(range, today)));
    const isEmpty = sums.length === 0 && (await history.months()).length === 0;
    return {
      range,
      language: vscode.env.language,
      currency: settings.current().currency,
      isEmpty: isEmpty && ledger.session.size === 0,
      tiles: this.#tiles(today),
      ...overviewOf(sums, range, today, this.#titles),
    };
  }

  #tiles(today: string): readonly UsageTile[] {
    const { ledger, account } = this.#options;
    const paid = ledger.sums.filter(({ demo }) => !demo);
    const tiles = [
      ['today', paid.filter(({ day }) => day === today)],
      ['month', paid.filter(({ day }) => monthOf(day) === monthOf(today))],
      ['session', this.#priced(ledger.paidSession)],
      ['chat', this.#priced(account.usage())],
    ] as const;
    return tiles.map(([of, sums]) => ({ of, ...amountsOf(sums), budget: this.#budgetOf(of) }));
  }

  /** Usage that is no part of the log, at the prices of now. */
  #priced(used: UsageByModel): readonly PricedUsage[] {
    const { priceOf, currency } = usageContext(this.#options.settings);
    return [...used].map(([model, usage]) => {
      const price = priceOf(model);
      return price === undefined
        ? { usage, currency: '', cost: 0 }
        : { usage, currency, cost: usageCost(usage, price) };
    });
  }

  #budgetOf(tile: UsageTile['of']): ShownBudget | undefined {
    const { settings, ledger, ratios, account, model } = this.#options;
    const { budget } = settings.current();
    const of = budgetOf.get(tile);
    if (budget === 'invalid' || of === undefined) return undefined;
    const spending: Spending = {
      budget: { unit: budget.unit, [of]: budget[of] },
      counted: ledger.counted(account.id()),
      chat: account.usage(),
      meter: ratios,
      context: usageContext(settings),
      maxReplyOf: () => undefined,
    };
    return tightestBudget(spending, model());
  }
}
