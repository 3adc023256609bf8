import type { UsageCause } from '../../protocol/usageMessages.ts';
import * as l10n from '@vscode/l10n';
import { formatTokens, shownCount } from '../../core/conversation/usage.ts';
import { counted } from '../../core/support/counted.ts';
import { parseJson } from '../../core/support/json.ts';

/** Formats a duration: `0.8 s`, `12 s`, `2 min 5 s`, `3 h 20 min`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 9.95) return l10n.t('{0} s', numberInPage(seconds, 1));
  const whole = Math.round(seconds);
  if (whole < 60) return l10n.t('{0} s', whole);
  if (whole < 3600) return l10n.t('{0} min {1} s', Math.floor(whole / 60), whole % 60);
  const minutes = Math.round(whole / 60);
  return l10n.t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
}

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/**
 * A time in the last week such as `5 minutes ago` or `yesterday`; an earlier one as date: `Jan 31`.
 */
export function relativeTime(at: number, now: number): string {
  const language = pageLanguage() || undefined;
  const passed = now - at;
  if (passed >= 7 * day)
    return new Date(at).toLocaleDateString(language, { month: 'short', day: 'numeric' });
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  if (passed >= day) return format.format(-Math.floor(passed / day), 'day');
  if (passed >= hour) return format.format(-Math.floor(passed / hour), 'hour');
  return format.format(-Math.max(1, Math.floor(passed / minute)), 'minute');
}

/** Formats a number of tokens: `1 token`, `1.2k tokens`, `≈34 tokens`. */
export function tokensText(tokens: number, estimated = false): string {
  const count = formatTokens(tokens, estimated);
  return tokens === 1
    ? l10n.t('{0} token', count)
    : countText(l10n.t('{0} tokens'), shownCount(tokens), count);
}

/**
 * A number in the page's language, which can differ from the browser's.
 *
 * @param decimals exact number of decimals
 */
export function numberInPage(number: number, decimals = 0): string {
  return number.toLocaleString(pageLanguage() || undefined, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

/** {@link counted} in the page's language. */
export function countText(
  message: string,
  count: number,
  ...values: readonly (string | number)[]
): string {
  return counted(message, count, pageLanguage(), ...values);
}

/** Indents JSON; undefined if the text is not JSON. */
export function formatJson(text: string): string | undefined {
  const value = parseJson(text);
  return value === undefined ? undefined : JSON.stringify(value, undefined, 2);
}

/** Without a page, the language is that of the machine. */
function pageLanguage(): string {
  return 'document' in globalThis ? document.documentElement.lang : '';
}

/** For what tokens were sent or received. */
export function causeText(cause: UsageCause): string {
  const texts: Readonly<Record<typeof cause, string>> = {
    new: l10n.t('New text'),
    again: l10n.t('Text sent again without cache'),
    written: l10n.t('Text written to the cache'),
    cached: l10n.t('Cached text'),
    reply: l10n.t('Replies'),
    reasoning: l10n.t('Reasoning'),
    retries: l10n.t('Retries'),
  };
  return texts[cause];
}
