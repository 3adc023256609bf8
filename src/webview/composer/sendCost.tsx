import * as l10n from '@vscode/l10n';
import { Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import { estimatedMoney, formatTokens } from '../../core/conversation/usage.ts';
import type { SendBudget, SendCost } from '../../protocol/messages.ts';
import { Icon } from '../parts/controls.tsx';
import { tokensText } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';

/**
 * The estimated cost of sending now. The host counts everything except the draft, which is counted
 * here.
 */
export function CostLine() {
  const store = useStore();
  const panel = store.panel.value;
  if (panel === undefined || panel.connection.kind === 'none') return null;
  const { connection, cost } = panel;
  const isFree = connection.kind === 'demo';
  return <CostNote cost={cost} length={store.draft.text.value.length} isFree={isFree} />;
}

interface CostNoteProps {
  readonly cost: SendCost;
  /** Number of characters of the draft, which the host hasn't counted. */
  readonly length: number;
  /** True if no price is shown. */
  readonly isFree?: boolean;
}

export function CostNote({ cost, length, isFree = false }: CostNoteProps) {
  const { lang } = document.documentElement;
  const store = useStore();
  const withoutTools = store.panel.value?.mode === 'chat';
  const { parts, description, isOver } = costText(cost, length, lang, withoutTools, isFree);
  const warning = isOver ? (description.split('\n').at(-1) ?? '') : '';
  useEffect(() => {
    if (warning !== '') store.announce(warning);
    // Announced once, since its numbers change with each key.
  }, [store, isOver]);
  return (
    <span
      class={isOver ? 'cost over' : 'cost'}
      role="note"
      // A screen reader pauses between sentences.
      aria-label={description.replaceAll('\n', '. ')}
      title={description}
    >
      {parts.map((part, index) => (
        <Fragment key={index}>
          {index > 0 && ' · '}
          <span>
            {isOver && index === 0 && <Icon name="warning" />}
            {part}
          </span>
        </Fragment>
      ))}
    </span>
  );
}

/** Share of the context window that the next request uses. A click shows actions on the context. */
export function ContextMeter() {
  const store = useStore();
  const panel = store.panel.value;
  if (panel === undefined || panel.connection.kind === 'none') return null;
  const meter = meterText(panel.cost, store.draft.text.value.length);
  if (meter === undefined) return null;
  const { percent, words, description, isTight } = meter;
  return (
    <span class={isTight ? 'context-meter tight' : 'context-meter'}>
      <span
        role="meter"
        aria-label={l10n.t('Context')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={words}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <circle cx="8" cy="8" r="6" />
          <circle
            class="used"
            cx="8"
            cy="8"
            r="6"
            pathLength="100"
            stroke-dasharray={`${percent} 100`}
          />
        </svg>
      </span>
      {/* Not around the meter: assistive technology reads only the text inside a button. */}
      <button
        type="button"
        class="icon-button"
        aria-label={l10n.t('Context…')}
        title={description}
        onClick={() => store.post('show-context', {})}
      />
    </span>
  );
}

export interface CostText {
  /** Price (or tokens if unknown), exceeded limits, and budgets that are nearly used up. */
  readonly parts: readonly string[];
  /** The same in whole sentences, one per line. */
  readonly description: string;
  /** True if the message exceeds the context window or a budget. */
  readonly isOver: boolean;
}

/**
 * The cost of sending a message, which the host has counted without its text.
 *
 * @param length characters of the text
 * @param withoutTools true if the message is sent without tools
 * @param isFree true if no price is shown, as in the demo
 */
export function costText(
  cost: SendCost,
  length: number,
  language: string,
  withoutTools: boolean,
  isFree: boolean,
): CostText {
  const tokens = cost.tokens + Math.ceil(length * cost.perCharacter);
  const count = formatTokens(tokens, true);
  const { contextWindow: window, price, currency = '', toolTokens } = cost;
  const isOverWindow = window !== undefined && tokens > window;
  const money =
    price === undefined || isFree ? undefined : estimatedMoney(tokens * price, currency, language);
  const budget = cost.budget && budgetText(cost.budget, tokens, currency, language);
  const size = window === undefined ? '' : formatTokens(window);
  const share = isOverWindow
    ? l10n.t('{0}% of {1}', Math.round((100 * tokens) / window), size)
    : (money ?? tokensText(tokens, true));
  const lines = [l10n.t('Estimated tokens for the next message: {0}', count)];
  if (toolTokens !== undefined && !withoutTools)
    lines.push(l10n.t('Includes tools: {0}', formatTokens(toolTokens, true)));
  if (isOverWindow)
    lines.push(
      l10n.t("Exceeds the context window of {0} tokens. Older messages won't be sent.", size),
    );
  else if (window !== undefined)
    lines.push(l10n.t('Context window: {0} tokens, including the reply', size));
  if (money !== undefined)
    lines.push(l10n.t('Estimated cost, not including the reply: {0}', money));
  if (budget !== undefined) lines.push(budget.sentence);
  return {
    parts: [...(budget?.isOver === true ? [] : [share]), ...(budget?.short ?? [])],
    description: lines.join('\n'),
    isOver: isOverWindow || budget?.isOver === true,
  };
}

/** Remaining share of a budget from which it is always visible. */
const shownShare = 0.25;

/** `short` is for the line, and empty while most of the budget remains. */
function budgetText(budget: SendBudget, tokens: number, currency: string, language: string) {
  const { of, unit, limit, remaining: available, perToken } = budget;
  const needed = tokens * perToken;
  if (needed > 0 && needed >= available) {
    const over = {
      chat: l10n.t('Over the chat budget'),
      day: l10n.t('Over the daily budget'),
      month: l10n.t('Over the monthly budget'),
    }[of];
    const sentence = l10n.t("{0}. The message won't be sent.", over);
    return { sentence, short: [over], isOver: true };
  }
  const remaining = available - needed;
  const amount =
    unit === 'money'
      ? estimatedMoney(remaining, currency, language)
      : tokensText(Math.round(remaining), true);
  const sentence = {
    chat: l10n.t('Chat budget remaining after sending: {0}', amount),
    day: l10n.t('Daily budget remaining after sending: {0}', amount),
    month: l10n.t('Monthly budget remaining after sending: {0}', amount),
  }[of];
  const isShown = remaining <= limit * shownShare;
  return { sentence, short: isShown ? [l10n.t('{0} left', amount)] : [], isOver: false };
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
