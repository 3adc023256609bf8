import * as vscode from 'vscode';
import { formatMoney } from '../../core/conversation/usage.ts';
import type { Budget, BudgetExceededError } from '../../core/service/budget.ts';
import { counted } from '../../core/support/counted.ts';
import { visibleName } from '../../core/support/text.ts';
import { UserError } from '../errors.ts';
import type { UsedBudget } from './budgets.ts';

export interface BudgetMessageContext {
  /** VS Code's display language, for numbers. */
  readonly language: string;
  readonly currency: string;
}

export function budgetAmount(
  amount: number,
  unit: Budget['unit'],
  { language, currency }: BudgetMessageContext,
): string {
  return unit === 'money'
    ? formatMoney(amount, currency, language)
    : counted(vscode.l10n.t('{0} tokens'), amount, language);
}

/** The error for a request that exceeds a budget, or whose price is needed and unknown. */
export function exceeded(
  { budget, needed }: BudgetExceededError,
  model: string,
  context: BudgetMessageContext,
): UserError {
  if (needed === undefined) {
    const text = vscode.l10n.t(
      "Not sent: your budget is in money, but the price of {0} isn't known. Select another model, or set the price in the settings.",
      model,
    );
    return new UserError(text, 'select-model');
  }
  const remedy = budget.of === 'chat' ? 'raise-chat-budget' : 'raise-budget';
  return new UserError(exceededText(budget, needed, context), remedy);
}

function exceededText(
  { of, account, unit, limit, spent, reserved }: Budget,
  needed: number,
  context: BudgetMessageContext,
): string {
  const amounts = [
    budgetAmount(limit, unit, context),
    // What running requests may use counts as used.
    budgetAmount(spent + reserved, unit, context),
    budgetAmount(needed, unit, context),
  ] as const;
  if (account !== undefined)
    return of === 'month'
      ? vscode.l10n.t(
          'Not sent: over the monthly budget of {0}. {2} of {1} used; this message needs about {3}. Raise the budget, or select another model.',
          account,
          ...amounts,
        )
      : vscode.l10n.t(
          'Not sent: over the daily budget of {0}. {2} of {1} used; this message needs about {3}. Raise the budget, or select another model.',
          account,
          ...amounts,
        );
  switch (of) {
    case 'chat':
      return vscode.l10n.t(
        'Not sent: over the chat budget. {1} of {0} used; this message needs about {2}. Raise the budget, or start a new chat.',
        ...amounts,
      );
    case 'day':
      return vscode.l10n.t(
        'Not sent: over the daily budget. {1} of {0} used; this message needs about {2}. Raise the budget, or try again tomorrow.',
        ...amounts,
      );
    case 'month':
      return vscode.l10n.t(
        'Not sent: over the monthly budget. {1} of {0} used; this message needs about {2}. Raise the budget, or wait for the next month.',
        ...amounts,
      );
  }
}

/** The error that ends a reply because the service ignored the limit. */
export function cutByBudget(): UserError {
  const text = vscode.l10n.t(
    'The reply was stopped because it became longer than the budget allows. The text received so far was kept.',
  );
  return new UserError(text, 'raise-budget');
}

/** The error for an invalid budget, whose limits are unknown. */
export function invalidBudget(): UserError {
  const text = vscode.l10n.t("Not sent: the budget in the settings isn't valid. Set it again.");
  return new UserError(text, 'raise-budget');
}

/** The error for a request that a budget limits while the log that counts for it is unavailable. */
export function logUnavailable(): UserError {
  return new UserError(
    vscode.l10n.t(
      "Not sent: the token usage can't be saved, so your budget can't be kept. Free some disk space or check the permissions of Aside's storage, then try again.",
    ),
    'try-again',
  );
}

/** States how much of a budget is used, and whether it can only stop replies. */
export function usedBudgetText(budget: UsedBudget, context: BudgetMessageContext): string {
  const text = usedText(budget, context);
  const { unlimitedModels = [] } = budget;
  if (unlimitedModels.length === 0) return text;
  const names = unlimitedModels.map((model) => visibleName(model)).join(', ');
  return `${text} ${vscode.l10n.t("{0} doesn't accept a maximum reply length, so the budget can only stop a reply.", names)}`;
}

function usedText({ of, account, unit, limit, spent }: Budget, context: BudgetMessageContext) {
  const percent = limit === 0 ? 100 : Math.floor((100 * spent) / limit);
  const amounts = [
    percent,
    budgetAmount(spent, unit, context),
    budgetAmount(limit, unit, context),
  ] as const;
  if (account !== undefined)
    return of === 'month'
      ? vscode.l10n.t(
          "{0}% of this month's budget of {3} is used: {1} of {2}.",
          ...amounts,
          account,
        )
      : vscode.l10n.t("{0}% of today's budget of {3} is used: {1} of {2}.", ...amounts, account);
  switch (of) {
    case 'chat':
      return vscode.l10n.t("{0}% of this chat's budget is used: {1} of {2}.", ...amounts);
    case 'day':
      return vscode.l10n.t("{0}% of today's budget is used: {1} of {2}.", ...amounts);
    case 'month':
      return vscode.l10n.t("{0}% of this month's budget is used: {1} of {2}.", ...amounts);
  }
}
