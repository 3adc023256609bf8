import { tokensPerPrice, type Price } from '../conversation/usage.ts';
import type { CompletionRequest } from './wire.ts';

/** Tokens of the longest replies of today's models, assumed for a model without known limits. */
export const longestReply = 131_072;

/** A limit that the person set for the usage of requests, and how much of it is used. */
export interface Budget {
  /** Scope of the budget: a chat, or a day or a month of the local calendar. */
  readonly of: 'chat' | 'day' | 'month';
  /** `money` is in units of the currency of the prices. */
  readonly unit: 'tokens' | 'money';
  readonly limit: number;
  readonly spent: number;
  /** The most that requests of unknown usage may use: running ones, and interrupted ones. */
  readonly reserved: number;
  /** Number of requests that have reserved it. */
  readonly running: number;
}

/** Tokens of a request. */
export interface RequestTokens {
  readonly prompt: number;
  readonly reply: number;
}

/** The known limits and the price of a request's model. */
export interface ModelLimits {
  readonly price: Price | undefined;
  /** The most tokens that a reply of the model can have. */
  readonly maxReply: number;
  /** Largest `max_tokens` that the model accepted after it had refused a larger one. */
  readonly accepted?: number | undefined;
  /** True if the model refuses any `max_tokens`, so that its replies can only be cut off. */
  readonly refusesLimit?: boolean | undefined;
  /** Absent if replies of the model are known to end at `max_tokens`. */
  readonly doubt?: ReplyDoubt | undefined;
}

/** Bound of the estimate of a reply: its tokens times `factor`, and `tokens` more. */
export interface ReplyDoubt {
  readonly factor: number;
  readonly tokens: number;
}

/** The highest estimate that a reply of this many tokens can have. */
export function mostEstimated(tokens: number, { factor, tokens: more }: ReplyDoubt): number {
  return Math.ceil(tokens * factor) + more;
}

/** A request as it may be sent, and the most tokens that it may then use: its reply is cut off there. */
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
 * Limits a request to all budgets by `max_tokens` (section 4.1), whatever is known of its model. A reply
 * gets an equal share of the rest: as much stays for each request that runs, and for one that may
 * follow. A model may ignore that, and its reply is then cut off at its share by estimate; so that this
 * cuts off no reply that does end there, the limit is lower by the doubt.
 *
 * @param promptTokens that the request has at most
 * @throws BudgetExceededError if not even one token of a reply is left
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
  // A reply that costs nothing is not limited.
  const isUnchanged = share === Infinity || refusesLimit || max_tokens === request.max_tokens;
  return { request: isUnchanged ? request : { ...request, max_tokens }, reserve };
}

const noDoubt: ReplyDoubt = { factor: 1, tokens: 0 };

function replyTokensLeft(budget: Budget, promptTokens: number, price: Price | undefined): number {
  const tokenCost = costPerToken(budget.unit, price);
  if (tokenCost === undefined) throw new BudgetExceededError(budget, undefined);
  const needed = promptTokens * tokenCost.prompt;
  const remaining = budget.limit - budget.spent - budget.reserved - needed;
  if (remaining < tokenCost.reply) throw new BudgetExceededError(budget, needed);
  return tokenCost.reply === 0 ? Infinity : Math.floor(remaining / tokenCost.reply);
}

/** Cost per token, in the unit of a budget; undefined if the price is needed and unknown. */
export function costPerToken(
  unit: Budget['unit'],
  price: Price | undefined,
): RequestTokens | undefined {
  if (unit === 'tokens') return { prompt: 1, reply: 1 };
  return price && { prompt: price.input / tokensPerPrice, reply: price.output / tokensPerPrice };
}
