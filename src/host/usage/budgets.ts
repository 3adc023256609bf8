import type { l10n } from 'vscode';
import { formatMoney, usageCost } from '../../core/conversation/usage.ts';
import {
  BudgetExceededError,
  costPerToken,
  longestReply,
  withinBudgets,
  type Allowance,
  type Budget,
} from '../../core/service/budget.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { promptCharacters } from '../../core/turn/requestUsage.ts';
import { settingIds } from '../contributions.ts';
import { UserError } from '../errors.ts';
import type { BudgetSettings } from '../settingValues.ts';
import type { CountedUsage, Reservation } from './ledger.ts';
import type { TokenRatios } from './tokenRatios.ts';
import { localDay } from './usageRecord.ts';
import { totalOf, type UsageByModel, type UsageContext } from './usageTable.ts';

/** The limits of a request. */
export interface Spending {
  /** `invalid` where the setting is not valid, so that the limit is unknown. */
  readonly budget: BudgetSettings | 'invalid';
  readonly counted: CountedUsage;
  /** The usage that the chat of the request knows of; undefined outside chats. */
  readonly chat: UsageByModel | undefined;
  readonly meter: Pick<TokenRatios, 'estimate' | 'margin'>;
  readonly context: UsageContext;
  /** The most tokens that a reply of a model can have, where that is known. */
  readonly maxReplyOf: (model: string) => number | undefined;
  /** The `max_tokens` that a model accepted after it had refused a larger one. */
  readonly acceptedBy?: ((model: string) => number | undefined) | undefined;
}

/** Tokens around a message that count but aren't part of its text. */
const tokensOfMessage = 4;

/**
 * The request, limited to the budgets, and what it may use.
 * @throws {UserError} where it exceeds them
 */
export function applyBudget(request: CompletionRequest, spending: Spending): Allowance {
  const { budget, meter, context } = spending;
  if (budget === 'invalid') throw new UserError(invalid(context), 'raise-budget');
  const { model, messages } = request;
  const estimated = meter.estimate(model, promptCharacters(request), 'prompt');
  const budgets = budgetsOf(budget, spending);
  if (budgets.length === 0) return { request, reserve: { prompt: estimated, reply: 0 } };
  const around = (messages.length + 1) * tokensOfMessage;
  const prompt = Math.ceil(estimated * meter.margin(model)) + around;
  const maxReply = spending.maxReplyOf(model) ?? longestReply;
  const limits = {
    price: context.priceOf(model),
    maxReply,
    accepted: spending.acceptedBy?.(model),
  };
  try {
    return withinBudgets(request, prompt, budgets, limits);
  } catch (error) {
    if (error instanceof BudgetExceededError) throw exceeded(error, model, context);
    throw error;
  }
}

function budgetsOf(settings: BudgetSettings, spending: Spending): readonly Budget[] {
  const { counted, context } = spending;
  const { unit } = settings;
  const spent = (usage: UsageByModel): number => spentOf(usage, unit, context);
  const reserved = (list: readonly Reservation[]): number =>
    list.reduce((sum, one) => sum + reservedOf(one, unit, context), 0);
  const budgets: Budget[] = [];
  if (settings.chat !== undefined && spending.chat !== undefined) {
    // The chat may be older than the day, and other windows may have used it today.
    const used = Math.max(spent(spending.chat), spent(counted.chat));
    const open = reserved(counted.chatReserved);
    budgets.push({ of: 'chat', unit, limit: settings.chat, spent: used, reserved: open });
  }
  const periods = [
    ['day', counted.day, counted.dayReserved],
    ['month', counted.month, counted.monthReserved],
  ] as const;
  for (const [of, used, open] of periods) {
    const limit = settings[of];
    if (limit === undefined) continue;
    budgets.push({ of, unit, limit, spent: spent(used), reserved: reserved(open) });
  }
  return budgets;
}

/** Where a budget is in money, models without a price cannot be used. */
function spentOf(used: UsageByModel, unit: Budget['unit'], { priceOf }: UsageContext): number {
  if (unit === 'tokens') return totalOf(used).total_tokens;
  return [...used].reduce((sum, [model, usage]) => {
    const price = priceOf(model);
    return price === undefined ? sum : sum + usageCost(usage, price);
  }, 0);
}

function reservedOf(
  { model, prompt, reply }: Reservation,
  unit: Budget['unit'],
  { priceOf }: UsageContext,
): number {
  const cost = costPerToken(unit, priceOf(model));
  return cost === undefined ? 0 : prompt * cost.prompt + reply * cost.reply;
}

/** How much of a budget is used by requests that have ended. */
export interface UsedBudget extends Pick<Budget, 'of' | 'unit' | 'limit' | 'spent'> {
  /** The chat, the day or the month. */
  readonly period: string;
}

/** The budgets of a chat at a time, and how much of each is used. */
export function usedBudgets(spending: Spending, chat: string, time: number): readonly UsedBudget[] {
  if (spending.budget === 'invalid') return [];
  const day = localDay(time);
  const periods = { chat, day, month: day.slice(0, 7) };
  return budgetsOf(spending.budget, spending).map(({ of, unit, limit, spent }) => ({
    of,
    unit,
    limit,
    spent,
    period: periods[of],
  }));
}

