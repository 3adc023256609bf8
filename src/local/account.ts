import type { Clock } from '../core/support/clock.ts';
import { ApiError } from './httpResponse.ts';
import type { LocalModel } from './models.ts';

/** Milliseconds. */
const minute = 60_000;

/** The tokens that a request is charged for. `cached` is part of `prompt`. */
export interface BilledTokens {
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
}

/** The cost of a request, in units of the wallet. */
export function requestCost(price: LocalModel['price'], tokens: BilledTokens): number {
  const { prompt, cached, completion } = tokens;
  const input = (prompt - cached) * price.input + cached * price.cachedInput;
  return (input + completion * price.output) / 1_000_000;
}

/** The keys and the wallet of one customer, which the web console of docs/service.md 5 manages. */
export class Account {
  readonly #clock: Clock;
  readonly #keys = new Map<string, ApiKey>();
  #balance: number;

  constructor(clock: Clock, balance: number) {
    this.#clock = clock;
    this.#balance = balance;
  }

  /** The balance of the wallet; the reply that exhausts it may take it below zero. */
  get balance(): number {
    return this.#balance;
  }

  topUp(amount: number): void {
    this.#balance += amount;
  }

  createKey(settings: KeySettings): ApiKey {
    const key = new ApiKey(settings);
    this.#keys.set(settings.key, key);
    return key;
  }

  /** The key with this secret, even if it was deleted. */
  key(secret: string): ApiKey | undefined {
    return this.#keys.get(secret);
  }

  deleteKey(secret: string): void {
    const key = this.#keys.get(secret);
    if (key !== undefined) key.deleted = true;
  }

  /**
   * Returns the key of an `Authorization` header, or throws 401. Error messages never contain the
   * secret.
   */
  authenticate(header: string | null): ApiKey {
    if (header === null)
      throw unauthorized('No API key was given: send Authorization: Bearer <key>.');
    const secret = /^Bearer (sk-\S+)$/.exec(header)?.[1];
    if (secret === undefined) throw unauthorized('The Authorization header is not "Bearer sk-…".');
    const key = this.#keys.get(secret);
    if (key === undefined) throw unauthorized('Incorrect API key.');
    if (key.deleted) throw unauthorized('This API key was deleted.', 'deleted_api_key');
    if (this.#clock.wall() >= (key.settings.expiresAt ?? Infinity))
      throw unauthorized('This API key has expired.', 'expired_api_key');
    return key;
  }

  /** Admits a request and counts its prompt; throws 402 if it cannot be paid, 429 over a limit. */
  admit(key: ApiKey, promptTokens: number, promptCost: number): void {
    if (this.#balance <= 0 || promptCost > this.#balance)
      throw new ApiError(402, 'The wallet is empty or its balance is too low. Top it up.', {
        code: 'insufficient_balance',
      });
    if (key.spent + promptCost >= (key.settings.budget ?? Infinity))
      throw new ApiError(402, 'The budget of this API key is used up.', {
        code: 'budget_exceeded',
      });
    key.begin(this.#clock.monotonic(), promptTokens);
  }

  charge(key: ApiKey, price: LocalModel['price'], tokens: BilledTokens): void {
    const cost = requestCost(price, tokens);
    key.addTokens(this.#clock.monotonic(), tokens.completion);
    key.spent += cost;
    this.#balance -= cost;
  }
}

function unauthorized(message: string, code = 'invalid_api_key'): ApiError {
  return new ApiError(401, message, { code });
}

/** Settings of a new key (docs/service.md 5). Absent limits do not apply. */
export interface KeySettings {
  /** The secret, with the prefix `sk-`. */
  readonly key: string;
  readonly name: string;
  /** Maximum spending of this key, in units of the wallet. */
  readonly budget?: number;
  /** Completions within any sixty seconds. Listing models does not count. */
  readonly requestsPerMinute?: number;
  /** Tokens of prompts and replies within any sixty seconds. */
  readonly tokensPerMinute?: number;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt?: number;
  /** The models that this key may use; undefined for all. */
  readonly models?: readonly string[];
}

export class ApiKey {
  readonly settings: KeySettings;
  deleted = false;
  requests = 0;
  tokens = 0;
  spent = 0;
  readonly #requestWindow: RateWindow;
  readonly #tokenWindow: RateWindow;

  constructor(settings: KeySettings) {
    this.settings = settings;
    this.#requestWindow = new RateWindow(settings.requestsPerMinute ?? Infinity);
    this.#tokenWindow = new RateWindow(settings.tokensPerMinute ?? Infinity);
  }

  allows(model: string): boolean {
    return this.settings.models?.includes(model) ?? true;
  }

  /** Counts a request and its prompt, or throws 429; refused requests do not count. */
  begin(now: number, promptTokens: number): void {
    throwIfLimited(
      'requests',
      this.settings.requestsPerMinute,
      this.#requestWindow.waitFor(now, 1),
    );
    const wait = this.#tokenWindow.waitFor(now, promptTokens);
    throwIfLimited('tokens', this.settings.tokensPerMinute, wait);
    this.#requestWindow.add(now, 1);
    this.requests += 1;
    this.addTokens(now, promptTokens);
  }

  addTokens(now: number, amount: number): void {
    this.#tokenWindow.add(now, amount);
    this.tokens += amount;
  }
}

/**
 * Throws 429, without `Retry-After` if waiting cannot help because the prompt alone exceeds the
 * limit.
 */
function throwIfLimited(
  what: 'requests' | 'tokens',
  limit: number | undefined,
  wait: number,
): void {
  if (wait === 0) return;
  const message = `Rate limit of ${limit ?? 0} ${what} per minute exceeded for this key.`;
  const details = { type: what, code: 'rate_limit_exceeded' };
  if (!Number.isFinite(wait))
    throw new ApiError(429, `${message} The request is too large.`, details);
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  throw new ApiError(429, `${message} Please try again in ${seconds} s.`, {
    ...details,
    headers: { 'retry-after': String(seconds) },
  });
}

/**
 * Sums amounts of the last sixty seconds and compares them with a limit per minute. Times are
 * monotonic milliseconds.
 */
class RateWindow {
  readonly #limit: number;
  #entries: readonly { readonly at: number; readonly amount: number }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(now: number, amount: number): void {
    this.#removeExpired(now);
    this.#entries = [...this.#entries, { at: now, amount }];
  }

  /** Milliseconds until `amount` more fits: 0 for now, `Infinity` if it alone exceeds the limit. */
  waitFor(now: number, amount: number): number {
    if (amount > this.#limit) return Infinity;
    this.#removeExpired(now);
    let excess = this.#entries.reduce((sum, entry) => sum + entry.amount, amount) - this.#limit;
    if (excess <= 0) return 0;
    for (const entry of this.#entries) {
      excess -= entry.amount;
      if (excess <= 0) return entry.at + minute - now;
    }
    return Infinity;
  }

  #removeExpired(now: number): void {
    this.#entries = this.#entries.filter((entry) => entry.at + minute > now);
  }
}
