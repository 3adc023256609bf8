/** What people are told about their budgets, and asked for them. */
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { formatMoney, type Price } from '../../core/conversation/usage.ts';
import {
  shareOf,
  type Budget,
  type BudgetExceededError,
  type UsedBudget,
} from '../../core/service/budget.ts';
import { background } from '../../core/support/background.ts';
import { counted } from '../../core/support/counted.ts';
import { disposeAll, type Disposable, type Event } from '../../core/support/event.ts';
import { visibleName } from '../../core/support/text.ts';
import { defaultTurnTokens } from '../../core/turn/runTurn.ts';
import { commands } from '../contributions.ts';
import { notify, type Dialogs, type ValidationMessage } from '../platform/dialogs.ts';
import { UserError } from '../platform/errors.ts';
import type { Memento } from '../platform/memento.ts';
import type { BudgetSettings, SettingValues } from '../platform/settingValues.ts';
import { usageContext, type UsageContext } from './usageByModel.ts';

type AmountContext = Omit<UsageContext, 'priceOf'>;

function budgetAmount(
  amount: number,
  unit: Budget['unit'],
  { language, currency }: AmountContext,
): string {
  return unit === 'money'
    ? formatMoney(amount, currency, language)
    : counted(vscode.l10n.t('{0} tokens'), amount, language);
}

/** The error for a request that exceeds a budget, or whose price is needed and unknown. */
export function exceeded(
  { budget, needed }: BudgetExceededError,
  model: string,
  context: AmountContext,
): UserError {
  if (needed === undefined) {
    const text = vscode.l10n.t(
      "Not sent: your budget is in money, but the price of {0} isn't known. Select another model, or set the price in the settings.",
      model,
    );
    return new UserError(text, 'select-model');
  }
  const remedy = budget.of === 'chat' ? 'raise-chat-budget' : 'raise-budget';
  return new UserError(exceededText(budget, needed, context), remedy);
}

function exceededText(
  { of, account, unit, limit, spent, reserved }: Budget,
  needed: number,
  context: AmountContext,
): string {
  const amounts = [
    budgetAmount(limit, unit, context),
    // What running requests may use counts as used.
    budgetAmount(spent + reserved, unit, context),
    budgetAmount(needed, unit, context),
  ] as const;
  if (account !== undefined)
    return of === 'month'
      ? vscode.l10n.t(
          'Not sent: over the monthly budget of {0}. {2} of {1} used; this message needs about {3}. Raise the budget, or select another model.',
          account,
          ...amounts,
        )
      : vscode.l10n.t(
          'Not sent: over the daily budget of {0}. {2} of {1} used; this message needs about {3}. Raise the budget, or select another model.',
          account,
          ...amounts,
        );
  const texts: Readonly<Record<typeof of, string>> = {
    chat: vscode.l10n.t(
      'Not sent: over the chat budget. {1} of {0} used; this message needs about {2}. Raise the budget, or start a new chat.',
      ...amounts,
    ),
    day: vscode.l10n.t(
      'Not sent: over the daily budget. {1} of {0} used; this message needs about {2}. Raise the budget, or try again tomorrow.',
      ...amounts,
    ),
    month: vscode.l10n.t(
      'Not sent: over the monthly budget. {1} of {0} used; this message needs about {2}. Raise the budget, or wait for the next month.',
      ...amounts,
    ),
  };
  return texts[of];
}

/** The error that ends a reply because the service ignored the limit. */
export function cutByBudget(): UserError {
  const text = vscode.l10n.t(
    'The reply was stopped because it became longer than the budget allows. The text received so far was kept.',
  );
  return new UserError(text, 'raise-budget');
}

/** The error for an invalid budget, whose limits are unknown. */
export function invalidBudget(): UserError {
  const text = vscode.l10n.t("Not sent: the budget in the settings isn't valid. Set it again.");
  return new UserError(text, 'raise-budget');
}

/** The error for a request that a budget limits while the log that counts for it is unavailable. */
export function logUnavailable(): UserError {
  return new UserError(
    vscode.l10n.t(
      "Not sent: the token usage can't be saved, so your budget can't be kept. Free some disk space or check the permissions of Aside's storage, then try again.",
    ),
    'try-again',
  );
}

