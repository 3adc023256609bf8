import type { l10n } from 'vscode';
import { costOf, type Price, type Usage } from '../../core/conversation/usage.ts';
import { formatMoney } from './formatMoney.ts';
import { totalOf, type UsageByModel } from './usageByModel.ts';

export interface UsageContext {
  readonly l10n: Pick<typeof l10n, 't'>;
  /** VS Code's display language, for numbers. */
  readonly language: string;
  readonly currency: string;
  /** The price of a model, where the settings tell it. */
  readonly priceOf: (model: string) => Price | undefined;
}

/** A line of the table: its name and a value for each column. */
export interface UsageRow {
  readonly label: string;
  readonly values: readonly string[];
}

/** The table that the status bar and `aside.showUsage` show. Without a price there is no cost. */
export function usageRows(columns: readonly UsageByModel[], context: UsageContext): UsageRow[] {
  const { l10n, language } = context;
  const totals = columns.map(totalOf);
  const row = (label: string, field: CountField): UsageRow => ({
    label,
    values: totals.map((usage) => formatCount(usage, field, language)),
  });
  const costs = columns.map((column) => formatCost(column, context));
  const cost = { label: l10n.t('Cost'), values: costs.map((text) => text ?? '–') };
  return [
    row(l10n.t('Prompt'), 'prompt_tokens'),
    row(l10n.t('Cached'), 'cached_tokens'),
    row(l10n.t('Completion'), 'completion_tokens'),
    row(l10n.t('Total'), 'total_tokens'),
    row(l10n.t('Requests'), 'requests'),
    ...(costs.some((text) => text !== undefined) ? [cost] : []),
  ];
}

type CountField = Exclude<keyof Usage, 'estimated'>;

function formatCount(usage: Usage, field: CountField, language: string): string {
  // The number of requests is never a guess.
  const mark = usage.estimated && field !== 'requests' && usage[field] > 0 ? '≈' : '';
  return mark + usage[field].toLocaleString(language);
}

/** Undefined where no model of the column has a price; `≥` where some have none. */
function formatCost(column: UsageByModel, context: UsageContext): string | undefined {
  const priced = [...column].flatMap(([model, usage]) => {
    const price = context.priceOf(model);
    return price === undefined ? [] : [costOf(usage, price)];
  });
  if (priced.length === 0) return undefined;
  const sum = priced.reduce((first, second) => first + second, 0);
  const estimated = totalOf(column).estimated ? '≈' : '';
  const mark = priced.length < column.size ? '≥' : estimated;
  return mark + formatMoney(sum, context.currency, context.language);
}
