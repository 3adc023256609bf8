import * as vscode from 'vscode';
import type { Conversation } from '../../core/conversation/conversation.ts';
import { systemClock } from '../../core/support/clock.ts';
import { anyEvent } from '../../core/support/event.ts';
import {
  usageCall,
  type UsageOverview,
  type UsageRange,
  type UsageCalls,
  type UsageResults,
  type UsageTile,
} from '../../protocol/usageMessages.ts';
import { commands, editors } from '../contributions.ts';
import type { OpenPage } from '../page.ts';
import { PageTab } from '../pageTab.ts';
import type { HostWindow } from '../workspace/window.ts';
import { remainingOf, type UsedBudget } from './budgets.ts';
import { usageContext, type UsageOptions } from './statusBar.ts';
import type { UsageSum } from './usageMonth.ts';
import { firstDay, overviewOf, rowOf, type PricedUsage } from './usageOverview.ts';
import { monthOf } from './usageRecord.ts';
import { costOf, paidUsage, type UsageByModel } from './usageTable.ts';

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
  usage: UsageOptions,
  conversation: () => Conversation,
  readTitles: () => Promise<ReadonlyMap<string, string>>,
): UsageTab {
  const { context, errors, log } = window;
  const { ledger, settings, onDidChange } = usage;
  const { executeCommand } = vscode.commands;
  let range: UsageRange = '30days';
  let titles: ReadonlyMap<string, string> | undefined;
  const tab: UsageTab = new PageTab<UsageCalls, UsageResults, UsageOverview>({
    type: editors.usage,
    title: vscode.l10n.t('Token Usage'),
    page: 'usage',
    host: {
      extensionUri: context.extensionUri,
      openPage,
      clock: systemClock,
      refusal: errors.refusal,
      onError: (error) => log.error('Showing the usage', error),
    },
    calls: usageCall,
    handlers: {
      async ready(parameters) {
        range = parameters.range ?? range;
        // Reading the titles may take longer than everything else.
        const addTitles = async (): Promise<void> => {
          titles = await readTitles();
          await tab.post();
        };
        await Promise.all([tab.post(), addTitles()]);
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
    onDidChange: anyEvent<unknown>(ledger.onDidChange, settings.onDidChange, onDidChange),
  });
  return tab;
}

type TileUsage = PricedUsage & Pick<UsageSum, 'demo'>;

function tilesOf(usage: UsageOptions, conversation: Conversation): readonly UsageTile[] {
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
