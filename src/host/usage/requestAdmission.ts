import { zeroUsage, type PriceThen, type Usage } from '../../core/conversation/usage.ts';
import {
  BudgetExceededError,
  longestReply,
  mostEstimated,
  remainingOf,
  reservedAmount,
  withinBudgets,
  type Allowance,
  type Budget,
  type ReplyDoubt,
  type UsedBudget,
} from '../../core/service/budget.ts';
import type { LearnedFactStore } from '../../core/service/learnedFacts.ts';
import {
  promptCharacters,
  sharedBeginning,
  type Admission,
  type RequestUsage,
} from '../../core/service/requestUsage.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { raceAbort } from '../../core/support/async.ts';
import { background, orUndefined } from '../../core/support/background.ts';
import {
  settingsOfModel,
  type BudgetSettings,
  type ModelSettings,
} from '../platform/settingValues.ts';
import type { CurrentSettings } from '../platform/settings.ts';
import { cutByBudget, exceeded, invalidBudget, type UnpricedModels } from './budgetUi.ts';
import type { EndRequest, Ledger, PlannedRequest } from './ledger.ts';
import type { TokenEstimates } from './tokenRatios.ts';
import { costOf, usageContext, type UsageByModel } from './usageByModel.ts';
import { monthOf, type RequestPurpose, type UsageRecord } from './usageRecord.ts';

/** A model at its service, by the ids that the log has. */
export interface ModelPlace {
  readonly service: string;
  readonly model: string;
}

export interface Sender extends ModelPlace {
  readonly purpose: RequestPurpose;
  /** Undefined outside chats. */
  readonly chat: ChatAccount | undefined;
  /** The demo is free, so it counts in no budget. */
  readonly demo: boolean;
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

interface RequestAdmissionOptions {
  readonly ledger: Ledger;
  readonly settings: CurrentSettings;
  /** The name of a service or account; undefined if it is no longer connected. */
  readonly nameOf: (service: string) => string | undefined;
  readonly meter: TokenEstimates;
  /** Asks about models without a price. */
  readonly unpriced?: UnpricedModels | undefined;
  readonly learned: LearnedFactStore;
}

/** The budget of which the smallest share is left. */
export interface BudgetLeft {
  readonly of: Budget['of'];
  readonly account?: string | undefined;
  readonly unit: Budget['unit'];
  readonly limit: number;
  readonly remaining: number;
  /** The factor by which a request may exceed its estimate. */
  readonly margin: number;
}

/** Tokens of each message that aren't part of its text. */
const tokensOfMessage = 4;

/** Tokens by which the estimate of a short reply may be off. */
const tokensOfDoubt = 16;

/** Number of chats whose last request is remembered. */
const rememberedChats = 20;

interface LastRequest extends ModelPlace {
  readonly request: CompletionRequest;
}

interface Limit {
  readonly of: Budget['of'];
  readonly limit: number | undefined;
  readonly account: string | undefined;
}

/**
 * Admits requests within the limits that the person set: reserves the maximum usage of each, and
 * counts its actual usage at the end.
 */
export class RequestAdmission {
  readonly #options: RequestAdmissionOptions;
  /** The last request of each chat, the latest chat last. */
  readonly #last = new Map<string, LastRequest>();

  constructor(options: RequestAdmissionOptions) {
    this.#options = options;
  }

