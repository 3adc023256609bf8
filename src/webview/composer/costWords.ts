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
