import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { background } from '../../core/support/background.ts';
import { disposeAll, type Disposable, type Event } from '../../core/support/event.ts';
import { visibleName } from '../../core/support/text.ts';
import type { Memento } from '../memento.ts';
import type { BudgetSettings } from '../settingValues.ts';
import { shareOf, type UsedBudget } from './budgets.ts';
import { budgetAmount, type BudgetMessageContext } from './budgetTexts.ts';

/** Used shares of a budget that cause a notice. */
const shares = [0.9, 0.75, 0.5] as const;

/** Used share from which the status bar shows a budget. */
export const firstShare = Math.min(...shares);

const stateKey = 'aside.toldBudgets';
const storedNotices = z.array(z.tuple([z.string(), z.number()]));
const toldCount = 50;

type BudgetAction = 'showUsage' | 'setBudget';

export interface BudgetNoticesOptions {
  /** The budgets that limit the visible chat, with their usage. */
  readonly budgets: () => readonly UsedBudget[];
  readonly settings: () => BudgetSettings | 'invalid';
  readonly state: Memento;
  /** True if this window should show notices now. */
  readonly isWanted: () => boolean;
  /**
   * True while a reply is running in the visible chat. It may end with an error about the budget.
   */
  readonly isReplying: () => boolean;
  readonly context: () => BudgetMessageContext;
  /** Shows a notification. Resolves with the button that was clicked. */
  readonly notify: (message: string, buttons: readonly string[]) => PromiseLike<string | undefined>;
  readonly run: (action: BudgetAction) => unknown;
  /** Fires when one of the budgets, or its usage, may have changed. */
  readonly onDidChange: Event<unknown>;
  /** Fires when an error in the visible chat says that a budget is used up. */
  readonly onDidAlert: Event<unknown>;
}

/**
 * Notifies the person once each when half, three quarters and nine tenths of a budget are used,
 * unless an error says so already, or the person has just set a budget with that much usage.
 */
export class BudgetNotices implements Disposable {
  readonly #options: BudgetNoticesOptions;
  readonly #listening: readonly Disposable[];
  #settings: BudgetSettings | 'invalid';

  constructor(options: BudgetNoticesOptions) {
    this.#options = options;
    this.#settings = options.settings();
    this.#listening = [
      options.onDidChange(() => this.#check()),
      options.onDidAlert(() => this.#noteAll()),
    ];
  }

  dispose(): void {
    disposeAll(this.#listening);
  }

  #check(): void {
    const { isWanted, isReplying, settings } = this.#options;
    if (!isWanted() || isReplying()) return;
    const set = this.#settings;
    this.#settings = settings();
    for (const budget of this.#noteAll())
      if (limitOf(budget, set) === budget.limit) background(this.#tell(budget));
  }

  #noteAll(): readonly UsedBudget[] {
    return this.#options.budgets().filter((budget) => {
      const reached = shares.find((share) => shareOf(budget) >= share);
      return reached !== undefined && this.#isNew(budget, reached);
    });
  }

  /** Marks a share as notified; false if it or a larger one was before. */
  #isNew({ of, account, period, unit, limit }: UsedBudget, share: number): boolean {
    const { state } = this.#options;
    // A changed limit counts as another budget.
    const key = [of, period, unit, limit, ...(account === undefined ? [] : [account])].join(' ');
    const known = storedNotices.safeParse(state.get(stateKey)).data ?? [];
    const before = known.find(([name]) => name === key)?.[1] ?? 0;
    if (before >= share) return false;
    const others = known.filter(([name]) => name !== key);
    background(state.update(stateKey, [[key, share], ...others].slice(0, toldCount)));
    return true;
  }

  async #tell(budget: UsedBudget): Promise<void> {
    const { context, notify, run } = this.#options;
    const usage = vscode.l10n.t('Show Usage');
    const change = vscode.l10n.t('Set Budget…');
    const chosen = await notify(usedBudgetText(budget, context()), [usage, change]);
    if (chosen === usage) run('showUsage');
    if (chosen === change) run('setBudget');
  }
}

function limitOf(
  { of, account, unit }: UsedBudget,
  settings: BudgetSettings | 'invalid',
): number | undefined {
  if (settings === 'invalid' || settings.unit !== unit) return undefined;
  if (account === undefined || of === 'chat') return settings[of];
  return settings.accounts?.[account]?.[of];
}

/** States how much of a budget is used, and whether it can only stop replies. */
export function usedBudgetText(budget: UsedBudget, context: BudgetMessageContext): string {
  const text = usedText(budget, context);
  const models = budget.unlimitedModels ?? [];
  if (models.length === 0) return text;
  const names = models.map((model) => visibleName(model)).join(', ');
  return `${text} ${vscode.l10n.t("{0} doesn't accept a maximum reply length, so the budget can only stop a reply.", names)}`;
}

function usedText(budget: UsedBudget, context: BudgetMessageContext): string {
  const { of, account, unit, limit, spent } = budget;
  const percent = limit === 0 ? 100 : Math.floor((100 * spent) / limit);
  const amounts = [budgetAmount(spent, unit, context), budgetAmount(limit, unit, context)] as const;
  if (account !== undefined)
    return of === 'month'
      ? vscode.l10n.t(
          "{0}% of this month's budget of {3} is used: {1} of {2}.",
          percent,
          ...amounts,
          account,
        )
      : vscode.l10n.t(
          "{0}% of today's budget of {3} is used: {1} of {2}.",
          percent,
          ...amounts,
          account,
        );
  switch (of) {
    case 'chat':
      return vscode.l10n.t("{0}% of this chat's budget is used: {1} of {2}.", percent, ...amounts);
    case 'day':
      return vscode.l10n.t("{0}% of today's budget is used: {1} of {2}.", percent, ...amounts);
    case 'month':
      return vscode.l10n.t("{0}% of this month's budget is used: {1} of {2}.", percent, ...amounts);
  }
}
