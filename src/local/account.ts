import { ApiError } from './httpResponse.ts';
import type { LocalModel } from './models.ts';

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

export interface ApiKey {
  /** The secret, with the prefix `sk-`. */
  readonly key: string;
  readonly name: string;
  /** The models that this key may use; undefined for all. */
  readonly models?: readonly string[];
}

/** The keys and the wallet of one customer, which the web console of docs/service.md 5 manages. */
export class Account {
  readonly #keys = new Map<string, ApiKey | 'deleted'>();
  #balance: number;
  #tokens = 0;

  constructor(balance: number) {
    this.#balance = balance;
  }

  /** The balance of the wallet; the reply that exhausts it may take it below zero. */
  get balance(): number {
    return this.#balance;
  }

  /** Number of tokens that were charged. */
  get tokens(): number {
    return this.#tokens;
  }

  topUp(amount: number): void {
    this.#balance += amount;
  }

  createKey(key: ApiKey): void {
    this.#keys.set(key.key, key);
  }

  deleteKey(secret: string): void {
    this.#keys.set(secret, 'deleted');
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
    if (key === 'deleted') throw unauthorized('This API key was deleted.', 'deleted_api_key');
    return key;
  }

  /** Throws 402 if the wallet can't pay for a prompt. */
  admit(promptCost: number): void {
    if (this.#balance <= 0 || promptCost > this.#balance)
      throw new ApiError(402, 'The wallet is empty or its balance is too low. Top it up.', {
        code: 'insufficient_balance',
      });
  }

  charge(price: LocalModel['price'], tokens: BilledTokens): void {
    this.#balance -= requestCost(price, tokens);
    this.#tokens += tokens.prompt + tokens.completion;
  }
}

function unauthorized(message: string, code = 'invalid_api_key'): ApiError {
  return new ApiError(401, message, { code });
}