/** The share of a budget that is used, which may be more than 1. */
export function shareOf({ spent, limit }: Pick<Budget, 'spent' | 'limit'>): number {
  return limit === 0 ? 1 : spent / limit;
}

/** What is left of the tightest budget, for the composer. */
export interface BudgetLeft {
  readonly of: Budget['of'];
  readonly unit: Budget['unit'];
  readonly limit: number;
  readonly left: number;
  /** The factor by which a request may exceed its estimate. */
  readonly margin: number;
}

/** The budget with the smallest share left; undefined without one. */
export function tightestBudget(spending: Spending, model: string): BudgetLeft | undefined {
  if (spending.budget === 'invalid') return undefined;
  const all = budgetsOf(spending.budget, spending).map(({ spent, reserved, ...budget }) => ({
    ...budget,
    left: Math.max(0, budget.limit - spent - reserved),
    margin: spending.meter.margin(model),
  }));
  const share = ({ left, limit }: BudgetLeft): number => (limit === 0 ? 0 : left / limit);
  return all.toSorted((one, other) => share(one) - share(other))[0];
}

/** What is needed to write an amount. */
export type BudgetMessageContext = Pick<UsageContext, 'l10n' | 'language' | 'currency'>;

function exceeded(
  { budget, needed }: BudgetExceededError,
  model: string,
  context: BudgetMessageContext,
): UserError {
  const { l10n }: { readonly l10n: L10n } = context;
  if (needed === undefined) {
    const text = l10n.t(
      "Not sent: your budget is in money, but the price of {0} isn't known. Set it in {1}.",
      model,
      settingIds.models,
    );
    return new UserError(text, 'select-model');
  }
  const written = (amount: number): string => budgetAmount(amount, budget.unit, context);
  const amounts = [written(budget.limit), written(budget.spent), written(needed)] as const;
  const reserved = budget.reserved > 0 ? written(budget.reserved) : undefined;
  const remedy = budget.of === 'chat' ? 'raise-chat-budget' : 'raise-budget';
  return new UserError(exceededTexts[budget.of](amounts, reserved, l10n), remedy);
}

const exceededTexts = { chat: chatText, day: dayText, month: monthText } as const;

type Amounts = readonly [limit: string, spent: string, needed: string];
type L10n = Pick<typeof l10n, 't'>;

function chatText(amounts: Amounts, reserved: string | undefined, l10n: L10n): string {
  return reserved === undefined
    ? l10n.t(
        'Not sent: over the chat budget. {1} of {0} used; this message needs about {2}. Increase {3}, or start a new chat.',
        ...amounts,
        settingIds.budget,
      )
    : l10n.t(
        'Not sent: over the chat budget. {1} of {0} used, and {4} reserved for requests that are running or were interrupted; this message needs about {2}. Increase {3}, or start a new chat.',
        ...amounts,
        settingIds.budget,
        reserved,
      );
}

function dayText(amounts: Amounts, reserved: string | undefined, l10n: L10n): string {
  return reserved === undefined
    ? l10n.t(
        'Not sent: over the daily budget. {1} of {0} used; this message needs about {2}. Increase {3}, or try again tomorrow.',
        ...amounts,
        settingIds.budget,
      )
    : l10n.t(
        'Not sent: over the daily budget. {1} of {0} used, and {4} reserved for requests that are running or were interrupted; this message needs about {2}. Increase {3}, or try again tomorrow.',
        ...amounts,
        settingIds.budget,
        reserved,
      );
}

function monthText(amounts: Amounts, reserved: string | undefined, l10n: L10n): string {
  return reserved === undefined
    ? l10n.t(
        'Not sent: over the monthly budget. {1} of {0} used; this message needs about {2}. Increase {3}, or wait for the next month.',
        ...amounts,
        settingIds.budget,
      )
    : l10n.t(
        'Not sent: over the monthly budget. {1} of {0} used, and {4} reserved for requests that are running or were interrupted; this message needs about {2}. Increase {3}, or wait for the next month.',
        ...amounts,
        settingIds.budget,
        reserved,
      );
}

/** The error that ends a reply for which the service ignored the limit. */
export function cutByBudget({ l10n }: { readonly l10n: L10n }): UserError {
  const text = l10n.t(
    'The reply was stopped because it became longer than the budget allows. The text received so far was kept.',
  );
  return new UserError(text, 'raise-budget');
}

/** An amount of a budget in words. */
export function budgetAmount(
  amount: number,
  unit: Budget['unit'],
  context: BudgetMessageContext,
): string {
  const { language, currency } = context;
  const { l10n }: { readonly l10n: L10n } = context;
  return unit === 'money'
    ? formatMoney(amount, currency, language)
    : l10n.t('{0} tokens', amount.toLocaleString(language));
}

function invalid({ l10n }: { readonly l10n: L10n }): string {
  return l10n.t("Not sent: the setting {0} isn't valid. Fix it first.", settingIds.budget);
}
