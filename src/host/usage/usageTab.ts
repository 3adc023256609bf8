import * as vscode from 'vscode';
import type { Conversation } from '../../core/conversation/conversation.ts';
import { zeroUsage } from '../../core/conversation/usage.ts';
import { remainingOf, type UsedBudget } from '../../core/service/budget.ts';
import {
  usageCall,
  usageCauses,
  type UsageBar,
  type UsageOverview,
  type UsageRange,
  type UsageCalls,
  type UsageResults,
  type UsageRow,
  type UsageTable,
  type UsageTile,
} from '../../protocol/usageMessages.ts';
import { commands, editors } from '../contributions.ts';
import type { OpenPage } from '../platform/page.ts';
import { PageTab } from '../platform/pageTab.ts';
import type { HostWindow } from '../platform/window.ts';
import type { WindowUsage } from './statusBar.ts';
import type { UsageSum } from './usageMonth.ts';
import { daysLater, firstDay, monthOf, monthsLater } from './usageRecord.ts';
import { costOf, paidUsage, usageContext, type UsageByModel } from './usageByModel.ts';

export type UsageTab = PageTab<UsageCalls, UsageResults, UsageOverview>;

/**
 * `aside.showUsage`: the usage tab. A window has at most one.
 *
 * @param conversation the chat in focus
 * @param readTitles reads the titles of saved chats, by id
 */
export function createUsageTab(
  window: HostWindow,
  openPage: OpenPage,
  usage: WindowUsage,
  conversation: () => Conversation,
  readTitles: () => Promise<ReadonlyMap<string, string>>,
): UsageTab {
  const { ledger, settings, onDidChange } = usage;
  const { executeCommand } = vscode.commands;
  let range: UsageRange = '30days';
  let titles: ReadonlyMap<string, string> | undefined;
  const tab: UsageTab = new PageTab<UsageCalls, UsageResults, UsageOverview>({
    type: editors.usage,
    title: vscode.l10n.t('Token Usage'),
    page: 'usage',
    window,
    openPage,
    calls: usageCall,
    handlers: {
      async ready(parameters) {
        range = parameters.range ?? range;
        // Reading the titles may take longer than everything else.
        [titles] = await Promise.all([readTitles(), tab.post()]);
        await tab.post();
      },
      async show(parameters) {
        ({ range } = parameters);
        await tab.post();
      },
      run: async ({ command }) => executeCommand(commands[command], range),
      'open-chat': async ({ id }) => executeCommand(commands.openChat, id),
    },
    async read() {
      const { today } = ledger.log;
      const shown = range;
      const sums = await ledger.log.read(monthOf(firstDay(shown, today)));
      const isEmpty = sums.length === 0 && (await ledger.log.months()).length === 0;
      const named = sums.map((sum) => ({ ...sum, model: ledger.written(sum.service, sum.model) }));
      return {
        language: vscode.env.language,
        currency: settings.current().currency,
        isEmpty: isEmpty && ledger.session.size === 0,
        tiles: tilesOf(usage, conversation()),
        ...overviewOf(named, shown, today, titles),
      };
    },
    onDidChange,
  });
  return tab;
}

type TileUsage = PricedUsage & Pick<UsageSum, 'demo'>;

function tilesOf(usage: WindowUsage, conversation: Conversation): readonly UsageTile[] {
  const { ledger, settings } = usage;
  const { today, sums } = ledger.log;
  const context = usageContext(settings);
  const budgets = usage.budgets().filter(({ account }) => account === undefined);
  const tile = (
    key: UsageTile['key'],
    of: UsedBudget['of'] | undefined,
    used: readonly TileUsage[],
  ): UsageTile => {
    const ofDemo = used.filter(({ demo }) => demo);
    const budget = budgets.find((candidate) => candidate.of === of);
    return {
      ...rowOf(used.filter(({ demo }) => !demo)),
      key,
      demo: ofDemo.length > 0 ? rowOf(ofDemo) : undefined,
      budget: budget && { ...budget, remaining: remainingOf(budget) },
    };
  };
  // Usage outside the log.
  const priced = (used: UsageByModel, demo: boolean): readonly TileUsage[] =>
    [...used].map(([id, counts]) => {
      const cost = costOf(id, counts, context);
      const currency = cost === undefined ? '' : context.currency;
      return { usage: counts, currency, cost: cost ?? 0, demo };
    });
  const ofToday = sums.filter(({ day }) => day === today);
  const ofMonth = sums.filter(({ day }) => monthOf(day) === monthOf(today));
  const ofSession = [...priced(ledger.paidSession, false), ...priced(ledger.demoSession, true)];
  const demoOfChat = new Map(Object.entries(conversation.demoUsage ?? {}));
  const ofChat = [...priced(paidUsage(conversation), false), ...priced(demoOfChat, true)];
  return [
    tile('today', 'day', ofToday),
    tile('month', 'month', ofMonth),
    tile('session', undefined, ofSession),
    tile('chat', 'chat', ofChat),
  ];
}

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
