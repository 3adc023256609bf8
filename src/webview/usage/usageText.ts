import * as l10n from '@vscode/l10n';
import { formatMoney, formatTokens, shownCount } from '../../core/conversation/usage.ts';
import { counted } from '../../core/support/counted.ts';
import type {
  Cost,
  ShownBudget,
  UsageAmounts,
  UsageRow,
  UsageTile,
} from '../../protocol/usageMessages.ts';

export interface Locale {
  /** VS Code's display language. */
  readonly language: string;
  readonly currency: string;
}

/** A number in full, with `≈` for an estimate. */
export function numberText(count: number, { language }: Locale, estimated = false): string {
  return (estimated && count > 0 ? '≈' : '') + count.toLocaleString(language);
}

/** The known cost; undefined if no price is known, with `≥` if some are unknown. */
export function knownCostText(amounts: UsageAmounts, { language }: Locale): string | undefined {
  const { costs, unpriced, estimated } = amounts;
  const written = costsText(costs, language);
  const approximate = estimated ? '≈' : '';
  return written && (unpriced ? '≥' : approximate) + written;
}

/** Amounts of all currencies; undefined if there are none. */
export function costsText(costs: readonly Cost[], language: string): string | undefined {
  if (costs.length === 0) return undefined;
  return costs.map(({ currency, amount }) => formatMoney(amount, currency, language)).join(' + ');
}

/** The share of the prompt that came from the cache. */
export function cachedText({ prompt, cached }: UsageAmounts, locale: Locale): string {
  return shareText(cached, prompt, locale);
}

/** A part in per cent. */
export function shareText(part: number, whole: number, { language }: Locale): string {
  const share = whole === 0 ? 0 : Math.min(1, part / whole);
  return share.toLocaleString(language, { style: 'percent' });
}

function requestsText(requests: number, locale: Locale): string {
  return requests === 1
    ? l10n.t('1 request')
    : counted(l10n.t('{0} requests'), requests, locale.language);
}

/** Text such as `12.4k tokens · $0.42 · 12 requests`. */
export function summaryText(amounts: UsageAmounts, locale: Locale, isDemo: boolean): string {
  const { total, estimated } = amounts;
  const amount = formatTokens(total, estimated);
  const tokens = counted(l10n.t('{0} tokens'), shownCount(total), locale.language, amount);
  return `${tokens} · ${costAndRequests(amounts, locale, isDemo)}`;
}

/** Text such as `$0.42 · 12 requests`. */
export function costAndRequests(amounts: UsageAmounts, locale: Locale, isDemo: boolean): string {
  const cost = isDemo ? demoText() : knownCostText(amounts, locale);
  const parts = [cost, requestsText(amounts.requests, locale)];
  return parts.filter((part) => part !== undefined).join(' · ');
}

export function demoText(): string {
  return l10n.t('Demo, not billed');
}

export function budgetText({ unit, limit, remaining }: ShownBudget, locale: Locale): string {
  const { language, currency } = locale;
  return unit === 'money'
    ? l10n.t(
        '{0} of {1} left',
        formatMoney(remaining, currency, language),
        formatMoney(limit, currency, language),
      )
    : l10n.t('{0} of {1} tokens left', formatTokens(remaining), formatTokens(limit));
}

export function tileTitle(of: UsageTile['of']): string {
  const titles: Readonly<Record<typeof of, string>> = {
    today: l10n.t('Today'),
    month: l10n.t('This Month'),
    session: l10n.t('This Session'),
    chat: l10n.t('This Chat'),
  };
  return titles[of];
}

/** Purpose of a request. Purposes of later versions are shown unchanged. */
export function purposeText(purpose: string): string {
  const words = new Map([
    ['chat', l10n.t('Messages')],
    ['tools', l10n.t('Tool results')],
    // Requests of version 1.0.
    ['compare', l10n.t('Compared models')],
    ['edit', l10n.t('Edits')],
    ['fix', l10n.t('Fixes')],
    ['commit', l10n.t('Commit messages')],
    ['review', l10n.t('Reviews of changes')],
    ['shorten', l10n.t('Shortened chats')],
  ]);
  const [, extension] = /^provider:([^]*)$/.exec(purpose) ?? [];
  return extension === undefined
    ? (words.get(purpose) ?? purpose)
    : l10n.t('Extension {0}', extension);
}

/** Folder name of a workspace, or its whole path if others have the same name. */
export function workspaceText(address: string, others: readonly UsageRow[]): string {
  if (address === '') return l10n.t('No workspace');
  const name = lastSegment(address);
  const isUnique = others.filter(({ key }) => lastSegment(key) === name).length <= 1;
  return isUnique ? name : decoded(address);
}

export function decoded(address: string): string {
  try {
    return decodeURIComponent(address.replace(/^file:\/\//, ''));
  } catch {
    return address;
  }
}

function lastSegment(address: string): string {
  const segments = decoded(address).split('/');
  return segments.findLast((segment) => segment !== '') ?? address;
}

/** The name of a day, month or year: long, or short for an axis. */
export function periodText(key: string, { language }: Locale, isShort: boolean): string {
  const [year = 0, month = 1, day = 1] = key.split('-').map(Number);
  const date = new Date(year, month - 1, day, 12);
  if (key.length === 4) return key;
  if (key.length === 7) {
    const style = isShort ? 'short' : 'long';
    return date.toLocaleDateString(language, { month: style, year: 'numeric' });
  }
  const inYear = { month: 'short', day: 'numeric' } as const;
  const named = isShort ? inYear : ({ ...inYear, weekday: 'short', year: 'numeric' } as const);
  return date.toLocaleDateString(language, named);
}

/** Tops of an axis, times a power of ten, whose halves are also short numbers. */
const tops = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10];

/** The top of an axis, slightly above the highest value. */
export function axisTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return (tops.find((top) => top * power >= most) ?? 10) * power;
}
