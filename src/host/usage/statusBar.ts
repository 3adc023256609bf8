import * as vscode from 'vscode';
import { background } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable, type Event } from '../../core/support/event.ts';
import { commands } from '../contributions.ts';
import { settingsOfModel } from '../modelSettings.ts';
import type { Settings } from '../settings.ts';
import { firstShare } from './budgetNotices.ts';
import { shareOf, type UsedBudget } from './budgets.ts';
import { usedBudgetText } from './budgetTexts.ts';
import type { Ledger } from './ledger.ts';
import {
  statusLabel,
  statusText,
  totalOf,
  usageTooltip,
  type UsageByModel,
  type UsageContext,
} from './usageTable.ts';

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
  readonly #disposables: Disposable[];
  #waiting: Disposable | undefined;
  #tooltipWaiting: Disposable | undefined;
  /** True if the current or scheduled tooltip is that of a running request. */
  #tooltipIsRunning = false;
  #drawnAt = -Infinity;

  /** @param item from {@link InitialStatusBar}, which still owns it */
  constructor(item: vscode.StatusBarItem, options: UsageOptions) {
    this.#item = item;
    this.#options = options;
    const { ledger, settings, onDidChange } = options;
    const draw = (): void => this.#drawSoon();
    this.#disposables = [
      ledger.onDidChange(draw),
      settings.onDidChange(draw),
      onDidChange(draw),
      // Other windows may have sent requests.
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) background(ledger.refresh());
      }),
    ];
    background(ledger.refresh());
    this.#draw();
  }

  dispose(): void {
    this.#waiting?.dispose();
    this.#tooltipWaiting?.dispose();
    disposeAll(this.#disposables);
  }

  /** Schedules one update for several changes within a short time. */
  #drawSoon(): void {
    const pause = Math.max(0, this.#drawnAt + minRedrawInterval - systemClock.monotonic());
    this.#waiting ??= systemClock.after(pause, () => this.#draw());
  }

  #draw(): void {
    this.#waiting = undefined;
    this.#drawnAt = systemClock.monotonic();
    const { isRunning, ledger, model } = this.#options;
    this.#drawTooltipLater(isRunning());
    const used = this.#usedBudget();
    const budget = this.#budgetText(used);
    this.#item.backgroundColor = used && new vscode.ThemeColor(backgroundOf(used));
    const waiting = this.#options.waiting();
    const tokens = totalOf(ledger.session);
    const label = waiting?.text ?? statusLabel(model(), tokens);
    this.#item.text = waiting ? `$(bell) ${waiting.text}` : statusText(model(), tokens);
    this.#item.command = waiting ? openingOf(waiting) : commands.showUsage;
    this.#item.accessibilityInformation = { label: joined([label, budget], ', ') };
  }

  /**
   * Updates soon when a request starts or ends, since Stop All is visible meanwhile; otherwise less
   * often.
   */
  #drawTooltipLater(isRunning: boolean): void {
    const isSame = isRunning === this.#tooltipIsRunning;
    if (isSame && this.#tooltipWaiting !== undefined) return;
    this.#tooltipWaiting?.dispose();
    this.#tooltipIsRunning = isRunning;
    const delay = isRunning && isSame ? tooltipDelay.running : tooltipDelay.idle;
    this.#tooltipWaiting = systemClock.after(delay, () => this.#drawTooltip());
  }

  #drawTooltip(): void {
    this.#tooltipWaiting = undefined;
    const { chat, isRunning, ledger, model, settings } = this.#options;
    const columns = { chat: chat(), session: ledger.session, today: ledger.today };
    const table = usageTooltip(model(), columns, usageContext(settings));
    const text = joined([table, this.#budgetText(this.#usedBudget())], '\n\n');
    this.#item.tooltip = isRunning() ? withStopAll(text) : new vscode.MarkdownString(text);
  }

  /** The fullest budget, if its usage is high enough to show. */
  #usedBudget(): UsedBudget | undefined {
    const [fullest] = this.#options.budgets().toSorted((a, b) => shareOf(b) - shareOf(a));
    return fullest !== undefined && shareOf(fullest) >= firstShare ? fullest : undefined;
  }

  #budgetText(used: UsedBudget | undefined): string | undefined {
    return used && usedBudgetText(used, usageContext(this.#options.settings));
  }
}

function backgroundOf(budget: UsedBudget): string {
  return shareOf(budget) >= 1 ? 'statusBarItem.errorBackground' : 'statusBarItem.warningBackground';
}

function joined(parts: readonly (string | undefined)[], separator: string): string {
  return parts.filter((part) => part !== undefined).join(separator);
}

/** The service's model id is escaped, and no other command can be linked. */
function withStopAll(tooltip: string): vscode.MarkdownString {
  const link = `[${vscode.l10n.t('Stop All')}](command:${commands.stopAll})`;
  const markdown = new vscode.MarkdownString(`${tooltip}\n\n${link}`);
  markdown.isTrusted = { enabledCommands: [commands.stopAll] };
  return markdown;
}

/** Shows the chat in its tab if it has one, otherwise in the side bar. */
function openingOf({ chat }: WaitingChat): vscode.Command {
  return {
    command: commands.openChat,
    title: vscode.l10n.t('Show'),
    arguments: [chat],
  };
}
