import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { background } from '../../core/support/background.ts';
import { disposeAll, type Disposable, type Event } from '../../core/support/event.ts';
import { commands } from '../contributions.ts';
import { notify } from '../dialogs.ts';
import type { Memento } from '../memento.ts';
import { shareOf, type UsedBudget } from './budgets.ts';
import { usedBudgetText, type BudgetMessageContext } from './budgetTexts.ts';

/** Used shares of a budget that cause a notice. */
const shares = [0.9, 0.75, 0.5] as const;

/** Used share from which the status bar shows a budget. */
export const firstShare = Math.min(...shares);

const stateKey = 'aside.toldBudgets';
/** Budgets with the share of which the person was told, the newest first. */
const storedNotices = z.array(z.tuple([z.string(), z.number()]));
const toldCount = 100;

export interface BudgetNoticesOptions {
  /** The budgets that limit the visible chat, with their usage. */
  readonly budgets: () => readonly UsedBudget[];
  readonly state: Memento;
  /**
   * True if a notice may be shown now. While a reply is running in the visible chat it may not, as
   * that may end with an error about the budget.
   */
  readonly mayTell: () => boolean;
  readonly tell: (budget: UsedBudget) => Promise<void>;
  /** Fires when one of the budgets, or its usage, may have changed. */
  readonly onDidChange: Event<unknown>;
  /** Fires when an error in the visible chat says that a budget is used up. */
  readonly onDidExceed: Event<unknown>;
}

/**
 * Tells the person once each when half, three quarters and nine tenths of a budget are used, unless
 * an error says so already, or the person has just set a budget with that much usage.
 */
export class BudgetNotices implements Disposable {
  readonly #options: BudgetNoticesOptions;
  readonly #listening: readonly Disposable[];
  /** The limits that were set when notices were last checked. */
  #limits: ReadonlySet<string>;

  constructor(options: BudgetNoticesOptions) {
    this.#options = options;
    this.#limits = new Set(options.budgets().map(limitKey));
    this.#listening = [
      options.onDidChange(() => this.#check()),
      options.onDidExceed(() => this.#note(options.budgets())),
    ];
  }

  dispose(): void {
    disposeAll(this.#listening);
  }

  #check(): void {
    const { budgets, mayTell, tell } = this.#options;
    if (!mayTell()) return;
    const current = budgets();
    const before = this.#limits;
    this.#limits = new Set(current.map(limitKey));
    for (const budget of this.#note(current))
      if (before.has(limitKey(budget))) background(tell(budget));
  }

  /** Remembers which shares are reached. Returns the budgets with a share that is new. */
  #note(budgets: readonly UsedBudget[]): readonly UsedBudget[] {
    const { state } = this.#options;
    const told = storedNotices.safeParse(state.get(stateKey)).data ?? [];
    const reached = budgets.filter((budget) => {
      const share = shares.find((step) => shareOf(budget) >= step) ?? 0;
      const [, before = 0] = told.find(([key]) => key === budgetKey(budget)) ?? [];
      return share > before;
    });
    const newest = reached.map((budget) => [budgetKey(budget), shareOf(budget)]);
    if (newest.length > 0)
      background(state.update(stateKey, [...newest, ...told].slice(0, toldCount)));
    return reached;
  }
}

/** A changed limit counts as another budget. */
function budgetKey({ of, account, period, unit, limit }: UsedBudget): string {
  return [of, period, unit, limit, ...(account === undefined ? [] : [account])].join(' ');
}

function limitKey(budget: UsedBudget): string {
  return budgetKey({ ...budget, period: '' });
}

/** Notifies the person of a budget, with buttons for what can be done. */
export async function tellOfBudget(
  budget: UsedBudget,
  context: BudgetMessageContext,
): Promise<void> {
  const [usage, change] = [vscode.l10n.t('Show Usage'), vscode.l10n.t('Set Budget…')];
  const chosen = await notify('information', usedBudgetText(budget, context), usage, change);
  if (chosen === usage) await vscode.commands.executeCommand(commands.showUsage);
  if (chosen === change) await vscode.commands.executeCommand(commands.setBudget);
}
