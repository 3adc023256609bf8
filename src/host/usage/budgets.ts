import type { l10n } from 'vscode';
import { formatMoney, usageCost } from '../../core/conversation/usage.ts';
import { BudgetExceededError, withinBudgets, type Budget } from '../../core/service/budget.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { promptCharacters, type TokenMeter } from '../../core/turn/replyEvents.ts';
import { settingIds } from '../contributions.ts';
import { UserError } from '../errors.ts';
import type { BudgetSettings } from '../settingValues.ts';
import { totalOf, type UsageByModel, type UsageContext } from './usageTable.ts';

/** The limits of a request. */
export interface Spending {
  /** `invalid` where the setting is not valid, so that the limit is unknown. */
  readonly budget: BudgetSettings | 'invalid';
  /** The usage of today, and of the chat of the request. */
  readonly day: UsageByModel;
  readonly chat: UsageByModel | undefined;
  readonly meter: Pick<TokenMeter, 'estimate'>;
  readonly context: UsageContext;
}

/**
 * The request, limited to the budgets.
 * @throws {UserError} where it exceeds them
 */
export function applyBudget(request: CompletionRequest, spending: Spending): CompletionRequest {
  const { budget, meter, context } = spending;
  if (budget === 'invalid') throw new UserError(invalid(context));
  const budgets = budgetsOf(budget, spending);
  if (budgets.length === 0) return request;
  const promptTokens = meter.estimate(request.model, promptCharacters(request));
  try {
    return withinBudgets(request, promptTokens, budgets, context.priceOf(request.model));
  } catch (error) {
    if (error instanceof BudgetExceededError)
      throw new UserError(words(error, request.model, context));
    throw error;
  }
}

function budgetsOf({ chat, day, unit }: BudgetSettings, spending: Spending): readonly Budget[] {
  const of = (name: Budget['of'], limit: number | undefined): readonly Budget[] => {
    const used = spending[name];
    if (limit === undefined || used === undefined) return [];
    return [{ of: name, unit, limit, spent: spentOf(used, unit, spending.context) }];
  };
  return [...of('chat', chat), ...of('day', day)];
}

/** Where a budget is in money, models without a price cannot be used. */
function spentOf(used: UsageByModel, unit: Budget['unit'], { priceOf }: UsageContext): number {
  if (unit === 'tokens') return totalOf(used).total_tokens;
  return [...used].reduce((sum, [model, usage]) => {
    const price = priceOf(model);
    return price === undefined ? sum : sum + usageCost(usage, price);
  }, 0);
}

/** What is needed to write an amount. */
interface BudgetMessageContext {
  readonly l10n: Pick<typeof l10n, 't'>;
  readonly language: string;
  readonly currency: string;
}

function words(
  { budget, needed }: BudgetExceededError,
  model: string,
  context: BudgetMessageContext,
): string {
  const { l10n } = context;
  if (needed === undefined)
    return l10n.t(
      "Not sent: your budget is in money, but the price of {0} isn't known. Set it in {1}.",
      model,
      settingIds.models,
    );
  const amounts = [budget.limit, budget.spent, needed].map((amount) =>
    format(amount, budget.unit, context),
  );
  return budget.of === 'chat'
    ? l10n.t(
        'Not sent: over the chat budget. {1} of {0} used; this message needs about {2}. Increase {3}, or start a new chat.',
        ...amounts,
        settingIds.budget,
      )
    : l10n.t(
        'Not sent: over the daily budget. {1} of {0} used; this message needs about {2}. Increase {3}, or try again tomorrow.',
        ...amounts,
        settingIds.budget,
      );
}

function format(amount: number, unit: Budget['unit'], context: BudgetMessageContext): string {
  const { l10n, language, currency } = context;
  return unit === 'money'
    ? formatMoney(amount, currency, language)
    : l10n.t('{0} tokens', amount.toLocaleString(language));
}

function invalid({ l10n }: BudgetMessageContext): string {
  return l10n.t("Not sent: the setting {0} isn't valid. Fix it first.", settingIds.budget);
}
