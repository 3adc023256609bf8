import { usageCost } from '../../core/conversation/usage.ts';
import {
  BudgetExceededError,
  costPerToken,
  longestReply,
  withinBudgets,
  type Allowance,
  type Budget,
  type ReplyDoubt,
} from '../../core/service/budget.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { promptCharacters } from '../../core/turn/requestUsage.ts';
import type { BudgetSettings } from '../settingValues.ts';
import { exceeded, invalidBudget, tokenLimitExceeded } from './budgetTexts.ts';
import type { CountedUsage, Reservation } from './ledger.ts';
import type { TokenRatios } from './tokenRatios.ts';
import { localDay, monthOf } from './usageRecord.ts';
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
  /** Whether a model refuses any `max_tokens`. */
  readonly refusesLimit?: ((model: string) => boolean) | undefined;
  /** Whether replies of a model are known to end at `max_tokens`. */
  readonly keepsLimit?: ((model: string) => boolean) | undefined;
  /** The tokens that a model without a price may use each day, where the person set that. */
  readonly tokenLimitOf?: ((model: string) => number | undefined) | undefined;
}

/** Tokens around a message that count but aren't part of its text. */
const tokensOfMessage = 4;

/** Tokens that the estimate of a short reply may be off. */
const tokensOfDoubt = 16;

/** By how much the estimate of a reply of a model may be too high. */
export function replyDoubt(model: string, meter: Pick<TokenRatios, 'margin'>): ReplyDoubt {
  return { factor: meter.margin(model), tokens: tokensOfDoubt };
}

/**
 * The request, limited to the budgets, and what it may use.
 * @throws {UserError} where it exceeds them
 */
export function applyBudget(request: CompletionRequest, spending: Spending): Allowance {
  const { budget, meter, context } = spending;
  if (budget === 'invalid') throw invalidBudget(context);
  const { model, messages } = request;
  const estimated = meter.estimate(model, promptCharacters(request), 'prompt');
  const limit = tokenLimit(model, spending);
  const budgets =
    limit === undefined ? budgetsOf(budget, spending) : [tokenBudget(model, limit, spending)];
  if (budgets.length === 0) return { request, reserve: { prompt: estimated, reply: 0 } };
  const around = (messages.length + 1) * tokensOfMessage;
  const prompt = Math.ceil(estimated * meter.margin(model)) + around;
  const maxReply = spending.maxReplyOf(model) ?? longestReply;
  const limits = {
    price: context.priceOf(model),
    maxReply,
    accepted: spending.acceptedBy?.(model),
    refusesLimit: spending.refusesLimit?.(model),
    doubt: spending.keepsLimit?.(model) === true ? undefined : replyDoubt(model, meter),
  };
  try {
    return withinBudgets(request, prompt, budgets, limits);
  } catch (error) {
    if (!(error instanceof BudgetExceededError)) throw error;
    throw limit === undefined
      ? exceeded(error, model, context)
      : tokenLimitExceeded(model, limit, context);
  }
}

/** The limit that stands for the price of a model, where a budget in money needs one. */
function tokenLimit(model: string, spending: Spending): number | undefined {
  return needsPrice(model, spending) ? spending.tokenLimitOf?.(model) : undefined;
}

/** Whether a budget in money limits requests to a model whose price isn't known. */
export function needsPrice(
  model: string,
  { budget, context }: Pick<Spending, 'budget' | 'context'>,
): boolean {
  if (budget === 'invalid' || budget.unit === 'tokens' || !isLimited(budget)) return false;
  return context.priceOf(model) === undefined;
}

/**
 * Whether requests to a model that {@link needsPrice} have to wait for the person, as there is no
 * limit of tokens instead, or none is left.
 */
export function lacksLimit(model: string, spending: Spending): boolean {
  const limit = spending.tokenLimitOf?.(model);
  return limit === undefined || tokenBudget(model, limit, spending).spent >= limit;
}

/** Whether anything is limited, or may be. */
export function isLimited(budget: BudgetSettings | 'invalid'): boolean {
  if (budget === 'invalid') return true;
  return [budget.chat, budget.day, budget.month].some((limit) => limit !== undefined);
}

function tokenBudget(model: string, limit: number, { counted }: Spending): Budget {
  const open = counted.dayReserved.filter((reservation) => reservation.model === model);
  const reserved = open.reduce((sum, { prompt, reply }) => sum + prompt + reply, 0);
  const spent = counted.day.get(model)?.total_tokens ?? 0;
  return { of: 'day', unit: 'tokens', limit, spent, reserved, running: open.length };
}

function budgetsOf(settings: BudgetSettings, spending: Spending): readonly Budget[] {
  const { counted, context } = spending;
  const { unit } = settings;
  const spent = (usage: UsageByModel): number => spentOf(usage, unit, context);
  const open = (list: readonly Reservation[]): Pick<Budget, 'reserved' | 'running'> => ({
    reserved: list.reduce((sum, one) => sum + reservedOf(one, unit, context), 0),
    running: list.length,
  });
  const budgets: Budget[] = [];
  if (settings.chat !== undefined && spending.chat !== undefined) {
    // The chat may be older than the day, and other windows may have used it today.
    const used = Math.max(spent(spending.chat), spent(counted.chat));
    const limit = settings.chat;
    budgets.push({ of: 'chat', unit, limit, spent: used, ...open(counted.chatReserved) });
  }
  const periods = [
    ['day', counted.day, counted.dayReserved],
    ['month', counted.month, counted.monthReserved],
  ] as const;
  for (const [of, used, reservations] of periods) {
    const limit = settings[of];
    if (limit === undefined) continue;
    budgets.push({ of, unit, limit, spent: spent(used), ...open(reservations) });
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
  /** Models that take no `max_tokens`, so that their replies can only be stopped. */
  readonly unlimitedModels?: readonly string[];
}

/** The budgets of a chat at a time, and how much of each is used. */
export function usedBudgets(spending: Spending, chat: string, time: number): readonly UsedBudget[] {
  if (spending.budget === 'invalid') return [];
  const day = localDay(time);
  const periods = { chat, day, month: monthOf(day) };
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

/** What is left of a budget. */
export interface BudgetLeft {
  readonly of: Budget['of'];
  readonly unit: Budget['unit'];
  readonly limit: number;
  readonly left: number;
  /** The factor by which a request may exceed its estimate. */
  readonly margin: number;
}

/** What is left of each budget. */
export function budgetsLeft(spending: Spending, model: string): readonly BudgetLeft[] {
  if (spending.budget === 'invalid') return [];
  return budgetsOf(spending.budget, spending).map(({ of, unit, limit, spent, reserved }) => ({
    of,
    unit,
    limit,
    left: Math.max(0, limit - spent - reserved),
    margin: spending.meter.margin(model),
  }));
}

/** The budget with the smallest share left; undefined without one. */
export function tightestBudget(spending: Spending, model: string): BudgetLeft | undefined {
  const share = ({ left, limit }: BudgetLeft): number => (limit === 0 ? 0 : left / limit);
  return budgetsLeft(spending, model).toSorted((one, other) => share(one) - share(other))[0];
}