  /** @throws {UserError} if the request exceeds a budget */
  async admit(
    request: CompletionRequest,
    used: RequestUsage,
    sender: Sender,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Admission> {
    const { ledger, learned, settings, unpriced } = this.#options;
    const { chat, service, model, demo, purpose } = sender;
    const { budget } = settings.current();
    const price = (): PriceThen | undefined => this.priceOf(request.model);
    const isInMoney = budget !== 'invalid' && budget.unit === 'money' && this.#hasBudget;
    // Nobody is asked for the price of a request of another extension.
    if (isInMoney && !demo && !purpose.startsWith('provider:') && price() === undefined)
      await raceAbort(unpriced?.ask(request.model) ?? Promise.resolve(), signal);
    // After tool calls, a chat sends their results.
    const isLaterRound = purpose === 'chat' && request.messages.at(-1)?.role === 'tool';
    const planned: PlannedRequest = {
      purpose: isLaterRound ? 'tools' : purpose,
      service,
      demo,
      chat: chat?.id() ?? '',
      turn: chat?.turn(),
      model,
      usage: (): Usage => used.estimated,
      price: demo ? undefined : price(),
      hasBudget: this.#hasBudget,
      ...this.#compared(request, sender),
    };
    const opening = ledger.open(planned, () =>
      demo
        ? { request, reserve: { prompt: 0, reply: 0 } }
        : this.#withinBudgets(request, chat, sender),
    );
    const { allowed, note, end } = await this.#untilStored(opening, chat, signal);
    this.#remember(request, sender);
    const { hidesReasoning, keepsLimit } = learned.of(service, model);
    const { reply } = allowed.reserve;
    // If the model respects its limit, a slightly high estimate must not cut off the reply.
    const cutAt = keepsLimit === true ? mostEstimated(reply, this.#doubtOf(request.model)) : reply;
    const hides = hidesReasoning ?? this.#settingsOf(request.model).takesEffort;
    return {
      request: allowed.request,
      isLimited: allowed.request.max_tokens !== request.max_tokens,
      maxTokens: reply === 0 ? Infinity : cutAt,
      hiddenTokens: hides === true ? reply : 0,
      exceeded: cutByBudget,
      untilSaved: chat?.saved ?? (() => Promise.resolve()),
      note,
      end: (usage, outcome) => background(end(usage, outcome)),
    };
  }

  /** The price of a model now, by its written id; undefined if it is unknown. */
  priceOf(model: string): PriceThen | undefined {
    const { priceOf, currency } = usageContext(this.#options.settings);
    const price = priceOf(model);
    return price && { ...price, source: undefined, currency };
  }

  /** Keeps a request that is sent, for comparison with the next one of its chat. */
  #remember(request: CompletionRequest, { chat, service, model, purpose }: Sender): void {
    if (chat === undefined || purpose !== 'chat') return;
    const id = chat.id();
    this.#last.delete(id);
    this.#last.set(id, { service, model, request });
    const [oldest = ''] = this.#last.keys();
    if (this.#last.size > rememberedChats) this.#last.delete(oldest);
  }

  /** What the service may have cached of a request of a chat. */
  #compared(request: CompletionRequest, sender: Sender): Pick<PlannedRequest, 'same' | 'changed'> {
    const { chat, service, model } = sender;
    if (chat === undefined) return {};
    const last = this.#last.get(chat.id());
    if (last === undefined) return {};
    if (last.service !== service || last.model !== model) return { changed: 'model' };
    const { characters, changed } = sharedBeginning(last.request, request);
    const same = this.#options.meter.estimate(request.model, characters, 'prompt');
    return changed === undefined ? { same } : { same, changed };
  }

  /**
   * Limits a request to the budgets. Returns it with its maximum usage.
   *
   * @throws {UserError} if it exceeds a budget
   */
  #withinBudgets(
    request: CompletionRequest,
    chat: ChatAccount | undefined,
    { service, model: id }: ModelPlace,
  ): Allowance {
    const { learned, meter, settings } = this.#options;
    if (settings.current().budget === 'invalid') throw invalidBudget();
    const { model, messages } = request;
    const estimated = meter.estimate(model, promptCharacters(request), 'prompt');
    const limits = this.#budgets(chat, service);
    const context = usageContext(settings);
    if (limits.length === 0) return { request, reserve: { prompt: estimated, reply: 0 } };
    const around = (messages.length + 1) * tokensOfMessage;
    const prompt = Math.ceil(estimated * meter.margin(model)) + around;
    const { acceptedLimit, refusesLimit, keepsLimit } = learned.of(service, id);
    try {
      return withinBudgets(request, prompt, limits, {
        price: context.priceOf(model),
        maxReply: this.#settingsOf(model).maxOutput ?? longestReply,
        accepted: acceptedLimit,
        refusesLimit,
        doubt: keepsLimit === true ? undefined : this.#doubtOf(model),
      });
    } catch (error) {
      if (!(error instanceof BudgetExceededError)) throw error;
      throw exceeded(error, model, context);
    }
  }

  #doubtOf(model: string): ReplyDoubt {
    return { factor: this.#options.meter.margin(model), tokens: tokensOfDoubt };
  }

  /** The request as it would be sent now; unchanged if it would be refused. */
  preview(request: CompletionRequest, chat: ChatAccount, place: ModelPlace): CompletionRequest {
    try {
      return this.#withinBudgets(request, chat, place).request;
    } catch {
      return request;
    }
  }

  /**
   * The tightest budget of a chat; undefined without a budget.
   *
   * @param model written id
   */
  budgetLeft(chat: ChatAccount, model: string, service: string): BudgetLeft | undefined {
    const margin = this.#options.meter.margin(model);
    const share = ({ remaining, limit }: BudgetLeft): number =>
      limit === 0 ? 0 : remaining / limit;
    return this.#budgets(chat, service)
      .map((budget) => ({
        of: budget.of,
        ...(budget.account !== undefined && { account: budget.account }),
        unit: budget.unit,
        limit: budget.limit,
        remaining: remainingOf(budget),
        margin,
      }))
      .toSorted((a, b) => share(a) - share(b))[0];
  }

  /** All budgets of a chat, with what counts in each of them now; none if the setting is invalid. */
  used(chat: ChatAccount): readonly UsedBudget[] {
    const { learned, ledger } = this.#options;
    const unlimitedModels = learned
      .withoutLimit()
      .map(([service, model]) => ledger.written(service, model));
    return this.#budgets(chat).map((budget) => ({ ...budget, unlimitedModels }));
  }

  /** True if usage is limited, or may be. */
  get #hasBudget(): boolean {
    const { budget } = this.#options.settings.current();
    if (budget === 'invalid') return true;
    const { chat, day, month, accounts = {} } = budget;
    const ofAccounts = Object.values(accounts).flatMap((limits) => [limits.day, limits.month]);
    return [chat, day, month, ...ofAccounts].some((limit) => limit !== undefined);
  }

