import { knownCost, type Price, type Usage } from '../conversation/usage.ts';

/** What a turn may send before it pauses. */
export interface TurnLimit {
  /** `tokens` are those of prompts; `money` is in units of the currency of the prices. */
  readonly unit: 'tokens' | 'money';
  readonly amount: number;
  /** The amount of a request. */
  readonly amountOf: (usage: Usage) => number;
}

/** Tokens after which a turn pauses if no other limit is set. */
export const defaultTurnTokens = 1_000_000;

/**
 * The limit of a turn with a model.
 *
 * @param budget with the limit that the person set, if any
 * @param price undefined if it isn't known; then only tokens can be counted
 */
export function turnLimit(
  { turn, unit }: { readonly turn?: number | undefined; readonly unit: TurnLimit['unit'] },
  price?: Price,
): TurnLimit {
  if (unit === 'money' && turn !== undefined && price !== undefined)
    return { unit, amount: turn, amountOf: (usage) => knownCost(usage, price) ?? 0 };
  const amount = unit === 'tokens' ? turn : undefined;
  return {
    unit: 'tokens',
    amount: amount ?? defaultTurnTokens,
    amountOf: (usage) => usage.prompt_tokens,
  };
}
