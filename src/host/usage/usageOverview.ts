import { zeroUsage } from '../../core/conversation/usage.ts';
import {
  usageCauses,
  type UsageBar,
  type UsageOverview,
  type UsageRange,
  type UsageRow,
  type UsageTable,
} from '../../protocol/usageMessages.ts';
import type { UsageSum } from './usageMonth.ts';
import { daysLater, monthOf, monthsLater } from './usageRecord.ts';

/** Usage with its cost; the currency is empty if no price was known. */
export type PricedUsage = Pick<UsageSum, 'usage' | 'currency' | 'cost'>;

/** What the page shows of a range. */
type RangeUsage = Omit<UsageOverview, 'language' | 'currency' | 'isEmpty' | 'tiles'>;

/** Number of models with a separate color in the chart. */
const chartModels = 5;
/** Maximum rows of a table. */
const maxRows = 50;
/** Maximum days of a chart; beyond that, each bar is a month. */
const maxDays = 62;

/** The first day of a range; empty if it has no start. */
export function firstDay(range: UsageRange, today: string): string {
  const month = monthOf(today);
  const first: Readonly<Record<UsageRange, string>> = {
    '7days': daysLater(today, -6),
    '30days': daysLater(today, -29),
    month: `${month}-01`,
    '12months': `${monthsLater(month, -11)}-01`,
    all: '',
  };
  return first[range];
}

/** @param titles titles of the saved chats by id; undefined while they are read */
export function overviewOf(
  sums: readonly UsageSum[],
  range: UsageRange,
  today: string,
  titles: ReadonlyMap<string, string> | undefined,
): RangeUsage {
  const first = firstDay(range, today);
  const all = sums.filter(({ day }) => day >= first && (range === 'all' || day <= today));
  const ofDemo = all.filter(({ demo }) => demo);
  const isDemo = ofDemo.length > 0 && ofDemo.length === all.length;
  const counted = isDemo ? ofDemo : all.filter(({ demo }) => !demo);
  const byCause = usageCauses
    .map((cause) => {
      const ofCause = counted.map(({ usage: { estimated }, currency, causes }) => {
        const { tokens, cost } = causes[cause];
        return { usage: { ...zeroUsage, total_tokens: tokens, estimated }, currency, cost };
      });
      return { ...rowOf(ofCause), key: cause, cause };
    })
    .filter(({ total_tokens }) => total_tokens > 0);
  const byModel = rowsBy(counted, 'model');
  const byChat = rowsBy(counted, 'chat').map((row) => ({
    ...row,
    title: titles?.get(row.key),
    isDeleted: row.key !== '' && titles?.has(row.key) === false,
  }));
  const demo = isDemo ? [] : rowsBy(ofDemo, 'model');
  const models = byModel.slice(0, chartModels).map(({ key }) => key);
  const tableOf = (of: UsageTable['of'], rows: readonly UsageRow[]): UsageTable => ({
    of,
    rows: rows.slice(0, maxRows),
    leftOut: Math.max(0, rows.length - maxRows),
  });
  return {
    range,
    isDemo,
    models,
    bars: barsOf(counted, range, today, models),
    total: rowOf(counted),
    tables: [
      tableOf('causes', byCause),
      tableOf('models', byModel),
      tableOf('workspaces', rowsBy(counted, 'workspace')),
      tableOf('chats', byChat),
      tableOf('purposes', rowsBy(counted, 'purpose')),
      ...(demo.length > 0 ? [tableOf('demo', demo)] : []),
    ],
  };
}

/** The sum, with an empty key. Added up in place, since years may contain many. */
export function rowOf(sums: readonly PricedUsage[]): UsageRow {
  const row = { ...zeroUsage, reasoning_tokens: 0, key: '', unpriced: false };
  const costs = new Map<string, number>();
  for (const { usage, currency, cost } of sums) {
    row.prompt_tokens += usage.prompt_tokens;
    row.cached_tokens += usage.cached_tokens;
    row.completion_tokens += usage.completion_tokens;
    row.reasoning_tokens += usage.reasoning_tokens ?? 0;
    row.total_tokens += usage.total_tokens;
    row.requests += usage.requests;
    row.estimated ||= usage.estimated;
    if (currency === '') row.unpriced = true;
    else costs.set(currency, (costs.get(currency) ?? 0) + cost);
  }
  return { ...row, costs: [...costs] };
}

function rowsBy(
  sums: readonly UsageSum[],
  field: 'model' | 'workspace' | 'chat' | 'purpose',
): readonly UsageRow[] {
  return [...groupsBy(sums, (sum) => sum[field])]
    .map(([key, group]) => ({ ...rowOf(group), key }))
    .toSorted((a, b) => b.total_tokens - a.total_tokens);
}

function groupsBy(
  sums: readonly UsageSum[],
  keyOf: (sum: UsageSum) => string,
): ReadonlyMap<string, readonly UsageSum[]> {
  const groups = new Map<string, UsageSum[]>();
  for (const sum of sums) {
    const group = groups.get(keyOf(sum)) ?? [];
    group.push(sum);
    groups.set(keyOf(sum), group);
  }
  return groups;
}

/** The days or months of a range, including empty ones. */
function barsOf(
  sums: readonly UsageSum[],
  range: UsageRange,
  today: string,
  models: readonly string[],
): readonly UsageBar[] {
  const first =
    range === 'all'
      ? sums.reduce((earliest, { day }) => (day < earliest ? day : earliest), today)
      : firstDay(range, today);
  // A month is shown to its end, so that its bars don't move.
  const last = range === 'month' ? daysLater(`${monthsLater(monthOf(today), 1)}-01`, -1) : today;
  const isByDay = last < daysLater(first, maxDays);
  const periodOf = (day: string): string => (isByDay ? day : monthOf(day));
  // A day after today, from a clock that was wrong, counts as today.
  const groups = groupsBy(sums, ({ day }) => periodOf(day > last ? last : day));
  const bars: UsageBar[] = [];
  for (let key = periodOf(first); key <= periodOf(last);) {
    const group = groups.get(key) ?? [];
    const row = rowOf(group);
    const byModel = rowsBy(group, 'model');
    const parts = models.map(
      (model) => byModel.find((part) => part.key === model)?.total_tokens ?? 0,
    );
    const others = row.total_tokens - parts.reduce((sum, part) => sum + part, 0);
    bars.push({ ...row, key, parts: [...parts, others] });
    key = isByDay ? daysLater(key, 1) : monthsLater(key, 1);
  }
  return bars;
}
