import { tokensPerPrice, type Price } from '../conversation/usage.ts';
import type { Client, CompletionEvent } from './client.ts';
import { raceAbort } from '../support/async.ts';
import { ServiceError } from './errors.ts';
import { isRefusal } from './refusedOptions.ts';
import type { CompletionRequest } from './wire.ts';

/** Tokens of the longest replies of today's models, assumed for a model without known limits. */
export const longestReply = 131_072;

/** Number of reply tokens that every model accepts as a limit. */
const usualReply = 4096;

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

/**
 * The request to send instead of one whose `max_tokens` was set by {@link withinBudgets} and is more
 * than the model accepts; undefined if that isn't the reason of the error. The service usually names
 * the number that it accepts.
 */
export function withSmallerReply(
  request: CompletionRequest,
  error: unknown,
): CompletionRequest | undefined {
  const { max_tokens: sent } = request;
  if (sent === undefined || sent <= usualReply) return undefined;
  const detail = refusalOfLimit(error);
  if (detail === undefined) return undefined;
  const numbers = [...detail.matchAll(/\d{4,9}/g)].map(([digits]) => Number(digits));
  const accepted = numbers.filter((number) => number < sent && number >= usualReply);
  // No smaller number helps where the option itself is refused.
  if (accepted.length === 0 && isRefusal(error)) return undefined;
  return { ...request, max_tokens: Math.max(usualReply, ...accepted) };
}

/**
 * The request to send instead of one whose `max_tokens` was set by {@link withinBudgets}, where the model
 * takes none of any size; undefined if that isn't the reason of the error.
 */
export function withoutLimit(
  { max_tokens, ...request }: CompletionRequest,
  error: unknown,
): CompletionRequest | undefined {
  if (max_tokens === undefined || refusalOfLimit(error) === undefined) return undefined;
  return isRefusal(error) ? request : undefined;
}

/** The words of an error that is about `max_tokens`: also where a prompt leaves no room for as many. */
function refusalOfLimit(error: unknown): string | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const detail = (error.detail ?? '').slice(0, 2000);
  const isNamed = /max_(completion_)?tokens/.test(detail) || error.parameter === 'max_tokens';
  if (error.kind === 'bad-request') return isNamed ? detail : undefined;
  const isTooLong = error.kind === 'context-exceeded' && /max_|completion|output/i.test(detail);
  return isTooLong ? detail : undefined;
}

/** A request that was admitted: follows it to its end. */
export interface Admission {
  /** The request as it may be sent. */
  readonly request: CompletionRequest;
  /** True if the attempt that failed may be billed: then the next one must be admitted anew. */
  readonly isSpent: boolean;
  /** Resolves when it is on record that another attempt is sent. */
  sendAgain(): Promise<void>;
  /** Notes an event; returns an error if the reply must be cut off after it. */
  observe(event: CompletionEvent): Error | undefined;
  /**
   * Begins to record what was received, and resolves when it is on record; undefined if too little is
   * new. It may be called again while the record of the last call is still being written.
   */
  note(): Promise<void> | undefined;
  /** The request to send instead of the last one, which failed; undefined to fail. */
  instead(error: unknown): CompletionRequest | undefined;
  /** Called once at the end; `error` is what ended it, undefined if it was read or abandoned. */
  end(error: unknown, signal: AbortSignal | undefined): void;
}

/** An attempt that failed and may be billed. */
interface SpentAttempt {
  readonly error: unknown;
  /** Number of the next attempt. */
  readonly attempt: number;
}

/**
 * Wraps a client so that each completion request is admitted before it is sent, and followed to its
 * end; so is each attempt that comes after one that may be billed. If `admit` throws,
 * nothing is sent and its error is thrown.
 */
export function meteredClient(
  client: Client,
  admit: (request: CompletionRequest, signal: AbortSignal | undefined) => Promise<Admission>,
): Client {
  /** Sends other requests in place of those that fail. */
  async function* sendInstead(
    admission: Admission,
    first: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<CompletionEvent, SpentAttempt | undefined> {
    let { request } = admission;
    let attempt = first;
    for (;;) {
      try {
        return yield* send(client, { request, attempt }, admission, signal);
      } catch (error) {
        const next = admission.instead(error);
        if (next === undefined) throw error;
        request = next;
        attempt = 1;
      }
    }
  }

  return {
    ...client,
    async *stream(request, signal) {
      let attempt: number | undefined = 1;
      while (attempt !== undefined) {
        const admission = await admit(request, signal);
        let failure: unknown;
        try {
          const again: SpentAttempt | undefined = yield* sendInstead(admission, attempt, signal);
          attempt = again?.attempt;
          failure = again?.error;
        } catch (error) {
          failure = error;
          throw error;
        } finally {
          admission.end(failure, signal);
        }
      }
    },
  };
}

/** Sends a request until an attempt is spent. */
async function* send(
  client: Client,
  { request, attempt }: { readonly request: CompletionRequest; readonly attempt: number },
  admission: Admission,
  signal = new AbortController().signal,
): AsyncGenerator<CompletionEvent, SpentAttempt | undefined> {
  let error: unknown;
  let writing: Promise<void> | undefined;
  for await (const event of client.stream(request, signal, attempt)) {
    if (event.type === 'attempt' && admission.isSpent) {
      yield event;
      return { attempt: event.attempt, error };
    }
    if (event.type === 'retry') ({ error } = event);
    const exceeded = admission.observe(event);
    const noting = event.type === 'retry' ? undefined : admission.note();
    if (noting !== undefined) {
      // Usage that isn't in the log is lost to the budget if this process is killed, so the reply
      // waits for a slower disk. It does not wait for a line that has just begun.
      if (writing !== undefined) await raceAbort(writing, signal);
      writing = noting;
    }
    yield event;
    if (exceeded !== undefined) throw exceeded;
    if (event.type === 'attempt') await admission.sendAgain();
  }
  return undefined;
}
