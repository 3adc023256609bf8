import * as l10n from '@vscode/l10n';
import { formatMoney, formatTokens } from '../../core/conversation/usage.ts';
import type { SendCost } from '../../protocol/messages.ts';

/** The cost of sending as text; every figure is an estimate. */
export interface CostText {
  /** The tokens, the share of the context window and the price, as far as they are known. */
  readonly parts: readonly string[];
  readonly title: string;
  /** True if the message exceeds the context window. */
  readonly isOver: boolean;
}

/** @param length characters of the draft */
export function costText(cost: SendCost, length: number, language: string): CostText {
  const tokens = cost.tokens + Math.ceil(length * cost.perCharacter);
  const count = formatTokens(tokens, true);
  const { contextWindow: window, price, currency = '' } = cost;
  const money = price === undefined ? undefined : moneyText(tokens * price, currency, language);
  return {
    parts: [
      l10n.t('{0} tokens', count),
      ...(window === undefined ? [] : [shareText(tokens, window)]),
      ...(money === undefined ? [] : [money]),
    ],
    title: [
      l10n.t('Estimated tokens for the next message: {0}', count),
      ...(window === undefined ? [] : [windowText(tokens, window)]),
      ...(money === undefined
        ? []
        : [l10n.t('Estimated cost, not including the reply: {0}', money)]),
    ].join('\n'),
    isOver: window !== undefined && tokens > window,
  };
}

function shareText(tokens: number, window: number): string {
  const percent = Math.round((100 * tokens) / window);
  const shown = percent === 0 && tokens > 0 ? '<1' : String(percent);
  return l10n.t('{0}% of {1}', shown, formatTokens(window));
}

function windowText(tokens: number, window: number): string {
  const size = formatTokens(window);
  return tokens > window
    ? l10n.t("Exceeds the context window of {0} tokens. Older messages won't be sent.", size)
    : l10n.t('Context window: {0} tokens, including the reply', size);
}

function moneyText(amount: number, currency: string, language: string): string {
  const money = formatMoney(amount, currency, language);
  return money.startsWith('<') ? money : `≈${money}`;
}
