import * as l10n from '@vscode/l10n';
import { formatTokens } from '../../core/conversation/usage.ts';
import type { SendCost } from '../../protocol/messages.ts';

/** Shares of the context window from which the meter is visible, and from which it warns. */
const shownShare = 0.25;
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
  if (cost.tokens < window * shownShare && leftOut === undefined) return undefined;
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
