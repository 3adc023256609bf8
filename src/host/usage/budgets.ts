import {
  BudgetExceededError,
  costPerToken,
  longestReply,
  withinBudgets,
  type Allowance,
  type Budget,
  type ReplyDoubt,
} from '../../core/service/budget.ts';
import type { LearnedFacts } from '../../core/service/learnedFacts.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { promptCharacters } from '../../core/service/requestUsage.ts';
import type { BudgetSettings } from '../settingValues.ts';
import { exceeded, invalidBudget } from './budgetTexts.ts';
import type { TokenEstimates } from './tokenRatios.ts';
import type { Counts, Reservation, UsageLog } from './usageLog.ts';
import { monthOf } from './usageRecord.ts';
import type { UsageByModel, UsageContext } from './usageTable.ts';

export interface Spending {
  /** `invalid` if the setting is invalid, so that the limit is unknown. */
  readonly budget: BudgetSettings | 'invalid';
  readonly log: UsageLog;
  /** The request's chat; undefined outside chats. */
  readonly chat: ChatAccount | undefined;
  readonly meter: TokenEstimates;
  readonly context: UsageContext;
  readonly facts?: LearnedFacts | undefined;
  /** Maximum tokens of a model's reply, if known. */
  readonly maxReplyOf: (model: string) => number | undefined;
  /** The model of the request; undefined for the budgets of all services. */
  readonly place?: ModelPlace | undefined;
  /** The name of a service or account, by which it can have limits of its own. */
  readonly nameOf: (service: string) => string | undefined;
}

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

/** A model at its service, by the ids that the log has. */
export interface ModelPlace {
  readonly service: string;
  readonly model: string;
}

/** Tokens of each message that aren't part of its text. */
const tokensOfMessage = 4;

/** Tokens by which the estimate of a short reply may be off. */
const tokensOfDoubt = 16;

export function replyDoubt(model: string, meter: TokenEstimates): ReplyDoubt {
  return { factor: meter.margin(model), tokens: tokensOfDoubt };
}

/**
 * Limits a request to the budgets. Returns it with its maximum usage.
 *
 * @throws {UserError} if it exceeds a budget
 */
export function applyBudget(request: CompletionRequest, spending: Spending): Allowance {
  const { budget, meter, context, facts = {} } = spending;
  if (budget === 'invalid') throw invalidBudget();
  const { model, messages } = request;
  const estimated = meter.estimate(model, promptCharacters(request), 'prompt');
  const budgets = budgetsOf(budget, spending);
  if (budgets.length === 0) return { request, reserve: { prompt: estimated, reply: 0 } };
  const around = (messages.length + 1) * tokensOfMessage;
  const prompt = Math.ceil(estimated * meter.margin(model)) + around;
  const maxReply = spending.maxReplyOf(model) ?? longestReply;
  const limits = {
    price: context.priceOf(model),
    maxReply,
    accepted: facts.acceptedLimit,
    refusesLimit: facts.refusesLimit,
    doubt: facts.keepsLimit === true ? undefined : replyDoubt(model, meter),
  };
  try {
    return withinBudgets(request, prompt, budgets, limits);
  } catch (error) {
    if (!(error instanceof BudgetExceededError)) throw error;
    throw exceeded(error, model, context);
  }
}

/** True if a budget in money limits requests to a model with an unknown price. */
export function needsPrice(
  model: string,
  budget: BudgetSettings | 'invalid',
  context: UsageContext,
): boolean {
  if (budget === 'invalid' || budget.unit === 'tokens' || !isLimited(budget)) return false;
  return context.priceOf(model) === undefined;
}

/** True if usage is limited, or may be. */
export function isLimited(budget: BudgetSettings | 'invalid'): boolean {
  if (budget === 'invalid') return true;
  const ofAccounts = Object.values(budget.accounts ?? {}).flatMap(({ day, month }) => [day, month]);
  const limits = [budget.chat, budget.day, budget.month, ...ofAccounts];
  return limits.some((limit) => limit !== undefined);
}

