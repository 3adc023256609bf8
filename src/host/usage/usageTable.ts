import type { l10n } from 'vscode';
import { costOf, type Price, type Usage } from '../../core/conversation/usage.ts';
import { formatMoney } from '../../core/conversation/formatMoney.ts';
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
  readonly name: 'prompt' | 'cached' | 'completion' | 'total' | 'requests' | 'cost';
  readonly label: string;
  readonly values: readonly string[];
}

/** The table that the status bar and `aside.showUsage` show. Without a price there is no cost. */
export function usageRows(columns: readonly UsageByModel[], context: UsageContext): UsageRow[] {
  const { l10n, language } = context;
  const totals = columns.map(totalOf);
  const row = (name: CountName, label: string): UsageRow => ({
    name,
    label,
    values: totals.map((usage) => formatCount(usage, counts[name], language)),
  });
  const costs = columns.map((column) => formatCost(column, context));
  const values = costs.map((text) => text ?? '–');
  const cost = { name: 'cost', label: l10n.t('Cost'), values } as const;
  return [
    row('prompt', l10n.t('Prompt')),
    row('cached', l10n.t('Cached')),
    row('completion', l10n.t('Completion')),
    row('total', l10n.t('Total')),
    row('requests', l10n.t('Requests')),
    ...(costs.some((text) => text !== undefined) ? [cost] : []),
  ];
}

type CountName = Exclude<UsageRow['name'], 'cost'>;
type CountField = Exclude<keyof Usage, 'estimated'>;

const counts: Readonly<Record<CountName, CountField>> = {
  prompt: 'prompt_tokens',
  cached: 'cached_tokens',
  completion: 'completion_tokens',
  total: 'total_tokens',
  requests: 'requests',
};

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
