import * as l10n from '@vscode/l10n';
import { estimatedMoney, formatTokens } from '../../core/conversation/usage.ts';
import type { SendBudget, SendCost } from '../../protocol/messages.ts';
import { tokensText } from '../parts/format.ts';

export interface CostText {
  /** Price (or tokens if unknown), exceeded limits, and budgets that are nearly used up. */
  readonly parts: readonly string[];
  /** The same in whole sentences, one per line. */
  readonly description: string;
  /** True if the message exceeds the context window or a budget. */
  readonly isOver: boolean;
}

interface CostTextOptions {
  /** Number of characters of the draft. */
  readonly length: number;
  readonly language: string;
  /** True if the message is sent without tools. */
  readonly withoutTools: boolean;
  /** True if no price is shown, as in the demo. */
  readonly isFree: boolean;
}

export function costText(
  cost: SendCost,
  { length, language, withoutTools, isFree }: CostTextOptions,
): CostText {
  const tokens = cost.tokens + Math.ceil(length * cost.perCharacter);
  const count = formatTokens(tokens, true);
  const { contextWindow: window, price, currency = '', toolTokens } = cost;
  const isOverWindow = window !== undefined && tokens > window;
  const money =
    price === undefined || isFree ? undefined : estimatedMoney(tokens * price, currency, language);
  const budget = cost.budget && budgetText(cost.budget, tokens, currency, language);
  return {
    parts: [
      ...(budget?.isOver === true
        ? []
        : [isOverWindow ? shareText(tokens, window) : (money ?? tokensText(tokens, true))]),
      ...(budget?.short === undefined ? [] : [budget.short]),
    ],
    description: [
      l10n.t('Estimated tokens for the next message: {0}', count),
      ...(toolTokens === undefined || withoutTools
        ? []
        : [l10n.t('Includes tools: {0}', formatTokens(toolTokens, true))]),
      ...(window === undefined ? [] : [windowText(tokens, window)]),
      ...(money === undefined
        ? []
        : [l10n.t('Estimated cost, not including the reply: {0}', money)]),
      ...(budget === undefined ? [] : [budget.sentence]),
    ].join('\n'),
    isOver: isOverWindow || budget?.isOver === true,
  };
}

function shareText(tokens: number, window: number): string {
  return l10n.t('{0}% of {1}', Math.round((100 * tokens) / window), formatTokens(window));
}

function windowText(tokens: number, window: number): string {
  const size = formatTokens(window);
  return tokens > window
    ? l10n.t("Exceeds the context window of {0} tokens. Older messages won't be sent.", size)
    : l10n.t('Context window: {0} tokens, including the reply', size);
}

interface BudgetText {
  readonly sentence: string;
  /** Text for the line; undefined while most of the budget remains. */
  readonly short: string | undefined;
  readonly isOver: boolean;
}

/** Remaining share of a budget from which it is always visible. */
const shownShare = 0.25;

function budgetText(
  budget: SendBudget,
  tokens: number,
  currency: string,
  language: string,
): BudgetText {
  const { of, unit, limit, remaining: available, perToken } = budget;
  const needed = tokens * perToken;
  if (needed > 0 && needed >= available) {
    const short = overText(of);
    return { sentence: l10n.t("{0}. The message won't be sent.", short), short, isOver: true };
  }
  const remaining = available - needed;
  const amount =
    unit === 'money'
      ? estimatedMoney(remaining, currency, language)
      : tokensText(Math.round(remaining), true);
  return {
    sentence: leftText(of, amount),
    short: remaining > limit * shownShare ? undefined : l10n.t('{0} left', amount),
    isOver: false,
  };
}

function overText(of: SendBudget['of']): string {
  switch (of) {
    case 'chat':
      return l10n.t('Over the chat budget');
    case 'day':
      return l10n.t('Over the daily budget');
    case 'month':
      return l10n.t('Over the monthly budget');
  }
}

function leftText(of: SendBudget['of'], amount: string): string {
  switch (of) {
    case 'chat':
      return l10n.t('Chat budget remaining after sending: {0}', amount);
    case 'day':
      return l10n.t('Daily budget remaining after sending: {0}', amount);
    case 'month':
      return l10n.t('Monthly budget remaining after sending: {0}', amount);
  }
}

/** Shares of the context window from which the meter is visible, and from which it warns. */
const meterShare = 0.25;
const tightShare = 0.8;

export interface MeterText {
  /** Percentage from 0 to 100. */
  readonly percent: number;
  readonly words: string;
  readonly description: string;
  /** True if little space remains, or parts are already omitted. */
  readonly isTight: boolean;
}

/**
 * Undefined if the window is unknown or mostly free. That doesn't depend on the draft, so that
 * nothing appears while the person types.
 *
 * @param length characters of the draft
 */
export function meterText(cost: SendCost, length: number): MeterText | undefined {
  const { contextWindow: window, leftOut } = cost;
  if (window === undefined) return undefined;
  if (cost.tokens < window * meterShare && leftOut === undefined) return undefined;
  const tokens = cost.tokens + Math.ceil(length * cost.perCharacter);
  const percent = Math.min(100, Math.round((100 * tokens) / window));
  const isFull = tokens >= window * tightShare;
  const { turns = 0, results = false, summarized = 0 } = leftOut ?? {};
  const about = l10n.t('About {0}% of the context window is used', percent);
  const words = isFull
    ? l10n.t('About {0}% of the context window is used: nearly full', percent)
    : about;
  const description = [
    words,
    l10n.t('{0} of {1} tokens', formatTokens(tokens, true), formatTokens(window)),
    ...(summarized > 0 ? [l10n.t('Older messages sent as a summary: {0}', summarized)] : []),
    ...(results ? [l10n.t('Older tool results are sent as one line each')] : []),
    ...(turns > 0 ? [l10n.t('Older messages not sent: {0}', turns)] : []),
  ].join('\n');
  return { percent, words, description, isTight: isFull || results || turns > 0 };
}
