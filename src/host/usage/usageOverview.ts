import type {
  CauseRow,
  RangeUsage,
  UsageAmounts,
  UsageBar,
  UsageRange,
  UsageRow,
  UsageTables,
} from '../../protocol/usageMessages.ts';
import { usageCauses } from '../../protocol/usageMessages.ts';
import { daysLater, monthOf, monthsLater } from './usageRecord.ts';
import type { UsageSum } from './usageMonth.ts';

export type PricedUsage = Pick<UsageSum, 'usage' | 'currency' | 'cost'>;

/** Number of models with a separate color in the chart. */
const chartModels = 5;
/** Maximum rows of a table. */
const maxRows = 50;
/** Maximum bars of a chart; beyond that, each stands for more time. */
const maxBars = 62;

type Unit = 'day' | 'month' | 'year';
const lengthOf: Readonly<Record<Unit, number>> = { day: 10, month: 7, year: 4 };

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
  const byModel = rowsBy(counted, ({ model }) => model);
  const models = byModel.slice(0, chartModels).map(({ key }) => key);
  const byChat = rowsBy(counted, ({ chat }) => chat).map((row) => withTitle(row, titles));
  const tables: UsageTables = {
    models: byModel,
    workspaces: rowsBy(counted, ({ workspace }) => workspace),
    chats: byChat,
    purposes: rowsBy(counted, ({ purpose }) => purpose),
  };
  return {
    isDemo,
    models,
    bars: barsOf(counted, periods(range, counted, today), models),
    total: amountsOf(counted),
    causes: causesIn(counted),
    tables: eachTable(tables, (rows) => rows.slice(0, maxRows)),
    leftOut: eachTable(tables, ({ length }) => Math.max(0, length - maxRows)),
    demo: isDemo ? [] : rowsBy(ofDemo, ({ model }) => model),
  };
}

/** Adds up sums in one pass, since years may contain many. */
export function amountsOf(sums: readonly PricedUsage[]): UsageAmounts {
  let [prompt, cached, completion, reasoning, total, requests] = [0, 0, 0, 0, 0, 0];
  let [estimated, unpriced] = [false, false];
  const costs = new Map<string, number>();
  for (const { usage, currency, cost } of sums) {
    prompt += usage.prompt_tokens;
    cached += usage.cached_tokens;
    completion += usage.completion_tokens;
    reasoning += usage.reasoning_tokens ?? 0;
    total += usage.total_tokens;
    requests += usage.requests;
    estimated ||= usage.estimated;
    unpriced ||= currency === '';
    if (currency !== '') costs.set(currency, (costs.get(currency) ?? 0) + cost);
  }
  const written = [...costs].map(([currency, amount]) => ({ currency, amount }));
  const counts = { prompt, cached, completion, reasoning, total, requests };
  return { ...counts, estimated, costs: written, unpriced };
}

function causesIn(sums: readonly UsageSum[]): readonly CauseRow[] {
  return usageCauses.map((cause) => {
    const costs = new Map<string, number>();
    let tokens = 0;
    for (const sum of sums) {
      const amount = sum.causes[cause];
      tokens += amount.tokens;
      if (sum.currency !== '')
        costs.set(sum.currency, (costs.get(sum.currency) ?? 0) + amount.cost);
    }
    return { cause, tokens, costs: [...costs].map(([currency, amount]) => ({ currency, amount })) };
  });
}

function rowsBy(sums: readonly UsageSum[], keyOf: (sum: UsageSum) => string): readonly UsageRow[] {
  const groups = groupsBy(sums, keyOf);
  return [...groups]
    .map(([key, group]) => ({ key, ...amountsOf(group) }))
    .toSorted((a, b) => b.total - a.total);
}

function groupsBy(
  sums: readonly UsageSum[],
  keyOf: (sum: UsageSum) => string,
): ReadonlyMap<string, readonly UsageSum[]> {
  const groups = new Map<string, UsageSum[]>();
  for (const sum of sums) {
    const key = keyOf(sum);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [sum]);
    else group.push(sum);
  }
  return groups;
}

function withTitle(row: UsageRow, titles: ReadonlyMap<string, string> | undefined): UsageRow {
  if (row.key === '' || titles === undefined) return row;
  const title = titles.get(row.key);
  return title === undefined ? { ...row, isDeleted: true } : { ...row, title };
}

function eachTable<T>(
  { models, workspaces, chats, purposes }: UsageTables,
  make: (rows: readonly UsageRow[]) => T,
): Readonly<Record<keyof UsageTables, T>> {
  return {
    models: make(models),
    workspaces: make(workspaces),
    chats: make(chats),
    purposes: make(purposes),
  };
}

/** The days, months or years that have a bar, including empty ones. */
function periods(range: UsageRange, sums: readonly UsageSum[], today: string): readonly string[] {
  const days = [...sums.map(({ day }) => day), today].toSorted();
  const [first = today, last = today] =
    range === 'all'
      ? [days[0], days.at(-1)]
      : [firstDay(range, today), range === 'month' ? lastDayOfMonth(today) : today];
  const units: readonly Unit[] = range === '12months' ? ['month'] : ['day', 'month', 'year'];
  for (const unit of units) {
    const fitting = periodsBetween(first, last, unit);
    if (fitting !== undefined) return fitting;
  }
  // This happens if a clock was wrong by decades.
  return [...new Set(days.map((day) => day.slice(0, lengthOf.year)))];
}

/** A month is shown to its end, so that its bars don't move. */
function lastDayOfMonth(today: string): string {
  return daysLater(`${monthsLater(monthOf(today), 1)}-01`, -1);
}

/** The periods from one day to another; undefined if there are too many. */
function periodsBetween(first: string, last: string, unit: Unit): readonly string[] | undefined {
  const length = lengthOf[unit];
  const result: string[] = [];
  for (let period = first.slice(0, length); period <= last.slice(0, length);) {
    result.push(period);
    if (result.length > maxBars) return undefined;
    period = nextPeriod(period, unit);
  }
  return result;
}

function nextPeriod(period: string, unit: Unit): string {
  if (unit === 'day') return daysLater(period, 1);
  if (unit === 'month') return monthsLater(period, 1);
  return String(Number(period) + 1).padStart(4, '0');
}

function barsOf(
  sums: readonly UsageSum[],
  keys: readonly string[],
  models: readonly string[],
): readonly UsageBar[] {
  const groups = groupsBy(sums, ({ day }) => day.slice(0, keys[0]?.length));
  return keys.map((key) => {
    const group = groups.get(key) ?? [];
    const amounts = amountsOf(group);
    const totals = new Map<string, number>();
    for (const { model, usage } of group)
      totals.set(model, (totals.get(model) ?? 0) + usage.total_tokens);
    const parts = models.map((model) => totals.get(model) ?? 0);
    const others = amounts.total - parts.reduce((sum, part) => sum + part, 0);
    return { key, ...amounts, parts: [...parts, others] };
  });
}
