import { Refusal } from './refusal.ts';
import { RateWindow } from './rateWindow.ts';

/** What is chosen when a key is made (section 5). What is absent is not limited. */
export interface KeySettings {
  /** The secret, with the prefix `sk-`. */
  readonly key: string;
  readonly name: string;
  /** The most that this key may spend, in units of the wallet. */
  readonly budget?: number;
  /** Completions in any sixty seconds. Listing models does not count. */
  readonly requestsPerMinute?: number;
  /** Tokens, of prompts and replies, in any sixty seconds. */
  readonly tokensPerMinute?: number;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt?: number;
  /** The models that this key sees; all where absent. */
  readonly models?: readonly string[];
}

/** A key of an account, and what it has used so far. */
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

  /** Counts a request and its prompt, or throws 429; a refused request does not count. */
  begin(now: number, promptTokens: number): void {
    refuseFor('requests', this.settings.requestsPerMinute, this.#requestWindow.waitFor(now, 1));
    const wait = this.#tokenWindow.waitFor(now, promptTokens);
    refuseFor('tokens', this.settings.tokensPerMinute, wait);
    this.#requestWindow.add(now, 1);
    this.requests += 1;
    this.addTokens(now, promptTokens);
  }

  addTokens(now: number, amount: number): void {
    this.#tokenWindow.add(now, amount);
    this.tokens += amount;
  }
}

/** Without `Retry-After` where no waiting helps: the prompt alone is more than the limit. */
function refuseFor(what: 'requests' | 'tokens', limit: number | undefined, wait: number): void {
  if (wait === 0) return;
  const message = `Rate limit of ${limit ?? 0} ${what} per minute exceeded for this key.`;
  const details = { type: what, code: 'rate_limit_exceeded' };
  if (!Number.isFinite(wait))
    throw new Refusal(429, `${message} The request is too large.`, details);
  const seconds = Math.max(1, Math.ceil(wait / 1000));
  throw new Refusal(429, `${message} Please try again in ${seconds} s.`, {
    ...details,
    headers: { 'retry-after': String(seconds) },
  });
}
