import type { Stored, storedPrice, storedUsage } from './conversationSchema.ts';

/** Characters per token in English prose and code, for models without measured values. */
export const usualRatio = 4;

export const tokensPerPrice = 1_000_000;

export type Usage = Stored<typeof storedUsage>;

export const zeroUsage: Usage = {
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cached_tokens: 0,
  requests: 0,
  estimated: false,
};

/** Adds the usage of two different requests. Not for two chunks of one request. */
export function addUsage(first: Usage, second: Usage): Usage {
  const sum: { -readonly [Key in keyof Usage]: Usage[Key] } = {
    prompt_tokens: first.prompt_tokens + second.prompt_tokens,
    completion_tokens: first.completion_tokens + second.completion_tokens,
    total_tokens: first.total_tokens + second.total_tokens,
    cached_tokens: first.cached_tokens + second.cached_tokens,
    requests: first.requests + second.requests,
    estimated: first.estimated || second.estimated,
  };
  for (const field of ['reasoning_tokens', 'written_tokens', 'retried_tokens'] as const) {
    const count = (first[field] ?? 0) + (second[field] ?? 0);
    if (count > 0) sum[field] = count;
  }
  for (const field of ['cost', 'billed'] as const) {
    // The sum is unknown if one amount is, except that of a part without requests.
    const known = [first, second].filter(({ requests }) => requests !== 0);
    const amounts = (known.length > 0 ? known : [second]).map((usage) => usage[field]);
    if (amounts.every((amount) => amount !== undefined))
      sum[field] = amounts.reduce((total, amount) => total + amount, 0);
  }
  return sum;
}

/** A short token count: `999`, `12.4k`, `1.2M`, prefixed with `≈` for an estimate. */
export function formatTokens(tokens: number, estimated = false): string {
  const sign = estimated ? '≈' : '';
  if (tokens < 1000) return `${sign}${tokens}`;
  // 999,950 and more would round to "1000.0k".
  const [unit, letter] = tokens < 999_950 ? [1000, 'k'] : [1_000_000, 'M'];
  return sign + (tokens / unit).toFixed(1).replace(/\.0$/, '') + letter;
}

/**
 * The number after {@link formatTokens} that selects the plural form, without the omitted digits.
 */
export function shownCount(tokens: number): number {
  return Math.min(tokens, 1000);
}

export type Price = Stored<typeof storedPrice>;

/** Prices per million tokens that hold for one request. */
export type Rates = Pick<Price, 'input' | 'output' | 'cachedInput' | 'cacheWrite' | 'reasoning'>;

/** The prices of a request with this many prompt tokens. */
export function ratesAt(price: Price, promptTokens: number): Rates {
  return price.tiers?.findLast(({ from }) => from <= promptTokens) ?? price;
}

/**
 * The cost of the usage, in units of the currency. The tier of several requests is that of their
 * average length.
 *
 * @param images the number of images that were sent
 */
export function usageCost(usage: Usage, price: Price, images = 0): number {
  const rates = ratesAt(price, usage.prompt_tokens / Math.max(1, usage.requests));
  const cached = Math.min(usage.cached_tokens, usage.prompt_tokens);
  const written = Math.min(usage.written_tokens ?? 0, usage.prompt_tokens - cached);
  const reasoning = Math.min(usage.reasoning_tokens ?? 0, usage.completion_tokens);
  const tokens =
    (usage.prompt_tokens - cached - written) * rates.input +
    cached * (rates.cachedInput ?? rates.input) +
    written * (rates.cacheWrite ?? rates.input) +
    (usage.completion_tokens - reasoning) * rates.output +
    reasoning * (rates.reasoning ?? rates.output);
  const fees = usage.requests * (price.request ?? 0) + images * (price.image ?? 0);
  return tokens / tokensPerPrice + fees;
}

/** The stored cost, or that at a price for usage from before costs were stored, if it is known. */
export function knownCost(usage: Usage, price: Price | undefined): number | undefined {
  return usage.cost ?? (price && usageCost(usage, price));
}

/** A price with the currency that was set at the time. */
export type PriceThen = Price & { readonly currency: string };

/** Services report prices and billed amounts in US dollars. */
export const currencyOfServices = '$';

/**
 * Adds the cost to the usage of one attempt: that of its price, or the billed amount if it is
 * larger. Without a price and a billed amount, the cost stays unknown.
 *
 * @param images number of images in the request
 */
export function withCost(usage: Usage, price: PriceThen | undefined, images: number): Usage {
  const { billed } = usage;
  if (price === undefined) return billed === undefined ? usage : { ...usage, cost: billed };
  const isInDollars = price.currency === currencyOfServices;
  const cost = Math.max(usageCost(usage, price, images), isInDollars ? (billed ?? 0) : 0);
  return { ...usage, cost };
}

/**
 * Formats an amount with enough decimals to differ from zero: `$12.30`, `$0.042`, `$0.0012`, and
 * `<$0.0001` for smaller ones. A currency that is a word is separated by a space: `EUR 0.042`.
 */
export function formatMoney(amount: number, currency: string, language: string): string {
  const prefix = /\p{L}$/u.test(currency) ? `${currency} ` : currency;
  if (amount > 0 && amount < 0.0001) return `<${prefix}${format(0.0001, 4, language)}`;
  const decimals = amount === 0 || amount >= 1 ? 2 : amount >= 0.01 ? 3 : 4;
  return prefix + format(amount, decimals, language);
}

/** {@link formatMoney} of an estimate: `≈$0.042`, but `<$0.0001`. */
export function estimatedMoney(amount: number, currency: string, language: string): string {
  const money = formatMoney(amount, currency, language);
  return money.startsWith('<') ? money : `≈${money}`;
}

function format(amount: number, decimals: number, language: string): string {
  return amount.toLocaleString(language, {
    minimumFractionDigits: Math.min(2, decimals),
    maximumFractionDigits: decimals,
  });
}

/** The part of a model id after its last slash, which distinguishes models of one provider. */
export function shortModelName(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1) || id;
}
