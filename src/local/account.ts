import type { Clock } from '../core/support/clock.ts';
import { ApiKey, type KeySettings } from './apiKey.ts';
import type { LocalModel } from './models.ts';
import { Refusal } from './refusal.ts';

/** The tokens that a request is charged for. `cached` is a part of `prompt`. */
export interface Consumption {
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
}

/** What a request costs, in units of the wallet. */
export function costOf(price: LocalModel['price'], tokens: Consumption): number {
  const { prompt, cached, completion } = tokens;
  const input = (prompt - cached) * price.input + cached * price.cachedInput;
  return (input + completion * price.output) / 1_000_000;
}

/** The keys and the wallet of one customer: what the web console of section 5 manages. */
export class Account {
  readonly #clock: Clock;
  readonly #keys = new Map<string, ApiKey>();
  #balance: number;

  constructor(clock: Clock, balance: number) {
    this.#clock = clock;
    this.#balance = balance;
  }

  /** What is left in the wallet; the reply that empties it may take it below zero. */
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

  /** The key with this secret, also after its deletion. */
  key(secret: string): ApiKey | undefined {
    return this.#keys.get(secret);
  }

  deleteKey(secret: string): void {
    const key = this.#keys.get(secret);
    if (key !== undefined) key.deleted = true;
  }

  /** The key of an `Authorization` header; throws 401. The refusals never repeat the secret. */
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

  /** Lets a request in and counts its prompt; throws 402 where it cannot be paid, 429 over a limit. */
  admit(key: ApiKey, promptTokens: number, promptCost: number): void {
    if (this.#balance <= 0 || promptCost > this.#balance)
      throw new Refusal(402, 'The balance of the wallet is empty or too low. Top it up.', {
        code: 'insufficient_balance',
      });
    if (key.spent + promptCost >= (key.settings.budget ?? Infinity))
      throw new Refusal(402, 'The budget of this API key is used up.', { code: 'budget_exceeded' });
    key.begin(this.#clock.monotonic(), promptTokens);
  }

  /** Takes the money for a request that was admitted. */
  charge(key: ApiKey, price: LocalModel['price'], tokens: Consumption): void {
    const cost = costOf(price, tokens);
    key.addTokens(this.#clock.monotonic(), tokens.completion);
    key.spent += cost;
    this.#balance -= cost;
  }
}

function unauthorized(message: string, code = 'invalid_api_key'): Refusal {
  return new Refusal(401, message, { code });
}