/** States how much of a budget is used, and whether it can only stop replies. */
export function usedBudgetText(budget: UsedBudget, context: AmountContext): string {
  const text = usedText(budget, context);
  const { unlimitedModels = [] } = budget;
  if (unlimitedModels.length === 0) return text;
  const names = unlimitedModels.map((model) => visibleName(model)).join(', ');
  return `${text} ${vscode.l10n.t("{0} doesn't accept a maximum reply length, so the budget can only stop a reply.", names)}`;
}

function usedText({ of, account, unit, limit, spent }: Budget, context: AmountContext) {
  const percent = limit === 0 ? 100 : Math.floor((100 * spent) / limit);
  const amounts = [
    percent,
    budgetAmount(spent, unit, context),
    budgetAmount(limit, unit, context),
  ] as const;
  if (account !== undefined)
    return of === 'month'
      ? vscode.l10n.t(
          "{0}% of this month's budget of {3} is used: {1} of {2}.",
          ...amounts,
          account,
        )
      : vscode.l10n.t("{0}% of today's budget of {3} is used: {1} of {2}.", ...amounts, account);
  const texts: Readonly<Record<typeof of, string>> = {
    chat: vscode.l10n.t("{0}% of this chat's budget is used: {1} of {2}.", ...amounts),
    day: vscode.l10n.t("{0}% of today's budget is used: {1} of {2}.", ...amounts),
    month: vscode.l10n.t("{0}% of this month's budget is used: {1} of {2}.", ...amounts),
  };
  return texts[of];
}

/** Used shares of a budget that cause a notice. */
const shares = [0.9, 0.75, 0.5] as const;

/** Used share from which the status bar shows a budget. */
export const firstShare = Math.min(...shares);

const stateKey = 'aside.toldBudgets';
/** Budgets with the share of which the person was told, the newest first. */
const storedNotices = z.array(z.tuple([z.string(), z.number()]));
const toldCount = 100;

/** The budgets that limit the visible chat, and an event for changes of them. */
interface LimitedUsage {
  readonly budgets: () => readonly UsedBudget[];
  readonly onDidChange: Event<unknown>;
}

/**
 * Tells the person once each when half, three quarters and nine tenths of a budget are used, unless
 * an error says so already, or the person has just set a budget with that much usage.
 */
export class BudgetNotices implements Disposable {
  readonly #usage: LimitedUsage;
  readonly #state: Memento;
  readonly #tell: (budget: UsedBudget) => Promise<void>;
  readonly #listening: readonly Disposable[];
  /** The limits that were set when notices were last checked. */
  #limits: ReadonlySet<string>;

  /**
   * @param mayTell true if a notice may be shown now. While a reply is running in the visible chat it
   *   may not, as that may end with an error about the budget
   * @param onDidExceed fires when an error in the visible chat says that a budget is used up
   */
  constructor(
    usage: LimitedUsage,
    state: Memento,
    mayTell: () => boolean,
    tell: (budget: UsedBudget) => Promise<void>,
    onDidExceed: Event<unknown>,
  ) {
    this.#usage = usage;
    this.#state = state;
    this.#tell = tell;
    this.#limits = new Set(usage.budgets().map(limitKey));
    this.#listening = [
      usage.onDidChange(() => {
        if (mayTell()) this.#check();
      }),
      onDidExceed(() => this.#note(usage.budgets())),
    ];
  }

