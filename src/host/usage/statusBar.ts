import * as vscode from 'vscode';
import { background } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { anyEvent, disposeAll, type Disposable, type Event } from '../../core/support/event.ts';
import { commands } from '../contributions.ts';
import { settingsOfModel } from '../settingValues.ts';
import type { Settings } from '../settings.ts';
import { firstShare } from './budgetNotices.ts';
import { shareOf, type UsedBudget } from './budgets.ts';
import { usedBudgetText } from './budgetTexts.ts';
import { statusLabel, statusText } from './statusItem.ts';
import type { Ledger } from './ledger.ts';
import { totalOf, usageTooltip, type UsageByModel, type UsageContext } from './usageTable.ts';

export interface WaitingChat {
  readonly text: string;
  readonly chat: string;
}

export interface UsageOptions {
  readonly ledger: Ledger;
  readonly settings: Settings;
  /** Id of the model in use; empty if there is none. */
  readonly model: () => string;
  readonly chat: () => UsageByModel;
  readonly budgets: () => readonly UsedBudget[];
  /**
   * The chat that waits for the person, shown in place of the usage; undefined if there is none.
   */
  readonly waiting: () => WaitingChat | undefined;
  /** True while a request of any chat, command or other extension runs. */
  readonly isRunning: () => boolean;
  /** Fires when the model, the open chat, the waiting chat or the running requests change. */
  readonly onDidChange: Event<unknown>;
}

export function usageContext(settings: Settings): UsageContext {
  const current = settings.current();
  return {
    language: vscode.env.language,
    currency: current.currency,
    priceOf: (model) => settingsOfModel(current, model).price,
  };
}

/** Minimum milliseconds between two updates: the numbers change with each request of a turn. */
const minRedrawInterval = 250;

/**
 * Milliseconds before a change is in the tooltip. VS Code parses its Markdown in this process,
 * which delays a stream longer than a round of tools takes.
 */
const tooltipDelay = { idle: 1000, running: 10_000 };

/** The item in the status bar. It sends nothing, and doesn't read the workspace. */
export class UsageStatusBar implements Disposable {
  readonly #options: UsageOptions;
  readonly #item: vscode.StatusBarItem;
  readonly #listening: readonly Disposable[];
  #nextDraw: Disposable | undefined;
  #nextTooltip: Disposable | undefined;
  /** True if the current or next tooltip is that of a running request. */
  #tooltipIsRunning = false;
  #drawnAt = -Infinity;

  /** @param item from `showStatusItem` */
  constructor(item: vscode.StatusBarItem, options: UsageOptions) {
    const { ledger, settings, onDidChange } = options;
    this.#item = item;
    this.#options = options;
    const changed = anyEvent<unknown>(ledger.onDidChange, settings.onDidChange, onDidChange);
    this.#listening = [
      // Several changes within a short time are one update.
      changed(() => {
        const pause = Math.max(0, this.#drawnAt + minRedrawInterval - systemClock.monotonic());
        this.#nextDraw ??= systemClock.after(pause, () => this.#draw());
      }),
      // Other windows may have sent requests.
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) background(ledger.refresh());
      }),
    ];
    background(ledger.refresh());
    this.#draw();
  }

  dispose(): void {
    this.#nextDraw?.dispose();
    this.#nextTooltip?.dispose();
    disposeAll(this.#listening);
  }

  #draw(): void {
    this.#nextDraw = undefined;
    this.#drawnAt = systemClock.monotonic();
    this.#drawTooltipLater();
    const { ledger, model, waiting } = this.#options;
    const tokens = totalOf(ledger.session);
    const chat = waiting();
    this.#item.text = chat ? `$(bell) ${chat.text}` : statusText(model(), tokens);
    this.#item.command = chat ? commandToOpen(chat) : commands.showUsage;
    const label = chat?.text ?? statusLabel(model(), tokens);
    const budget = this.#fullestBudget();
    this.#item.accessibilityInformation = { label: budget ? `${label}, ${budget.text}` : label };
    this.#item.backgroundColor = budget && new vscode.ThemeColor(budget.color);
  }

  /**
   * Updates soon when a request starts or ends, since Stop All is visible meanwhile; otherwise less
   * often.
   */
  #drawTooltipLater(): void {
    const isRunning = this.#options.isRunning();
    const isSame = isRunning === this.#tooltipIsRunning;
    if (isSame && this.#nextTooltip !== undefined) return;
    this.#nextTooltip?.dispose();
    this.#tooltipIsRunning = isRunning;
    const delay = isRunning && isSame ? tooltipDelay.running : tooltipDelay.idle;
    this.#nextTooltip = systemClock.after(delay, () => this.#drawTooltip());
  }

  #drawTooltip(): void {
    this.#nextTooltip = undefined;
    const { chat, isRunning, ledger, model, settings } = this.#options;
    const columns = [chat(), ledger.session, ledger.today] as const;
    const parts = [
      usageTooltip(model(), columns, usageContext(settings)),
      this.#fullestBudget()?.text,
      isRunning() ? `[${vscode.l10n.t('Stop All')}](command:${commands.stopAll})` : undefined,
    ];
    const text = parts.filter((part) => part !== undefined).join('\n\n');
    const tooltip = new vscode.MarkdownString(text);
    // The service's model id is escaped, and no other command can be linked.
    tooltip.isTrusted = { enabledCommands: [commands.stopAll] };
    this.#item.tooltip = tooltip;
  }

  /** The fullest budget, if its usage is high enough to show. */
  #fullestBudget(): { readonly text: string; readonly color: string } | undefined {
    const { budgets, settings } = this.#options;
    const [budget] = budgets().toSorted((a, b) => shareOf(b) - shareOf(a));
    if (budget === undefined || shareOf(budget) < firstShare) return undefined;
    const kind = shareOf(budget) >= 1 ? 'error' : 'warning';
    const text = usedBudgetText(budget, usageContext(settings));
    return { text, color: `statusBarItem.${kind}Background` };
  }
}

/** Shows the chat in its tab if it has one, otherwise in the side bar. */
function commandToOpen({ chat }: WaitingChat): vscode.Command {
  return { command: commands.openChat, title: vscode.l10n.t('Show'), arguments: [chat] };
}
