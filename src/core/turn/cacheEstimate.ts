import { tokensPerPrice, type Price, type Usage } from '../conversation/usage.ts';
import { commonPrefixAndSuffix } from '../edits/lineDiff.ts';
import type { RequestPart } from './requestParts.ts';

export interface SentRequest {
  readonly model: string;
  readonly parts: readonly RequestPart[];
  /** Usage that the service reported for it; undefined if none was, or it is not known. */
  readonly usage?: Usage | undefined;
}

/** Estimate of the tokens of the next request that the service has in its cache. */
export interface CacheEstimate {
  /**
   * - `first`: nothing was sent before; `model`: the last request went to another model
   * - `unreported`: the service said nothing of the last request; `known`: it did
   */
  readonly basis: 'first' | 'model' | 'unreported' | 'known';
  /** Tokens from the start of the request. 0 unless the basis is `known`. */
  readonly tokens: number;
  /** Cached tokens that the service reported for the last request. */
  readonly reported: number;
  /** Index of the first part that differs from the last request; undefined if it only grew. */
  readonly brokenAt?: number | undefined;
  /** Upper bound of the tokens that would come from the cache without that change. */
  readonly lost: number;
}

/** Tokens of each part. They add up to the estimate of all characters, in spite of rounding. */
export function tokensOfParts(
  parts: readonly RequestPart[],
  tokensOf: (characters: number) => number,
): readonly number[] {
  let characters = 0;
  let before = tokensOf(0);
  return parts.map((part) => {
    characters += part.characters;
    const total = tokensOf(characters);
    const tokens = total - before;
    before = total;
    return tokens;
  });
}

/**
 * Estimates the part of a request that is in the service's cache: the beginning that it shares with
 * the last request, up to the number of cached tokens that the service reported last.
 *
 * @param parts of the next request
 * @param last the last request of the chat, to whatever model; undefined if there was none
 */
export function estimateCache(
  model: string,
  parts: readonly RequestPart[],
  last: SentRequest | undefined,
  tokensOf: (characters: number) => number,
): CacheEstimate {
  const none = { tokens: 0, reported: 0, lost: 0 };
  if (last === undefined) return { basis: 'first', ...none };
  if (last.model !== model) return { basis: 'model', ...none };
  const before = last.parts.filter(isRead);
  const { characters, brokenAt } = commonBeginning(parts, before);
  if (last.usage === undefined || last.usage.estimated)
    return { basis: 'unreported', ...none, brokenAt };
  const reported = last.usage.cached_tokens;
  const tokens = Math.min(tokensOf(characters), reported);
  const most = Math.min(tokensOf(lengthOf(before)), tokensOf(lengthOf(parts)), reported);
  return {
    basis: 'known',
    tokens,
    reported,
    brokenAt,
    lost: brokenAt === undefined ? 0 : Math.max(0, most - tokens),
  };
}

/** Additional cost of tokens without the cache; undefined if a price is not known. */
export function costOfLoss(tokens: number, price: Price | undefined): number | undefined {
  if (price?.cachedInput === undefined) return undefined;
  return (tokens * Math.max(0, price.input - price.cachedInput)) / tokensPerPrice;
}

function lengthOf(parts: readonly RequestPart[]): number {
  return parts.reduce((sum, { characters }) => sum + characters, 0);
}

/** Services cache the prompt, not the options. */
function isRead({ kind }: RequestPart): boolean {
  return kind !== 'option';
}

function commonBeginning(
  next: readonly RequestPart[],
  last: readonly RequestPart[],
): { readonly characters: number; readonly brokenAt: number | undefined } {
  let characters = 0;
  for (const [index, before] of last.entries()) {
    const part = next[index];
    if (part === undefined || !isRead(part)) return { characters, brokenAt: index };
    const isSame = isAlike(part, before);
    if (!isSame || part.text !== before.text) {
      // A model never reads only the beginning of an image.
      if (isSame && part.kind !== 'image')
        characters += commonPrefixAndSuffix(part.text, before.text).head;
      return { characters, brokenAt: index };
    }
    characters += part.characters;
  }
  return { characters, brokenAt: undefined };
}

function isAlike(part: RequestPart, other: RequestPart): boolean {
  const isCall = part.kind === 'call' || part.kind === 'result' || part.kind === 'tool';
  const sameCall = !isCall || (part.name === other.name && part.id === other.id);
  return wireRole(part) === wireRole(other) && part.message === other.message && sameCall;
}

function wireRole({ kind }: RequestPart): string {
  if (kind === 'custom') return 'system';
  return ['attachment', 'instructions', 'summary'].includes(kind) ? 'message' : kind;
}