  dispose(): void {
    disposeAll(this.#listening);
  }

  #check(): void {
    const current = this.#usage.budgets();
    const before = this.#limits;
    this.#limits = new Set(current.map(limitKey));
    for (const budget of this.#note(current))
      if (before.has(limitKey(budget))) background(this.#tell(budget));
  }

  /** Remembers which shares are reached. Returns the budgets with a share that is new. */
  #note(budgets: readonly UsedBudget[]): readonly UsedBudget[] {
    const told = storedNotices.safeParse(this.#state.get(stateKey)).data ?? [];
    const reached = budgets.filter((budget) => {
      const share = shares.find((step) => shareOf(budget) >= step) ?? 0;
      const [, before = 0] = told.find(([key]) => key === budgetKey(budget)) ?? [];
      return share > before;
    });
    const newest = reached.map((budget) => [budgetKey(budget), shareOf(budget)]);
    if (newest.length > 0)
      background(this.#state.update(stateKey, [...newest, ...told].slice(0, toldCount)));
    return reached;
  }
}

/** A changed limit counts as another budget. */
function budgetKey({ of, account, period, unit, limit }: UsedBudget): string {
  return [of, period, unit, limit, ...(account === undefined ? [] : [account])].join(' ');
}

function limitKey(budget: UsedBudget): string {
  return budgetKey({ ...budget, period: '' });
}

/** Notifies the person of a budget, with buttons for what can be done. */
export async function tellOfBudget(budget: UsedBudget, context: AmountContext): Promise<void> {
  const [usage, change] = [vscode.l10n.t('Show Usage'), vscode.l10n.t('Set Budget…')];
  const chosen = await notify('information', usedBudgetText(budget, context), usage, change);
  if (chosen === usage) await vscode.commands.executeCommand(commands.showUsage);
  if (chosen === change) await vscode.commands.executeCommand(commands.setBudget);
}

const limits = ['chat', 'day', 'month', 'turn'] as const;
type Limit = (typeof limits)[number];
type Unit = BudgetSettings['unit'];

/** The settings that these dialogs change. */
export interface BudgetSettingsWriter {
  current(): SettingValues;
  setBudget(budget: BudgetSettings): Promise<void>;
  setPrice(model: string, price: Price): Promise<void>;
}

/**
 * `aside.setBudget`: asks for one limit, and writes it to the setting.
 *
 * @param wantedUnit the unit of the limits; that of the setting by default
 */
export async function setBudget(
  settings: BudgetSettingsWriter,
  dialogs: Dialogs,
  wantedUnit?: Unit,
): Promise<void> {
  const { budget } = settings.current();
  const unit = wantedUnit ?? (budget === 'invalid' ? 'tokens' : budget.unit);
  // Limits that are invalid or in the other unit can't be kept.
  const before: BudgetSettings = budget !== 'invalid' && budget.unit === unit ? budget : { unit };
  const context = usageContext(settings);
  const usualTurn = budgetAmount(defaultTurnTokens, 'tokens', context);
  /** A limit as text; undefined if there is none. A turn always has one. */
  const written = (limit: Limit, amount: number | undefined): string | undefined => {
    if (amount !== undefined) return budgetAmount(amount, unit, context);
    return limit === 'turn' ? usualTurn : undefined;
  };
  const choices = limits.map((value) => ({
    label: titleOf(value),
    description: written(value, before[value]) ?? vscode.l10n.t('no limit'),
    value,
  }));
  const otherUnit =
    unit === 'tokens'
      ? vscode.l10n.t('Limit Money Instead of Tokens…')
      : vscode.l10n.t('Limit Tokens Instead of Money…');
  const limit = await dialogs.pick<Limit | 'unit'>(
    [...choices, { label: otherUnit, value: 'unit' }],
    vscode.l10n.t('Set Budget'),
  );
  if (limit === undefined) return;
  if (limit === 'unit') return setBudget(settings, dialogs, unit === 'tokens' ? 'money' : 'tokens');
  const text = await dialogs.prompt({
    title: titleOf(limit),
    prompt: promptOf(limit, unit, context.currency, usualTurn),
    value: before[limit]?.toString() ?? '',
    placeholder: unit === 'tokens' ? vscode.l10n.t('For example 200,000 or 1.5M') : '2.50',
    check: (typed) => (typed.trim() === '' ? undefined : amountProblem(typed, unit)),
  });
  if (text === undefined) return;
  const amount = readAmount(text, unit);
  await settings.setBudget({ ...before, [limit]: amount });
  dialogs.showStatus(confirmation(limit, written(limit, amount) ?? ''));
}

function titleOf(limit: Limit): string {
  const titles: Readonly<Record<Limit, string>> = {
    chat: vscode.l10n.t('Limit for Each Chat'),
    day: vscode.l10n.t('Limit for Each Day'),
    month: vscode.l10n.t('Limit for Each Month'),
    turn: vscode.l10n.t('Limit for Each Turn'),
  };
  return titles[limit];
}

/** @param usual the limit of a turn where none is set */
function promptOf(limit: Limit, unit: Unit, currency: string, usual: string): string {
  if (unit === 'tokens')
    return limit === 'turn'
      ? vscode.l10n.t(
          'A turn pauses when it has sent that many tokens. Leave empty for {0}.',
          usual,
        )
      : vscode.l10n.t('Tokens in prompts and replies. Leave empty for no limit.');
  return limit === 'turn'
    ? vscode.l10n.t(
        'A turn pauses when it has cost that amount in {0}. Leave empty for {1}.',
        currency,
        usual,
      )
    : vscode.l10n.t('Amount in {0}. Leave empty for no limit.', currency);
}

/** @param amount empty if there is no limit anymore, which a turn always has */
function confirmation(limit: Limit, amount: string): string {
  const texts: Readonly<Record<Limit, readonly [isSet: string, isRemoved?: string]>> = {
    chat: [vscode.l10n.t('Chat budget set to {0}.', amount), vscode.l10n.t('Chat budget removed.')],
    day: [
      vscode.l10n.t('Daily budget set to {0}.', amount),
      vscode.l10n.t('Daily budget removed.'),
    ],
    month: [
      vscode.l10n.t('Monthly budget set to {0}.', amount),
      vscode.l10n.t('Monthly budget removed.'),
    ],
    turn: [vscode.l10n.t('Turn budget set to {0}.', amount)],
  };
  const [isSet, isRemoved = isSet] = texts[limit];
  return amount === '' ? isRemoved : isSet;
}

/** Explains why a text isn't an amount; undefined if it is. */
function amountProblem(text: string, unit: Unit): ValidationMessage | undefined {
  if (readAmount(text, unit) !== undefined) return undefined;
  const words =
    unit === 'tokens'
      ? vscode.l10n.t('Enter a number of tokens, for example 200,000 or 1.5M.')
      : vscode.l10n.t('Enter an amount, for example 2.50.');
  return { text: words, severity: 'error' };
}

/**
 * Parses an amount as people type it: `200000`, `200,000`, `200 000`, `1.5M`, `2,50`. Undefined for
 * anything else. A separator before exactly three digits groups them, except in `0.125`.
 */
export function readAmount(text: string, unit: Unit): number | undefined {
  const typed = text.trim().toLowerCase();
  const [, digits = '', suffix = ''] = /^([\d.,'\s]{1,30}?)\s?([km]?)$/.exec(typed) ?? [];
  const isGrouped = /^[1-9]\d{0,2}(?:[,.'\s]\d{3})+$/.test(digits);
  const number = isGrouped ? digits.replaceAll(/\D/g, '') : digits.replace(',', '.');
  if (!/^\d+(?:\.\d+)?$/.test(number)) return undefined;
  if (unit === 'money') return suffix === '' ? Number(number) : undefined;
  const factor = suffix === 'k' ? 1000 : suffix === 'm' ? 1_000_000 : 1;
  return Math.round(Number(number) * factor);
}

/** Asks for the prices of models that a budget in money needs. Until then, nothing is sent. */
export class UnpricedModels {
  readonly #dialogs: Dialogs;
  readonly #settings: BudgetSettingsWriter;
  readonly #asking = new Map<string, Promise<void>>();

  constructor(dialogs: Dialogs, settings: BudgetSettingsWriter) {
    this.#dialogs = dialogs;
    this.#settings = settings;
  }

  /** Asks once for all waiting requests. Also resolves if the person cancels. */
  ask(model: string): Promise<void> {
    const asking = this.#asking.get(model) ?? this.#ask(model);
    this.#asking.set(model, asking);
    return asking.finally(() => this.#asking.delete(model));
  }

  async #ask(model: string): Promise<void> {
    const { currency } = this.#settings.current();
    const amount = async (prompt: string): Promise<number | undefined> => {
      const text = await this.#dialogs.prompt({
        title: vscode.l10n.t("The price of {0} isn't known, and your budget is in money", model),
        prompt,
        placeholder: '0.50',
        check: (typed) => amountProblem(typed, 'money'),
      });
      return text === undefined ? undefined : readAmount(text, 'money');
    };
    const input = await amount(
      vscode.l10n.t('Price of a million tokens of prompts, in {0}.', currency),
    );
    if (input === undefined) return;
    const output = await amount(
      vscode.l10n.t('Price of a million tokens of replies, in {0}.', currency),
    );
    if (output !== undefined) await this.#settings.setPrice(model, { input, output });
  }
}
