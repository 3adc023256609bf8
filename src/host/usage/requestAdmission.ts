import { zeroUsage, type Usage } from '../../core/conversation/usage.ts';
import { mostEstimated } from '../../core/service/budget.ts';
import type { LearnedFactStore } from '../../core/service/learnedFacts.ts';
import type { Admission } from '../../core/service/meteredClient.ts';
import type { RequestUsage } from '../../core/service/requestUsage.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { raceAbort } from '../../core/support/async.ts';
import { background, orUndefined } from '../../core/support/background.ts';
import type { BudgetSettings } from '../settingValues.ts';
import {
  applyBudget,
  isLimited,
  lacksLimit,
  needsPrice,
  replyDoubt,
  tightestBudget,
  usedBudgets,
  type BudgetLeft,
  type Spending,
  type UsedBudget,
} from './budgets.ts';
import { cutByBudget } from './budgetTexts.ts';
import type { EndRequest, Ledger } from './ledger.ts';
import type { TokenRatios } from './tokenRatios.ts';
import type { UnpricedModels } from './unpricedModels.ts';
import type { PriceThen, RequestPurpose } from './usageRecord.ts';
import type { UsageByModel, UsageContext } from './usageTable.ts';

export interface ChatAccount {
  readonly id: () => string;
  /** Usage of its requests, except the running one. */
  readonly usage: () => UsageByModel;
  /** Resolves when all events of the chat are stored. */
  readonly saved: () => Promise<void>;
}

interface ModelPlace {
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
  readonly meter: TokenRatios;
  readonly budget: () => BudgetSettings | 'invalid';
  /** Reads a budget that another window may have set. */
  readonly refreshBudget: () => Promise<void>;
  readonly context: () => UsageContext;
  /** Maximum reply tokens of a model according to the settings. */
  readonly maxReplyOf: (model: string) => number | undefined;
  /** Asks about models without a price. */
  readonly unpriced?: UnpricedModels | undefined;
  readonly learned: LearnedFactStore;
}

/** Admits requests: reserves the maximum usage of each, and counts its actual usage at the end. */
export class RequestAdmission {
  readonly #options: RequestAdmissionOptions;

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
    const { ledger, refreshBudget } = this.#options;
    const { chat, service, model, demo } = sender;
    await raceAbort(refreshBudget(), signal);
    if (!demo) await this.#requirePrice(request.model, sender, signal);
    const planned = {
      purpose: purposeOf(request, sender),
      service,
      demo,
      chat: chat?.id() ?? '',
      model,
      usage: (): Usage => used.estimated,
      price: demo ? undefined : this.#priceOf(request.model),
      isLimited: isLimited(this.#options.budget()),
    };
    const opening = ledger.open(planned, (counted) =>
      demo
        ? { request, reserve: { prompt: 0, reply: 0 } }
        : applyBudget(request, this.#spending(counted, chat, { service, model })),
    );
    const { allowed, note, end } = await this.#untilStored(opening, chat, signal);
    return {
      request: allowed.request,
      isLimited: allowed.request.max_tokens !== request.max_tokens,
      maxTokens: this.#cutAt(allowed.reserve.reply, request.model, sender),
      exceeded: () => cutByBudget(),
      sendAgain: chat?.saved ?? (() => Promise.resolve()),
      note,
      end: (usage, outcome) => background(end(usage, outcome)),
    };
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
  preview(request: CompletionRequest, chat: ChatAccount, model: ModelPlace): CompletionRequest {
    try {
      const counted = this.#options.ledger.log.counted(chat.id());
      return applyBudget(request, this.#spending(counted, chat, model)).request;
    } catch {
      return request;
    }
  }

  /** The remainder of the tightest budget; undefined without a budget. */
  budgetLeft(chat: ChatAccount, model: string): BudgetLeft | undefined {
    if (!isLimited(this.#options.budget())) return undefined;
    const counted = this.#options.ledger.log.counted(chat.id());
    return tightestBudget(this.#spending(counted, chat), model);
  }

  used(chat: ChatAccount, time: number): readonly UsedBudget[] {
    if (!isLimited(this.#options.budget())) return [];
    const id = chat.id();
    const spending = this.#spending(this.#options.ledger.log.counted(id), chat);
    const { learned, ledger } = this.#options;
    const unlimitedModels = learned
      .withoutLimit()
      .map(([service, model]) => ledger.log.written(service, model));
    return usedBudgets(spending, id, time).map((budget) => ({ ...budget, unlimitedModels }));
  }

  /** Asks for a price if a budget in money needs one, except for requests of other extensions. */
  async #requirePrice(
    model: string,
    { chat, purpose }: Sender,
    signal: AbortSignal,
  ): Promise<void> {
    const { ledger, unpriced, budget, context } = this.#options;
    if (unpriced === undefined || purpose.startsWith('provider:')) return;
    if (!needsPrice(model, budget(), context())) return;
    const counted = ledger.log.counted(chat?.id() ?? '');
    if (lacksLimit(model, this.#spending(counted, chat)))
      await raceAbort(unpriced.ask(model), signal);
  }

  #priceOf(model: string): PriceThen | undefined {
    const { priceOf, currency } = this.#options.context();
    const price = priceOf(model);
    return price && { ...price, currency };
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

  #spending(
    counted: Spending['counted'],
    chat: ChatAccount | undefined,
    model?: ModelPlace,
  ): Spending {
    const { meter, budget, context, maxReplyOf, learned, unpriced } = this.#options;
    return {
      budget: budget(),
      counted,
      chat: chat?.usage(),
      meter,
      context: context(),
      maxReplyOf,
      facts: model && learned.of(model.service, model.model),
      tokenLimitOf: (written) => unpriced?.limitOf(written),
    };
  }
}

/** The purpose of a request. After tool calls, a chat sends their results. */
function purposeOf({ messages }: CompletionRequest, { purpose }: Sender): RequestPurpose {
  return purpose === 'chat' && messages.at(-1)?.role === 'tool' ? 'tools' : purpose;
}
