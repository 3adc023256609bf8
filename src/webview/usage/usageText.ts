import * as l10n from '@vscode/l10n';
import { formatMoney } from '../../core/conversation/usage.ts';
import { counted } from '../../core/support/counted.ts';
import type { UsageOverview, UsageRow } from '../../protocol/usageMessages.ts';
import { tokensText } from '../parts/format.ts';

/** With the language of numbers and dates. */
export type Locale = Pick<UsageOverview, 'language'>;

/** A number in full, with `≈` for an estimate. */
export function numberText(count: number, { language }: Locale, estimated = false): string {
  return (estimated && count > 0 ? '≈' : '') + count.toLocaleString(language);
}

/** The known cost in all currencies, with `≥` if some is unknown; undefined if all is. */
export function costText(row: UsageRow, { language }: Locale): string | undefined {
  const { costs, unpriced, estimated } = row;
  if (costs.length === 0) return undefined;
  const amounts = costs.map(([currency, amount]) => formatMoney(amount, currency, language));
  const approximate = estimated ? '≈' : '';
  return (unpriced ? '≥' : approximate) + amounts.join(' + ');
}

/** Text such as `12.4k tokens · $0.42 · 12 requests`. */
export function summaryText(row: UsageRow, locale: Locale, isDemo: boolean): string {
  const tokens = tokensText(row.total_tokens, row.estimated);
  return `${tokens} · ${costAndRequests(row, locale, isDemo)}`;
}

/** Text such as `$0.42 · 12 requests`. */
export function costAndRequests(row: UsageRow, locale: Locale, isDemo: boolean): string {
  const cost = isDemo ? demoText() : costText(row, locale);
  const requests =
    row.requests === 1
      ? l10n.t('1 request')
      : counted(l10n.t('{0} requests'), row.requests, locale.language);
  return cost === undefined ? requests : `${cost} · ${requests}`;
}

export function demoText(): string {
  return l10n.t('Demo, not billed');
}
