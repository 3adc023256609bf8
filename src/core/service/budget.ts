import { tokensPerPrice, type Price } from '../conversation/usage.ts';
import type { Client } from './client.ts';
import type { CompletionRequest } from './wire.ts';

/** Number of reply tokens that every model accepts as a limit; few replies are longer. */
const usualReplyTokens = 4096;

/** A limit that the person set for the usage of requests, and how much of it is used. */
export interface Budget {
  /** Whether the budget applies to the open chat or to the day. */
  readonly of: 'chat' | 'day';
  /** `money` is in units of the currency of the prices. */
  readonly unit: 'tokens' | 'money';
  readonly limit: number;
  readonly spent: number;
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
 * Limits a request to all budgets: unchanged, or with `max_tokens` (section 4.1) if a reply of
 * usual length could exceed what is left.
 *
 * @param promptTokens of the request, estimated
 * @param price of its model, if known
 * @throws BudgetExceededError if not even one token of a reply is left
 */
export function withinBudgets(
  request: CompletionRequest,
  promptTokens: number,
  budgets: readonly Budget[],
  price: Price | undefined,
): CompletionRequest {
  const remaining = budgets.map((budget) => replyTokensLeft(budget, promptTokens, price));
  const maxTokens = Math.min(...remaining);
  return maxTokens >= (request.max_tokens ?? usualReplyTokens)
    ? request
    : { ...request, max_tokens: maxTokens };
}

function replyTokensLeft(budget: Budget, promptTokens: number, price: Price | undefined): number {
  const tokenCost = costPerToken(budget.unit, price);
  if (tokenCost === undefined) throw new BudgetExceededError(budget, undefined);
  const needed = promptTokens * tokenCost.prompt;
  const remaining = budget.limit - budget.spent - needed;
  if (remaining < tokenCost.reply) throw new BudgetExceededError(budget, needed);
  return tokenCost.reply === 0 ? Infinity : Math.floor(remaining / tokenCost.reply);
}

/** Cost per token, in the unit of the budget. */
function costPerToken(
  unit: Budget['unit'],
  price: Price | undefined,
): { readonly prompt: number; readonly reply: number } | undefined {
  if (unit === 'tokens') return { prompt: 1, reply: 1 };
  return price && { prompt: price.input / tokensPerPrice, reply: price.output / tokensPerPrice };
}

/** Wraps a client so that each completion request is checked before it is sent. */
export function checkedClient(
  client: Client,
  check: (request: CompletionRequest) => CompletionRequest,
): Client {
  return {
    ...client,
    async *stream(request, signal) {
      yield* client.stream(check(request), signal);
    },
  };
}
