import { zeroUsage, type PriceThen, type Usage } from '../../core/conversation/usage.ts';
import { mostEstimated } from '../../core/service/budget.ts';
import type { LearnedFactStore } from '../../core/service/learnedFacts.ts';
import type { Admission } from '../../core/service/meteredClient.ts';
import type { RequestUsage } from '../../core/service/requestUsage.ts';
import { sharedBeginning } from '../../core/service/sharedBeginning.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { raceAbort } from '../../core/support/async.ts';
import { background, orUndefined } from '../../core/support/background.ts';
import type { BudgetSettings, ModelSettings } from '../settingValues.ts';
import {
  applyBudget,
  isLimited,
  needsPrice,
  replyDoubt,
  tightestBudget,
  usedBudgets,
  type BudgetLeft,
  type ChatAccount,
  type ModelPlace,
  type Spending,
  type UsedBudget,
} from './budgets.ts';
import { cutByBudget } from './budgetTexts.ts';
import type { EndRequest, Ledger, PlannedRequest } from './ledger.ts';
import type { TokenRatios } from './tokenRatios.ts';
import type { UnpricedModels } from './unpricedModels.ts';
import type { RequestPurpose } from './usageRecord.ts';
import type { UsageContext } from './usageTable.ts';

export interface Sender extends ModelPlace {
  readonly purpose: RequestPurpose;
  /** Undefined outside chats. */
  readonly chat: ChatAccount | undefined;
  /** The demo is free, so it counts in no budget. */
  readonly demo: boolean;
}

interface RequestAdmissionOptions {
  readonly ledger: Ledger;
  readonly meter: TokenRatios;
  readonly budget: () => BudgetSettings | 'invalid';
  readonly context: () => UsageContext;
  /** The settings of a model, by its written id. */
  readonly settingsOf: (model: string) => Partial<ModelSettings>;
  /** The name of a service or account; undefined if it is no longer connected. */
  readonly nameOf: (service: string) => string | undefined;
  /** Asks about models without a price. */
  readonly unpriced?: UnpricedModels | undefined;
  readonly learned: LearnedFactStore;
}

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
      isLimited: isLimited(this.#options.budget()),
      ...this.#compared(request, sender),
    };
    const opening = ledger.open(planned, () =>
      demo
        ? { request, reserve: { prompt: 0, reply: 0 } }
        : applyBudget(request, this.#spending(chat, sender)),
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
      sendAgain: chat?.saved ?? (() => Promise.resolve()),
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
   * The estimated tokens at which a reply is cut off: the reserved ones. If the model respects its
   * limit, a slightly high estimate must not cut off the reply.
   */
  #cutAt(reserved: number, written: string, { service, model }: ModelPlace): number {
    if (reserved === 0) return Infinity;
    const { learned, meter } = this.#options;
    return learned.of(service, model).keepsLimit === true
      ? mostEstimated(reserved, replyDoubt(written, meter))
      : reserved;
  }

  /** The request as it would be sent now; unchanged if it would be refused. */
  preview(request: CompletionRequest, chat: ChatAccount, place: ModelPlace): CompletionRequest {
    try {
      return applyBudget(request, this.#spending(chat, place)).request;
    } catch {
      return request;
    }
  }

  /** The remainder of the tightest budget; undefined without a budget. */
  budgetLeft(chat: ChatAccount, model: string, place: ModelPlace): BudgetLeft | undefined {
    if (!isLimited(this.#options.budget())) return undefined;
    return tightestBudget(this.#spending(chat, place), model);
  }

  used(chat: ChatAccount): readonly UsedBudget[] {
    if (!isLimited(this.#options.budget())) return [];
    const { learned, ledger } = this.#options;
    const unlimitedModels = learned
      .withoutLimit()
      .map(([service, model]) => ledger.written(service, model));
    return usedBudgets(this.#spending(chat)).map((budget) => ({ ...budget, unlimitedModels }));
  }

  /** Asks for a price if a budget in money needs one, except for requests of other extensions. */
  async #requirePrice(model: string, sender: Sender, signal: AbortSignal): Promise<void> {
    const { unpriced, budget, context } = this.#options;
    if (unpriced === undefined || sender.purpose.startsWith('provider:')) return;
    if (needsPrice(model, budget(), context())) await raceAbort(unpriced.ask(model), signal);
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

  #spending(chat: ChatAccount | undefined, place?: ModelPlace): Spending {
    const { meter, budget, context, settingsOf, learned, ledger } = this.#options;
    return {
      budget: budget(),
      log: ledger.log,
      chat,
      meter,
      context: context(),
      place,
      nameOf: this.#options.nameOf,
      maxReplyOf: (model) => settingsOf(model).maxOutput,
      facts: place && learned.of(place.service, place.model),
    };
  }
}

/** The purpose of a request. After tool calls, a chat sends their results. */
function purposeOf({ messages }: CompletionRequest, { purpose }: Sender): RequestPurpose {
  return purpose === 'chat' && messages.at(-1)?.role === 'tool' ? 'tools' : purpose;
}
