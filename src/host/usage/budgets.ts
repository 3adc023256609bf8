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
import type { LearnedFacts } from '../../core/service/learnedFacts.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { promptCharacters } from '../../core/service/requestUsage.ts';
import type { BudgetSettings } from '../settingValues.ts';
import { exceeded, invalidBudget, tokenLimitExceeded } from './budgetTexts.ts';
import type { CountedUsage, Reservation } from './usageLog.ts';
import type { TokenEstimates } from './tokenRatios.ts';
import { localDay, monthOf } from './usageRecord.ts';
import { totalOf, type UsageByModel, type UsageContext } from './usageTable.ts';

export interface Spending {
  /** `invalid` if the setting is invalid, so that the limit is unknown. */
  readonly budget: BudgetSettings | 'invalid';
  readonly counted: CountedUsage;
  /** The usage of the request's chat; undefined outside chats. */
  readonly chat: UsageByModel | undefined;
  readonly meter: TokenEstimates;
  readonly context: UsageContext;
  /** Maximum tokens of a model's reply, if known. */
  readonly maxReplyOf: (model: string) => number | undefined;
  readonly facts?: LearnedFacts | undefined;
  /** Daily token limit of a model without a price, if the person set one. */
  readonly tokenLimitOf?: ((model: string) => number | undefined) | undefined;
}

/** Tokens of each message that aren't part of its text. */
const tokensOfMessage = 4;

/** Tokens by which the estimate of a short reply may be off. */
const tokensOfDoubt = 16;

export function replyDoubt(model: string, meter: TokenEstimates): ReplyDoubt {
  return { factor: meter.margin(model), tokens: tokensOfDoubt };
}

/**
 * Limits a request to the budgets. Returns it with its maximum usage.
 *
 * @throws {UserError} if it exceeds a budget
 */
export function applyBudget(request: CompletionRequest, spending: Spending): Allowance {
  const { budget, meter, context, facts = {} } = spending;
  if (budget === 'invalid') throw invalidBudget();
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
    accepted: facts.acceptedLimit,
    refusesLimit: facts.refusesLimit,
    doubt: facts.keepsLimit === true ? undefined : replyDoubt(model, meter),
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

/** The token limit that replaces an unknown price in a budget in money. */
function tokenLimit(model: string, spending: Spending): number | undefined {
  return needsPrice(model, spending.budget, spending.context)
    ? spending.tokenLimitOf?.(model)
    : undefined;
}

/** True if a budget in money limits requests to a model with an unknown price. */
export function needsPrice(
  model: string,
  budget: BudgetSettings | 'invalid',
  context: UsageContext,
): boolean {
  if (budget === 'invalid' || budget.unit === 'tokens' || !isLimited(budget)) return false;
  return context.priceOf(model) === undefined;
}

/**
 * True if requests to a model that {@link needsPrice} must wait for the person: it has no token
 * limit, or the limit is used up.
 */
export function lacksLimit(model: string, spending: Spending): boolean {
  const limit = spending.tokenLimitOf?.(model);
  return limit === undefined || tokenBudget(model, limit, spending).spent >= limit;
}

/** True if usage is limited, or may be. */
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
  const open = (list: readonly Reservation[]) => ({
    reserved: list.reduce((sum, reservation) => sum + reservedOf(reservation, unit, context), 0),
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

/** The spent amount. A model without a price adds nothing, since a budget in money blocks it. */
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

export interface UsedBudget extends Budget {
  /** The id of the chat, the day or the month. */
  readonly period: string;
  /** Models that refuse `max_tokens`, so that their replies can only be stopped. */
  readonly unlimitedModels?: readonly string[];
}

/** The budgets of a chat at a time, with their usage. */
export function usedBudgets(spending: Spending, chat: string, time: number): readonly UsedBudget[] {
  if (spending.budget === 'invalid') return [];
  const day = localDay(time);
  const periods = { chat, day, month: monthOf(day) };
  return budgetsOf(spending.budget, spending).map((budget) => ({
    ...budget,
    period: periods[budget.of],
  }));
}

/** The share of a budget that requests which have ended used. It may exceed 1. */
export function shareOf({ spent, limit }: Budget): number {
  return limit === 0 ? 1 : spent / limit;
}

export interface BudgetLeft {
  readonly of: Budget['of'];
  readonly unit: Budget['unit'];
  readonly limit: number;
  readonly remaining: number;
  /** The factor by which a request may exceed its estimate. */
  readonly margin: number;
}

/** The remaining part of each budget. */
export function budgetsLeft(spending: Spending, model: string): readonly BudgetLeft[] {
  if (spending.budget === 'invalid') return [];
  return budgetsOf(spending.budget, spending).map(({ of, unit, limit, spent, reserved }) => ({
    of,
    unit,
    limit,
    remaining: Math.max(0, limit - spent - reserved),
    margin: spending.meter.margin(model),
  }));
}

/** The budget with the smallest remaining share; undefined without budgets. */
export function tightestBudget(spending: Spending, model: string): BudgetLeft | undefined {
  const share = ({ remaining, limit }: BudgetLeft): number => (limit === 0 ? 0 : remaining / limit);
  return budgetsLeft(spending, model).toSorted((a, b) => share(a) - share(b))[0];
}
