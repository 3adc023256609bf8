import { costPerToken, type Budget } from '../../core/service/budget.ts';
import type { BudgetSettings } from '../settingValues.ts';
import type { Counts, Reservation, UsageLog } from './usageLog.ts';
import { monthOf } from './usageRecord.ts';
import { costOf, type UsageByModel, type UsageContext } from './usageTable.ts';

/** A chat, as far as budgets are concerned. */
export interface ChatAccount {
  readonly id: () => string;
  /** Id of the running turn; undefined between turns. */
  readonly turn: () => string | undefined;
  /** Usage of its requests, except the running one. */
  readonly usage: () => UsageByModel;
  /** Resolves when all events of the chat are stored. */
  readonly saved: () => Promise<void>;
}

export interface UsedBudget extends Budget {
  /** The id of the chat, the day or the month. */
  readonly period: string;
  /** Models that refuse `max_tokens`, so that their replies can only be stopped. */
  readonly unlimitedModels?: readonly string[];
}

interface BudgetsOptions {
  readonly log: UsageLog;
  /** `invalid` if the setting is invalid, so that the limits are unknown. */
  readonly settings: () => BudgetSettings | 'invalid';
  /** The name of a service or account; undefined if it is no longer connected. */
  readonly nameOf: (service: string) => string | undefined;
  readonly context: () => UsageContext;
}

/** The limits that the person set, with what counts in each of them now. */
export class Budgets {
  readonly #options: BudgetsOptions;

  constructor(options: BudgetsOptions) {
    this.#options = options;
  }

  get settings(): BudgetSettings | 'invalid' {
    return this.#options.settings();
  }

  /** True if usage is limited, or may be. */
  get isLimited(): boolean {
    const { settings } = this;
    if (settings === 'invalid') return true;
    const { chat, day, month, accounts = {} } = settings;
    const ofAccounts = Object.values(accounts).flatMap((limits) => [limits.day, limits.month]);
    return [chat, day, month, ...ofAccounts].some((limit) => limit !== undefined);
  }

  /** True if a budget in money limits requests, which need a price then. */
  get isInMoney(): boolean {
    const { settings } = this;
    return settings !== 'invalid' && settings.unit === 'money' && this.isLimited;
  }

  /**
   * The budgets of a chat, a day, a month and of accounts; none if the setting is invalid.
   *
   * @param chat undefined outside chats
   * @param service the only service whose account counts; all accounts if undefined
   */
  of(chat: ChatAccount | undefined, service?: string): readonly UsedBudget[] {
    const { log, nameOf, context } = this.#options;
    const { settings } = this;
    if (settings === 'invalid') return [];
    const { unit } = settings;
    const { today } = log;
    const periods = { chat: chat?.id() ?? '', day: today, month: monthOf(today) };
    const budget = (
      of: Budget['of'],
      limit: number | undefined,
      counts: Counts,
      account?: string,
    ): UsedBudget[] => {
      if (limit === undefined) return [];
      const { tokens, cost, reserved } = log.counted(counts);
      return [
        {
          of,
          ...(account !== undefined && { account }),
          period: periods[of],
          unit,
          limit,
          spent: unit === 'tokens' ? tokens : cost,
          reserved: reserved.reduce((sum, request) => sum + reservedOf(request, unit), 0),
          running: reserved.length,
        },
      ];
    };
    const isToday: Counts = ({ day }) => day === today;
    const isThisMonth: Counts = ({ day }) => monthOf(day) === periods.month;
    const ofChat =
      chat === undefined
        ? []
        : budget('chat', settings.chat, (request) => request.chat === periods.chat);
    const ofAccounts = Object.entries(settings.accounts ?? {})
      .filter(([name]) => service === undefined || nameOf(service) === name)
      .flatMap(([name, { day, month }]) => {
        const isOurs: Counts = (request) => nameOf(request.service) === name;
        return [
          ...budget('day', day, (request) => isToday(request) && isOurs(request), name),
          ...budget('month', month, (request) => isThisMonth(request) && isOurs(request), name),
        ];
      });
    return [
      // The chat may be older than the month, and other windows may have used it.
      ...ofChat.map((counted) => ({
        ...counted,
        spent: Math.max(counted.spent, spentIn(chat, unit, context())),
      })),
      ...budget('day', settings.day, isToday),
      ...budget('month', settings.month, isThisMonth),
      ...ofAccounts,
    ];
  }
}

function spentIn(
  chat: ChatAccount | undefined,
  unit: Budget['unit'],
  context: UsageContext,
): number {
  const used = chat === undefined ? [] : [...chat.usage()];
  return used.reduce((sum, [model, usage]) => {
    const amount = unit === 'tokens' ? usage.total_tokens : costOf(model, usage, context);
    return sum + (amount ?? 0);
  }, 0);
}

function reservedOf({ price, prompt, reply }: Reservation, unit: Budget['unit']): number {
  const cost = costPerToken(unit, price, prompt);
  const fee = unit === 'money' ? (price?.request ?? 0) : 0;
  return cost === undefined ? 0 : prompt * cost.prompt + reply * cost.reply + fee;
}

/** The share of a budget that requests which have ended used. It may exceed 1. */
export function shareOf({ spent, limit }: Budget): number {
  return limit === 0 ? 1 : spent / limit;
}

/** What is left of a budget for further requests. */
export function remainingOf({ limit, spent, reserved }: Budget): number {
  return Math.max(0, limit - spent - reserved);
}