function budgetsOf(settings: BudgetSettings, spending: Spending): readonly Budget[] {
  const { log, chat, place, nameOf } = spending;
  const { unit } = settings;
  const { today } = log;
  const id = chat?.id();
  const budget = (
    of: Budget['of'],
    limit: number | undefined,
    counts: Counts,
    account?: string,
  ): Budget[] => {
    if (limit === undefined) return [];
    const { tokens, cost, reserved } = log.counted(counts);
    return [
      {
        of,
        ...(account !== undefined && { account }),
        unit,
        limit,
        spent: unit === 'tokens' ? tokens : cost,
        reserved: reserved.reduce((sum, request) => sum + reservedOf(request, unit), 0),
        running: reserved.length,
      },
    ];
  };
  const ofChat =
    chat === undefined ? [] : budget('chat', settings.chat, (request) => request.chat === id);
  const isToday: Counts = ({ day }) => day === today;
  const isThisMonth: Counts = ({ day }) => monthOf(day) === monthOf(today);
  const ofAccounts = Object.entries(settings.accounts ?? {})
    .filter(([name]) => place === undefined || nameOf(place.service) === name)
    .flatMap(([name, { day, month }]) => {
      const isOurs: Counts = ({ service }) => nameOf(service) === name;
      return [
        ...budget('day', day, (request) => isToday(request) && isOurs(request), name),
        ...budget('month', month, (request) => isThisMonth(request) && isOurs(request), name),
      ];
    });
  return [
    // The chat may be older than the month, and other windows may have used it.
    ...ofChat.map((counted) => ({
      ...counted,
      spent: Math.max(counted.spent, spentIn(chat, unit)),
    })),
    ...budget('day', settings.day, isToday),
    ...budget('month', settings.month, isThisMonth),
    ...ofAccounts,
  ];
}

function spentIn(chat: ChatAccount | undefined, unit: Budget['unit']): number {
  const used = chat === undefined ? [] : [...chat.usage().values()];
  return used.reduce(
    (sum, { total_tokens, cost = 0 }) => sum + (unit === 'tokens' ? total_tokens : cost),
    0,
  );
}

function reservedOf({ price, prompt, reply }: Reservation, unit: Budget['unit']): number {
  const cost = costPerToken(unit, price, prompt);
  const fee = unit === 'money' ? (price?.request ?? 0) : 0;
  return cost === undefined ? 0 : prompt * cost.prompt + reply * cost.reply + fee;
}

export interface UsedBudget extends Budget {
  /** The id of the chat, the day or the month. */
  readonly period: string;
  /** Models that refuse `max_tokens`, so that their replies can only be stopped. */
  readonly unlimitedModels?: readonly string[];
}

/** The budgets of a chat now, with their usage. */
export function usedBudgets(spending: Spending): readonly UsedBudget[] {
  if (spending.budget === 'invalid') return [];
  const day = spending.log.today;
  const periods = { chat: spending.chat?.id() ?? '', day, month: monthOf(day) };
  return budgetsOf(spending.budget, spending).map((budget) => ({
    ...budget,
    period: periods[budget.of],
  }));
}

/** The share of a budget that requests which have ended used. It may exceed 1. */
export function shareOf({ spent, limit }: Budget): number {
  return limit === 0 ? 1 : spent / limit;
}

export interface BudgetLeft {
  readonly of: Budget['of'];
  /** The service or account that it limits; absent for all. */
  readonly account?: string | undefined;
  readonly unit: Budget['unit'];
  readonly limit: number;
  readonly remaining: number;
  /** The factor by which a request may exceed its estimate. */
  readonly margin: number;
}

/** The remaining part of each budget. */
export function budgetsLeft(spending: Spending, model: string): readonly BudgetLeft[] {
  if (spending.budget === 'invalid') return [];
  return budgetsOf(spending.budget, spending).map(
    ({ of, account, unit, limit, spent, reserved }) => ({
      of,
      ...(account !== undefined && { account }),
      unit,
      limit,
      remaining: Math.max(0, limit - spent - reserved),
      margin: spending.meter.margin(model),
    }),
  );
}

/** The budget with the smallest remaining share; undefined without budgets. */
export function tightestBudget(spending: Spending, model: string): BudgetLeft | undefined {
  const share = ({ remaining, limit }: BudgetLeft): number => (limit === 0 ? 0 : remaining / limit);
  return budgetsLeft(spending, model).toSorted((a, b) => share(a) - share(b))[0];
}
