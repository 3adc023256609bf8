import { ratesAt, tokensPerPrice, type Price } from '../conversation/usage.ts';
import type { CompletionRequest } from './wire.ts';

/**
 * Tokens of the longest replies of current models, assumed if the limits of a model are unknown.
 */
export const longestReply = 131_072;

/** A limit that the person set for usage, and the amount used. */
export interface Budget {
  /** Scope: a chat, or a day or month of the local calendar. */
  readonly of: 'chat' | 'day' | 'month';
  /** The service or account that it limits; absent for all. */
  readonly account?: string;
  /** `money` is in units of the currency of the prices. */
  readonly unit: 'tokens' | 'money';
  readonly limit: number;
  readonly spent: number;
  /** Maximum usage of requests whose usage is unknown: running or interrupted ones. */
  readonly reserved: number;
  /** Number of requests included in `reserved`. */
  readonly running: number;
}

/** A budget with the period that it applies to now. */
export interface UsedBudget extends Budget {
  /** The id of the chat, the day or the month. */
  readonly period: string;
  /** Models that refuse `max_tokens`, so that their replies can only be stopped. */
  readonly unlimitedModels?: readonly string[];
}

/** The share of a budget that requests which have ended used. It may exceed 1. */
export function shareOf({ spent, limit }: Budget): number {
  return limit === 0 ? 1 : spent / limit;
}

/** What is left of a budget for further requests, in its unit. */
export function remainingOf({ limit, spent, reserved }: Budget): number {
  return Math.max(0, limit - spent - reserved);
}

export interface RequestTokens {
  readonly prompt: number;
  readonly reply: number;
}

/** Known limits of a model, and its price. */
export interface ModelLimits {
  readonly price: Price | undefined;
  /** The most tokens that a reply of the model can have. */
  readonly maxReply: number;
  /** Largest `max_tokens` that the model accepted after it had refused a larger one. */
  readonly accepted?: number | undefined;
  /** True if the model refuses any `max_tokens`. Its replies can only be cut off. */
  readonly refusesLimit?: boolean | undefined;
  /** Undefined if replies of the model are known to stop at `max_tokens`. */
  readonly doubt?: ReplyDoubt | undefined;
}

/** Upper bound of an estimate: the tokens of a reply times `factor`, plus `tokens`. */
export interface ReplyDoubt {
  readonly factor: number;
  readonly tokens: number;
}

/** The highest estimate that a reply of this many tokens can have. */
export function mostEstimated(tokens: number, { factor, tokens: more }: ReplyDoubt): number {
  return Math.ceil(tokens * factor) + more;
}

/** A request that may be sent, and what it reserves. */
export interface Allowance {
  readonly request: CompletionRequest;
  readonly reserve: RequestTokens;
}

/**
 * Thrown instead of sending a request if the remaining budget is too small, or if the budget is in
 * money and the price of the model is unknown.
 */
export class BudgetExceededError extends Error {
  override readonly name = 'BudgetExceededError';
  readonly budget: Budget;
  /** Estimated usage of the prompt alone; undefined if the price of the model is unknown. */
  readonly needed: number | undefined;

  constructor(budget: Budget, needed: number | undefined) {
    super(`The budget of the ${budget.of} is used up`);
    this.budget = budget;
    this.needed = needed;
  }
}

/**
 * Limits a request to all budgets by `max_tokens` (docs/service.md 4.1). A reply gets an equal
 * share of the remaining budget: each running request, and one that may follow, has the same. A
 * model may ignore the limit; its reply is then cut off at its share, by estimate. The limit is
 * lower than the share by the uncertainty of the estimate, so that no reply is cut off that would
 * have stopped at the limit.
 *
 * @param promptTokens upper bound of the request's tokens
 * @throws BudgetExceededError if not even one token of a reply remains
 */
export function withinBudgets(
  request: CompletionRequest,
  promptTokens: number,
  budgets: readonly Budget[],
  { price, maxReply, accepted = Infinity, refusesLimit = false, doubt = noDoubt }: ModelLimits,
): Allowance {
  const shares = budgets.map((budget) => {
    const available = replyTokensLeft(budget, promptTokens, price);
    return Math.max(1, Math.floor(available / (budget.running + 2)));
  });
  const share = Math.min(...shares);
  const within = Math.max(1, Math.floor((share - doubt.tokens) / doubt.factor));
  const wanted = request.max_tokens ?? maxReply;
  const max_tokens = Math.min(wanted, within, accepted);
  const reply = Math.min(share, mostEstimated(max_tokens, doubt));
  const reserve = { prompt: promptTokens, reply };
  // A free reply is not limited.
  const isUnchanged = share === Infinity || refusesLimit || max_tokens === request.max_tokens;
  return { request: isUnchanged ? request : { ...request, max_tokens }, reserve };
}

const noDoubt: ReplyDoubt = { factor: 1, tokens: 0 };

function replyTokensLeft(budget: Budget, promptTokens: number, price: Price | undefined): number {
  const tokenCost = costPerToken(budget.unit, price, promptTokens);
  if (tokenCost === undefined) throw new BudgetExceededError(budget, undefined);
  const fee = budget.unit === 'money' ? (price?.request ?? 0) : 0;
  const needed = promptTokens * tokenCost.prompt + fee;
  const remaining = budget.limit - budget.spent - budget.reserved - needed;
  if (remaining < tokenCost.reply) throw new BudgetExceededError(budget, needed);
  return tokenCost.reply === 0 ? Infinity : Math.floor(remaining / tokenCost.reply);
}

/**
 * Highest cost per token, in the unit of a budget; undefined if the price is needed and unknown.
 *
 * @param promptTokens of a request whose prices rise with its length
 */
export function costPerToken(
  unit: Budget['unit'],
  price: Price | undefined,
  promptTokens = 0,
): RequestTokens | undefined {
  if (unit === 'tokens') return { prompt: 1, reply: 1 };
  if (price === undefined) return undefined;
  const { input, output, cacheWrite = 0, reasoning = 0 } = ratesAt(price, promptTokens);
  return {
    prompt: Math.max(input, cacheWrite) / tokensPerPrice,
    reply: Math.max(output, reasoning) / tokensPerPrice,
  };
}

/**
 * The most that a request may use, in the unit of a budget; 0 if the price is needed and unknown.
 */
export function reservedAmount(
  unit: Budget['unit'],
  price: Price | undefined,
  { prompt, reply }: RequestTokens,
): number {
  const cost = costPerToken(unit, price, prompt);
  const fee = unit === 'money' ? (price?.request ?? 0) : 0;
  return cost === undefined ? 0 : prompt * cost.prompt + reply * cost.reply + fee;
}
