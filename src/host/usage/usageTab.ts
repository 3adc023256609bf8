import * as vscode from 'vscode';
import type { Conversation } from '../../core/conversation/conversation.ts';
import type { Clock } from '../../core/support/clock.ts';
import { anyEvent, type Disposable } from '../../core/support/event.ts';
import {
  usageCall,
  type UsageOverview,
  type UsageRange,
  type UsageRequests,
  type UsageResults,
  type UsageTile,
} from '../../protocol/usageMessages.ts';
import { commands, editors } from '../contributions.ts';
import { PageTab, type PageHost } from '../pageTab.ts';
import { budgetsLeft, type BudgetLeft, type Spending } from './budgets.ts';
import { usageContext, type UsageOptions } from './statusBar.ts';
import type { TokenRatios } from './tokenRatios.ts';
import { localDay, monthOf } from './usageRecord.ts';
import { amountsOf, firstDay, overviewOf, type PricedUsage } from './usageOverview.ts';
import type { UsageSum } from './usageMonth.ts';
import { costOf, paidUsage, type UsageByModel } from './usageTable.ts';

export interface UsageTabOptions extends UsageOptions {
  readonly ratios: TokenRatios;
  readonly clock: Clock;
  readonly conversation: () => Conversation;
  /** Titles of saved chats by id. */
  readonly titles: () => Promise<ReadonlyMap<string, string>>;
  readonly host: PageHost;
}

const budgetOf: ReadonlyMap<UsageTile['of'], 'chat' | 'day' | 'month'> = new Map([
  ['chat', 'chat'],
  ['today', 'day'],
  ['month', 'month'],
]);

const unknownCost = { currency: '', cost: 0 } as const;

function unpriced(used: UsageByModel): readonly PricedUsage[] {
  return [...used.values()].map((usage) => ({ usage, ...unknownCost }));
}

function demoUsageOf({ demoUsage = {} }: Conversation): UsageByModel {
  return new Map(Object.entries(demoUsage));
}

/** `aside.showUsage`: the usage tab. A window has at most one. */
export class UsageTab implements Disposable {
  readonly #options: UsageTabOptions;
  readonly #tab: PageTab<UsageRequests, UsageResults, UsageOverview>;
  #range: UsageRange = '30days';
  #titles: ReadonlyMap<string, string> | undefined;

  constructor(options: UsageTabOptions) {
    const { ledger, settings, onDidChange } = options;
    this.#options = options;
    const { executeCommand } = vscode.commands;
    this.#tab = new PageTab<UsageRequests, UsageResults, UsageOverview>({
      type: editors.usage,
      title: vscode.l10n.t('Token Usage'),
      page: 'usage',
      host: options.host,
      calls: usageCall,
      handlers: {
        ready: async ({ range }) => {
          await Promise.all([this.#show(range), this.#readTitles()]);
        },
        show: ({ range }) => this.#show(range),
        run: async ({ command }) => executeCommand(commands[command], this.#range),
        'open-chat': async ({ id }) => executeCommand(commands.openChat, id),
      },
      read: () => this.#report(),
      onDidChange: anyEvent<unknown>(ledger.onDidChange, settings.onDidChange, onDidChange),
    });
  }

  show(): void {
    this.#tab.show();
  }

  /** Shows the usage in a tab from before a reload. */
  restore(panel: vscode.WebviewPanel): void {
    this.#tab.restore(panel);
  }

  update(): void {
    this.#tab.update();
  }

  dispose(): void {
    this.#tab.dispose();
  }

  #show(range = this.#range): Promise<void> {
    this.#range = range;
    return this.#tab.post();
  }

  /** Reads the chats' titles separately, since that may take longer than everything else. */
  async #readTitles(): Promise<void> {
    this.#titles = await this.#options.titles();
    await this.#tab.post();
  }

  async #report(): Promise<UsageOverview> {
    const { ledger, settings, clock } = this.#options;
    const range = this.#range;
    const today = localDay(clock.wall());
    const sums = await ledger.log.read(monthOf(firstDay(range, today)));
    const named = (sum: UsageSum): UsageSum => {
      const model = ledger.written(sum.service, sum.model);
      return model === sum.model ? sum : { ...sum, model };
    };
    const isEmpty = sums.length === 0 && (await ledger.log.months()).length === 0;
    return {
      range,
      language: vscode.env.language,
      currency: settings.current().currency,
      isEmpty: isEmpty && ledger.session.size === 0,
      tiles: this.#tiles(today),
      ...overviewOf(sums.map(named), range, today, this.#titles),
    };
  }

  #tiles(today: string): readonly UsageTile[] {
    const { ledger } = this.#options;
    const conversation = this.#options.conversation();
    const { sums } = ledger.log;
    const paid = sums.filter(({ demo }) => !demo);
    const ofDemo = sums.filter(({ demo }) => demo);
    const isToday = ({ day }: UsageSum): boolean => day === today;
    const isThisMonth = ({ day }: UsageSum): boolean => monthOf(day) === monthOf(today);
    const tiles = [
      ['today', paid.filter(isToday), ofDemo.filter(isToday)],
      ['month', paid.filter(isThisMonth), ofDemo.filter(isThisMonth)],
      ['session', this.#priced(ledger.paidSession), unpriced(ledger.demoSession)],
      ['chat', this.#priced(paidUsage(conversation)), unpriced(demoUsageOf(conversation))],
    ] as const;
    const budgets = this.#budgetsLeft(conversation);
    return tiles.map(([tile, counted, demo]) => ({
      of: tile,
      ...amountsOf(counted),
      ...(demo.length > 0 && { demo: amountsOf(demo) }),
      budget: budgets.find(({ of, account }) => of === budgetOf.get(tile) && account === undefined),
    }));
  }

  /** Usage outside the log. */
  #priced(used: UsageByModel): readonly PricedUsage[] {
    const context = usageContext(this.#options.settings);
    return [...used].map(([model, usage]) => {
      const cost = costOf(model, usage, context);
      return cost === undefined
        ? { usage, ...unknownCost }
        : { usage, currency: context.currency, cost };
    });
  }

  #budgetsLeft(conversation: Conversation): readonly BudgetLeft[] {
    const { settings, ledger, ratios, model } = this.#options;
    const spending: Spending = {
      budget: settings.current().budget,
      log: ledger.log,
      chat: {
        id: () => conversation.id,
        turn: () => conversation.running?.id,
        usage: () => paidUsage(conversation),
        saved: () => Promise.resolve(),
      },
      meter: ratios,
      nameOf: () => undefined,
      context: usageContext(settings),
      maxReplyOf: () => undefined,
    };
    return budgetsLeft(spending, model());
  }
}