  #settingsOf(model: string): Partial<ModelSettings> {
    return settingsOfModel(this.#options.settings.current(), model);
  }

  /**
   * The budgets of a chat, a day, a month and of accounts, all summed up in one pass.
   *
   * @param chat undefined outside chats
   * @param service the only service whose account counts; all accounts if undefined
   */
  #budgets(chat: ChatAccount | undefined, service?: string): readonly UsedBudget[] {
    const { ledger, nameOf, settings } = this.#options;
    const { budget } = settings.current();
    if (budget === 'invalid') return [];
    const { unit, accounts = {} } = budget;
    const { today, thisMonth } = ledger.log;
    const periods = { chat: chat?.id() ?? '', day: today, month: monthOf(today) };
    const limitsOf = (limits: Pick<BudgetSettings, 'day' | 'month'>, account?: string): Limit[] => [
      { of: 'day', limit: limits.day, account },
      { of: 'month', limit: limits.month, account },
    ];
    const limits: readonly Limit[] = [
      { of: 'chat', limit: chat && budget.chat, account: undefined },
      ...limitsOf(budget),
      ...Object.entries(accounts)
        .filter(([name]) => service === undefined || nameOf(service) === name)
        .flatMap(([name, ofAccount]) => limitsOf(ofAccount, name)),
    ];
    const budgets = limits.flatMap(({ of, limit, account }) => {
      if (limit === undefined) return [];
      const counts = { spent: 0, reserved: 0, running: 0 };
      return [{ of, period: periods[of], unit, limit, ...(account && { account }), ...counts }];
    });
    if (budgets.length === 0) return [];
    /** The budgets that a request counts in. */
    const budgetsOf = (request: Pick<UsageRecord, 'day' | 'service' | 'chat' | 'demo'>) => {
      const periodOf = { chat: request.chat, day: request.day, month: monthOf(request.day) };
      return budgets.filter(
        ({ of, period, account }) =>
          !request.demo &&
          periodOf[of] === period &&
          (account === undefined || nameOf(request.service) === account),
      );
    };
    for (const sum of thisMonth.ended)
      for (const used of budgetsOf(sum))
        used.spent += unit === 'tokens' ? sum.usage.total_tokens : sum.cost;
    for (const request of thisMonth.running)
      for (const used of budgetsOf(request)) {
        used.reserved += reservedAmount(unit, request.price, request.reserve);
        used.running += 1;
      }
    // The chat may be older than the month, and other windows may have used it.
    const ofChat = budgets.find(({ of }) => of === 'chat');
    if (ofChat !== undefined && chat !== undefined) {
      const context = usageContext(settings);
      const amounts = [...chat.usage()].map(([model, usage]) =>
        unit === 'tokens' ? usage.total_tokens : (costOf(model, usage, context) ?? 0),
      );
      const spent = amounts.reduce((sum, amount) => sum + amount, 0);
      ofChat.spent = Math.max(ofChat.spent, spent);
    }
    return budgets;
  }

  /** Waits for the storage, but lets the person stop the request even if a disk hangs. */
  async #untilStored<Opened extends { readonly end: EndRequest }>(
    opening: Promise<Opened>,
    chat: ChatAccount | undefined,
    signal: AbortSignal,
  ): Promise<Opened> {
    try {
      const stored = Promise.all([opening, chat?.saved()]);
      const [opened] = await raceAbort(stored, signal);
      return opened;
    } catch (error) {
      // The request was not sent. An error of `opening` itself is thrown below, except after Stop.
      background(orUndefined(opening.then(({ end }) => end(zeroUsage, 'stopped'))));
      throw error;
    }
  }
}
