import { zeroUsage, type PriceThen, type Usage } from '../../core/conversation/usage.ts';
import {
  BudgetExceededError,
  longestReply,
  mostEstimated,
  withinBudgets,
  type Allowance,
  type Budget,
  type ReplyDoubt,
} from '../../core/service/budget.ts';
import type { LearnedFactStore } from '../../core/service/learnedFacts.ts';
import {
  promptCharacters,
  type Admission,
  type RequestUsage,
} from '../../core/service/requestUsage.ts';
import { sharedBeginning } from '../../core/service/requestUsage.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { raceAbort } from '../../core/support/async.ts';
import { background, orUndefined } from '../../core/support/background.ts';
import type { ModelSettings } from '../settingValues.ts';
import { remainingOf, type Budgets, type ChatAccount, type UsedBudget } from './budgets.ts';
import { cutByBudget, exceeded, invalidBudget } from './budgetTexts.ts';
import type { EndRequest, Ledger, PlannedRequest } from './ledger.ts';
import type { TokenEstimates } from './tokenRatios.ts';
import type { UnpricedModels } from './unpricedModels.ts';
import type { RequestPurpose } from './usageRecord.ts';
import type { UsageContext } from './usageTable.ts';

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

interface RequestAdmissionOptions {
  readonly ledger: Ledger;
  readonly budgets: Budgets;
  readonly meter: TokenEstimates;
  readonly context: () => UsageContext;
  /** The settings of a model, by its written id. */
  readonly settingsOf: (model: string) => Partial<ModelSettings>;
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

/** Admits requests: reserves the maximum usage of each, and counts its actual usage at the end. */
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
    const { ledger, learned, settingsOf } = this.#options;
    const { chat, service, model, demo } = sender;
    if (!demo) await this.#requirePrice(request.model, sender, signal);
    const planned: PlannedRequest = {
      purpose: purposeOf(request, sender),
      service,
      demo,
      chat: chat?.id() ?? '',
      turn: chat?.turn(),
      model,
      usage: (): Usage => used.estimated,
      price: demo ? undefined : this.priceOf(request.model),
      isLimited: this.#options.budgets.isLimited,
      ...this.#compared(request, sender),
    };
    const opening = ledger.open(planned, () =>
      demo
        ? { request, reserve: { prompt: 0, reply: 0 } }
        : this.#withinBudgets(request, chat, sender),
    );
    const { allowed, note, end } = await this.#untilStored(opening, chat, signal);
    const hides =
      learned.of(service, model).hidesReasoning ?? settingsOf(request.model).takesEffort;
    return {
      request: allowed.request,
      isLimited: allowed.request.max_tokens !== request.max_tokens,
      maxTokens: this.#cutAt(allowed.reserve.reply, request.model, sender),
      hiddenTokens: hides === true ? allowed.reserve.reply : 0,
      exceeded: () => cutByBudget(),
      untilSaved: chat?.saved ?? (() => Promise.resolve()),
      note,
      end: (usage, outcome) => background(end(usage, outcome)),
    };
  }

  /** The price of a model now, by its written id; undefined if it is unknown. */
  priceOf(model: string): PriceThen | undefined {
    const { priceOf, currency } = this.#options.context();
    const price = priceOf(model);
    return price && { ...price, source: undefined, currency };
  }

  /** What the service may have cached of a request of a chat. */
  #compared(request: CompletionRequest, sender: Sender): Pick<PlannedRequest, 'same' | 'changed'> {
    const { chat, service, model, purpose } = sender;
    if (chat === undefined) return {};
    const id = chat.id();
    const last = this.#last.get(id);
    if (purpose === 'chat') {
      this.#last.delete(id);
      this.#last.set(id, { service, model, request });
      const [oldest = ''] = this.#last.keys();
      if (this.#last.size > rememberedChats) this.#last.delete(oldest);
    }
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
    const { budgets, context, learned, meter, settingsOf } = this.#options;
    if (budgets.settings === 'invalid') throw invalidBudget();
    const { model, messages } = request;
    const estimated = meter.estimate(model, promptCharacters(request), 'prompt');
    const limits = budgets.of(chat, service);
    if (limits.length === 0) return { request, reserve: { prompt: estimated, reply: 0 } };
    const around = (messages.length + 1) * tokensOfMessage;
    const prompt = Math.ceil(estimated * meter.margin(model)) + around;
    const { acceptedLimit, refusesLimit, keepsLimit } = learned.of(service, id);
    try {
      return withinBudgets(request, prompt, limits, {
        price: context().priceOf(model),
        maxReply: settingsOf(model).maxOutput ?? longestReply,
        accepted: acceptedLimit,
        refusesLimit,
        doubt: keepsLimit === true ? undefined : this.#doubtOf(model),
      });
    } catch (error) {
      if (!(error instanceof BudgetExceededError)) throw error;
      throw exceeded(error, model, context());
    }
  }

  #doubtOf(model: string): ReplyDoubt {
    return { factor: this.#options.meter.margin(model), tokens: tokensOfDoubt };
  }

  /**
   * The estimated tokens at which a reply is cut off: the reserved ones. If the model respects its
   * limit, a slightly high estimate must not cut off the reply.
   */
  #cutAt(reserved: number, written: string, { service, model }: ModelPlace): number {
    if (reserved === 0) return Infinity;
    return this.#options.learned.of(service, model).keepsLimit === true
      ? mostEstimated(reserved, this.#doubtOf(written))
      : reserved;
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
    return this.#options.budgets
      .of(chat, service)
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

  used(chat: ChatAccount): readonly UsedBudget[] {
    const { budgets, learned, ledger } = this.#options;
    if (!budgets.isLimited) return [];
    const unlimitedModels = learned
      .withoutLimit()
      .map(([service, model]) => ledger.written(service, model));
    return budgets.of(chat).map((budget) => ({ ...budget, unlimitedModels }));
  }

  /** Asks for a price if a budget in money needs one, except for requests of other extensions. */
  async #requirePrice(model: string, sender: Sender, signal: AbortSignal): Promise<void> {
    const { budgets, context, unpriced } = this.#options;
    if (unpriced === undefined || sender.purpose.startsWith('provider:')) return;
    if (budgets.isInMoney && context().priceOf(model) === undefined)
      await raceAbort(unpriced.ask(model), signal);
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

/** The purpose of a request. After tool calls, a chat sends their results. */
function purposeOf({ messages }: CompletionRequest, { purpose }: Sender): RequestPurpose {
  return purpose === 'chat' && messages.at(-1)?.role === 'tool' ? 'tools' : purpose;
}
