import { tokensPerPrice, type Price } from '../conversation/usage.ts';
import type { Client } from './client.ts';
import type { CompletionRequest } from './wire.ts';

/** What a person lets requests use, and what was used of it. */
export interface Budget {
  /** The open chat, or the day. */
  readonly of: 'chat' | 'day';
  /** `money` is in units of the currency of the prices. */
  readonly unit: 'tokens' | 'money';
  readonly limit: number;
  readonly spent: number;
}

/** A request that was not sent: a budget has too little left for it, or is in money without a price. */
export class BudgetExceededError extends Error {
  override readonly name = 'BudgetExceededError';
  readonly budget: Budget;
  /** What the prompt alone uses, estimated; undefined where the price of the model is not known. */
  readonly needed: number | undefined;

  constructor(budget: Budget, needed: number | undefined) {
    super(`The budget of the ${budget.of} is used up`);
    this.budget = budget;
    this.needed = needed;
  }
}

/** Tokens of a reply that every model takes for a limit; few replies are longer. */
const usualReplyTokens = 4096;

/**
 * A request that stays within all budgets: as it is, or with `max_tokens` (section 4.1) such that a
 * reply of usual length does not use more than is left.
 *
 * @param promptTokens of the request, estimated
 * @param price of its model, where it is known
 * @throws OverBudget where not even one token of a reply is left
 */
export function withinBudgets(
  request: CompletionRequest,
  promptTokens: number,
  budgets: readonly Budget[],
  price: Price | undefined,
): CompletionRequest {
  const left = budgets.map((budget) => replyTokensLeft(budget, promptTokens, price));
  const most = Math.min(...left);
  return most >= (request.max_tokens ?? usualReplyTokens)
    ? request
    : { ...request, max_tokens: most };
}

function replyTokensLeft(budget: Budget, promptTokens: number, price: Price | undefined): number {
  const each = costOfEach(budget.unit, price);
  if (each === undefined) throw new BudgetExceededError(budget, undefined);
  const needed = promptTokens * each.prompt;
  const left = budget.limit - budget.spent - needed;
  if (left < each.reply) throw new BudgetExceededError(budget, needed);
  return each.reply === 0 ? Infinity : Math.floor(left / each.reply);
}

/** What a token costs, in the unit of the budget. */
function costOfEach(
  unit: Budget['unit'],
  price: Price | undefined,
): { readonly prompt: number; readonly reply: number } | undefined {
  if (unit === 'tokens') return { prompt: 1, reply: 1 };
  return price && { prompt: price.input / tokensPerPrice, reply: price.output / tokensPerPrice };
}

/** The same client, whose completions are checked each before it is sent. */
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
