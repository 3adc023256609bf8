import * as vscode from 'vscode';
import { background } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable, type Event } from '../../core/support/event.ts';
import { commands } from '../contributions.ts';
import type { Settings } from '../platform/settings.ts';
import { shareOf, type UsedBudget } from '../../core/service/budget.ts';
import { formatMoney, type Usage } from '../../core/conversation/usage.ts';
import { firstShare, usedBudgetText } from './budgetUi.ts';
import { statusLabel, statusText } from './statusItem.ts';
import type { Ledger } from './ledger.ts';
import {
  costOf,
  totalOf,
  usageContext,
  type UsageByModel,
  type UsageContext,
} from './usageByModel.ts';

export interface WaitingChat {
  readonly text: string;
  readonly chat: string;
}

/** The usage of a window, with what is shown beside it. */
export interface WindowUsage {
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
  /** Fires when any of it, or a setting, changes. */
  readonly onDidChange: Event<unknown>;
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
  readonly #usage: WindowUsage;
  readonly #item: vscode.StatusBarItem;
  readonly #listening: readonly Disposable[];
  #nextDraw: Disposable | undefined;
  #nextTooltip: Disposable | undefined;
  /** True if the current or next tooltip is that of a running request. */
  #tooltipIsRunning = false;
  #drawnAt = -Infinity;

  /** @param item from `showStatusItem` */
  constructor(item: vscode.StatusBarItem, usage: WindowUsage) {
    const { ledger, onDidChange } = usage;
    this.#item = item;
    this.#usage = usage;
    this.#listening = [
      // Several changes within a short time are one update.
      onDidChange(() => {
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
    const { ledger, model, waiting } = this.#usage;
    const tokens = totalOf(ledger.session);
    const chat = waiting();
    this.#item.text = chat ? `$(bell) ${chat.text}` : statusText(model(), tokens);
    // Shows the chat in its tab if it has one, otherwise in the side bar.
    this.#item.command = chat
      ? { command: commands.openChat, title: vscode.l10n.t('Show'), arguments: [chat.chat] }
      : commands.showUsage;
    const label = chat?.text ?? statusLabel(model(), tokens);
    const budget = this.#fullestBudget();
    this.#item.accessibilityInformation = { label: budget ? `${label}, ${budget.text}` : label };
    this.#item.backgroundColor = budget && new vscode.ThemeColor(budget.color);
    // The tooltip changes soon when a request starts or ends, since Stop All is visible meanwhile.
    const isRunning = this.#usage.isRunning();
    const isSame = isRunning === this.#tooltipIsRunning;
    if (isSame && this.#nextTooltip !== undefined) return;
    this.#nextTooltip?.dispose();
    this.#tooltipIsRunning = isRunning;
    const delay = isRunning && isSame ? tooltipDelay.running : tooltipDelay.idle;
    this.#nextTooltip = systemClock.after(delay, () => this.#drawTooltip());
  }

  #drawTooltip(): void {
    this.#nextTooltip = undefined;
    const { chat, isRunning, ledger, model, settings } = this.#usage;
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
    const { budgets, settings } = this.#usage;
    const [budget] = budgets().toSorted((a, b) => shareOf(b) - shareOf(a));
    if (budget === undefined || shareOf(budget) < firstShare) return undefined;
    const kind = shareOf(budget) >= 1 ? 'error' : 'warning';
    const text = usedBudgetText(budget, usageContext(settings));
    return { text, color: `statusBarItem.${kind}Background` };
  }
}

/** The status bar's tooltip: a table in Markdown. Without a price it has no row of costs. */
export function usageTooltip(
  model: string,
  columns: readonly [chat: UsageByModel, session: UsageByModel, today: UsageByModel],
  context: UsageContext,
): string {
  const totals = columns.map(totalOf);
  const numbers = new Intl.NumberFormat(context.language);
  const tokens = (label: string, count: (usage: Usage) => number): readonly string[] => [
    label,
    ...totals.map((usage) => {
      const mark = usage.estimated && count(usage) > 0 ? '≈' : '';
      return mark + numbers.format(count(usage));
    }),
  ];
  const costs = columns.map((column) => {
    const priced = [...column].flatMap(([of, usage]) => costOf(of, usage, context) ?? []);
    if (priced.length === 0) return undefined;
    const sum = priced.reduce((first, second) => first + second, 0);
    // Some models of the column may have no price.
    const estimated = totalOf(column).estimated ? '≈' : '';
    const mark = priced.length < column.size ? '≥' : estimated;
    return mark + formatMoney(sum, context.currency, context.language);
  });
  const rows = [
    ['', vscode.l10n.t('This chat'), vscode.l10n.t('This session'), vscode.l10n.t('Today')],
    tokens(vscode.l10n.t('Prompt'), (usage) => usage.prompt_tokens),
    tokens(vscode.l10n.t('Cached'), (usage) => usage.cached_tokens),
    tokens(vscode.l10n.t('Completion'), (usage) => usage.completion_tokens),
    tokens(vscode.l10n.t('Total'), (usage) => usage.total_tokens),
    // The number of requests is never an estimate.
    [vscode.l10n.t('Requests'), ...totals.map(({ requests }) => numbers.format(requests))],
    ...(costs.every((text) => text === undefined)
      ? []
      : [[vscode.l10n.t('Cost'), ...costs.map((text) => text ?? '–')]]),
  ];
  const [heading, ...lines] = rows.map((cells) => `| ${cells.map(escapeMarkdown).join(' | ')} |`);
  const title = model === '' ? vscode.l10n.t('No model selected') : model;
  return [`**${escapeMarkdown(title)}**`, '', heading, '|:--|--:|--:|--:|', ...lines].join('\n');
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~&$]/g, '\\$&').replace(/\s+/g, ' ');
}
