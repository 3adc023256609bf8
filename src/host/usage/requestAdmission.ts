import { zeroUsage, type Usage } from '../../core/conversation/usage.ts';
import {
  mostEstimated,
  withoutLimit,
  withSmallerReply,
  type Admission,
} from '../../core/service/budget.ts';
import type { CompletionEvent } from '../../core/service/client.ts';
import type { Completion } from '../../core/service/completion.ts';
import { standardReason } from '../../core/service/finishReason.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { raceAbort } from '../../core/support/async.ts';
import { background, orUndefined } from '../../core/support/background.ts';
import { RequestUsage } from '../../core/turn/requestUsage.ts';
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

/** The chat that sends requests. */
export interface ChatAccount {
  readonly id: () => string;
  /** Usage of its requests, without the running one. */
  readonly usage: () => UsageByModel;
  /** Resolves when all events of the chat are stored. */
  readonly saved: () => Promise<void>;
}

/** The sender and the destination of a request. */
interface Sender {
  readonly purpose: RequestPurpose;
  /** Undefined outside chats. */
  readonly chat: ChatAccount | undefined;
  /** The origin of the service. */
  readonly service: string;
  /** The model as the service knows it. */
  readonly model: string;
  /** The demo costs nothing, so it counts in no budget. */
  readonly demo: boolean;
}

interface RequestAdmissionOptions {
  readonly ledger: Ledger;
  readonly meter: TokenRatios;
  readonly budget: () => BudgetSettings | 'invalid';
  /** Reads the budget set by other windows. */
  readonly refreshBudget: () => Promise<void>;
  /** Prices, and texts for an exceeded budget. */
  readonly context: () => UsageContext;
  /** The most tokens that a reply of a model can have, if the settings say so. */
  readonly maxReplyOf: (model: string) => number | undefined;
  /** Asks about models without a price. */
  readonly unpriced?: Pick<UnpricedModels, 'ask' | 'limitOf'> | undefined;
  /** Called with an error that isn't shown, since the request is sent again with less. */
  readonly noteError?: ((service: string, model: string, error: unknown) => void) | undefined;
}

/** Admits requests: reserves the most that each may use, and counts its usage at the end. */
export class RequestAdmission {
  readonly #options: RequestAdmissionOptions;
  /** The `max_tokens` that models accepted after they had refused a larger one. */
  readonly #accepted = new Map<string, number>();
  /** The models that refuse any `max_tokens`, by service and model. */
  readonly #refusing = new Map<string, string>();
  /** True if the last limited reply ended at its limit, by service and model. */
  readonly #keepsLimit = new Map<string, boolean>();

  constructor(options: RequestAdmissionOptions) {
    this.#options = options;
  }

  /** @throws {UserError} if the request exceeds a budget */
  async admit(
    request: CompletionRequest,
    sender: Sender,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Admission> {
    const { ledger, meter, refreshBudget } = this.#options;
    const { chat, service, model, demo } = sender;
    await raceAbort(refreshBudget(), signal);
    if (!demo) await this.#requirePrice(request.model, sender, signal);
    const used = new RequestUsage(request, meter);
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
        : applyBudget(request, this.#spending(counted, chat, service)),
    );
    const { allowed, note, end } = await this.#untilStored(opening, chat, signal);
    return new AdmittedRequest(allowed.request, {
      used,
      note,
      end,
      maxTokens: this.#cutAt(allowed.reserve.reply, request.model, service),
      isLimited: allowed.request.max_tokens !== request.max_tokens,
      exceeded: () => cutByBudget(),
      saved: chat?.saved ?? (() => Promise.resolve()),
      onAccepted: (maxTokens) => this.#accepted.set(request.model, maxTokens),
      onEnd: (completion, maxTokens) => {
        const keeps = keepsLimit(completion, maxTokens);
        if (keeps !== undefined) this.#keepsLimit.set(modelKey(service, request.model), keeps);
      },
      onRefused: (error) => this.#options.noteError?.(service, model, error),
      onNoLimit: () => this.#refusing.set(modelKey(service, request.model), request.model),
    });
  }

  /**
   * The estimated tokens at which a reply is cut off: those that are reserved. If the model keeps to its
   * limit, an estimate that is a little too high must not cut off its reply.
   */
  #cutAt(reserved: number, model: string, service: string): number {
    if (reserved === 0) return Infinity;
    return this.#isKeeping(service, model)
      ? mostEstimated(reserved, replyDoubt(model, this.#options.meter))
      : reserved;
  }

  #isKeeping(service: string, model: string): boolean {
    return this.#keepsLimit.get(modelKey(service, model)) === true;
  }

  /** The request as it would be sent now; unchanged if it would be refused. */
  preview(request: CompletionRequest, chat: ChatAccount, service = ''): CompletionRequest {
    try {
      const counted = this.#options.ledger.counted(chat.id());
      return applyBudget(request, this.#spending(counted, chat, service)).request;
    } catch {
      return request;
    }
  }

  /** The remaining part of the tightest budget; undefined without one. */
  budgetLeft(chat: ChatAccount, model: string): BudgetLeft | undefined {
    if (!isLimited(this.#options.budget())) return undefined;
    const counted = this.#options.ledger.counted(chat.id());
    return tightestBudget(this.#spending(counted, chat), model);
  }

  /** The budgets of the chat with their usage. */
  used(chat: ChatAccount, time: number): readonly UsedBudget[] {
    if (!isLimited(this.#options.budget())) return [];
    const id = chat.id();
    const spending = this.#spending(this.#options.ledger.counted(id), chat);
    const unlimitedModels = [...new Set(this.#refusing.values())];
    return usedBudgets(spending, id, time).map((budget) => ({ ...budget, unlimitedModels }));
  }

  /** Asks for a price if a budget in money needs one, but not for requests of other extensions. */
  async #requirePrice(
    model: string,
    { chat, purpose }: Sender,
    signal: AbortSignal,
  ): Promise<void> {
    const { ledger, unpriced, budget, context } = this.#options;
    if (unpriced === undefined || purpose.startsWith('provider:')) return;
    if (!needsPrice(model, { budget: budget(), context: context() })) return;
    const counted = ledger.counted(chat?.id() ?? '');
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
      // The request was not sent. An error of the opening itself is thrown below, except after Stop.
      background(orUndefined(opening.then(({ end }) => end(zeroUsage, 'stopped'))));
      throw error;
    }
  }

  #spending(counted: Spending['counted'], chat: ChatAccount | undefined, service = ''): Spending {
    const { meter, budget, context, maxReplyOf } = this.#options;
    return {
      budget: budget(),
      counted,
      chat: chat?.usage(),
      meter,
      context: context(),
      maxReplyOf,
      acceptedBy: (model) => this.#accepted.get(model),
      refusesLimit: (model) => this.#refusing.has(modelKey(service, model)),
      keepsLimit: (model) => this.#isKeeping(service, model),
      tokenLimitOf: (model) => this.#options.unpriced?.limitOf(model),
    };
  }
}

/** The purpose of a request: after tool calls, a chat sends their results. */
function purposeOf({ messages }: CompletionRequest, { purpose }: Sender): RequestPurpose {
  return purpose === 'chat' && messages.at(-1)?.role === 'tool' ? 'tools' : purpose;
}

function modelKey(service: string, model: string): string {
  return `${service} ${model}`;
}

/** True if a reply kept to its `max_tokens`; undefined if it was shorter, or its tokens are unknown. */
function keepsLimit(
  { usage, finishReason }: Completion,
  maxTokens: number | undefined,
): boolean | undefined {
  if (usage === undefined || usage.estimated || maxTokens === undefined) return undefined;
  if (usage.completion_tokens > maxTokens) return false;
  return standardReason(finishReason) === 'length' ? true : undefined;
}

interface AdmittedOptions {
  readonly used: RequestUsage;
  readonly note: () => Promise<void> | undefined;
  readonly end: EndRequest;
  /** Estimated tokens of the reply after which it is cut off. */
  readonly maxTokens: number;
  /** True if the budget set its `max_tokens`. */
  readonly isLimited: boolean;
  readonly exceeded: () => Error;
  readonly saved: () => Promise<void>;
  /** Called with a smaller `max_tokens` that the model accepted. */
  readonly onAccepted: (maxTokens: number) => void;
  /** Called with the whole reply, and the `max_tokens` of its request. */
  readonly onEnd: (completion: Completion, maxTokens: number | undefined) => void;
  /** Called with the error of a request that is sent again with less. */
  readonly onRefused: (error: unknown) => void;
  /** Called when the model replied without a limit, after it had refused any. */
  readonly onNoLimit: () => void;
}

class AdmittedRequest implements Admission {
  readonly request: CompletionRequest;
  readonly #options: AdmittedOptions;
  #sent: CompletionRequest;
  #isComplete = false;

  constructor(request: CompletionRequest, options: AdmittedOptions) {
    this.request = request;
    this.#sent = request;
    this.#options = options;
  }

  get isSpent(): boolean {
    return this.#options.used.isBroken;
  }

  sendAgain(): Promise<void> {
    return this.#options.saved();
  }

  observe(event: CompletionEvent): Error | undefined {
    const { used, end, maxTokens, exceeded, onAccepted, onNoLimit, onEnd } = this.#options;
    used.observe(event);
    if (event.type === 'end') {
      this.#isComplete = true;
      const outcome = event.completion.fault === undefined ? 'finished' : 'cut';
      background(end(used.ofCompletion(event.completion), outcome));
      const { max_tokens } = this.#sent;
      onEnd(event.completion, max_tokens);
      if (this.#sent === this.request) return undefined;
      if (max_tokens === undefined) onNoLimit();
      else onAccepted(max_tokens);
      return undefined;
    }
    return used.replyTokens > maxTokens ? exceeded() : undefined;
  }

  note(): Promise<void> | undefined {
    return this.#options.note();
  }

  instead(error: unknown): CompletionRequest | undefined {
    if (!this.#options.isLimited) return undefined;
    const next = withSmallerReply(this.#sent, error) ?? withoutLimit(this.#sent, error);
    if (next === undefined) return undefined;
    this.#options.onRefused(error);
    this.#sent = next;
    return next;
  }

  end(error: unknown, signal: AbortSignal | undefined): void {
    if (this.#isComplete) return;
    const { used, end } = this.#options;
    const isStopped = error === undefined || signal?.aborted === true;
    const outcome = used.characters > 0 ? 'cut' : 'failed';
    background(end(used.ofFailure(error, isStopped), isStopped ? 'stopped' : outcome));
  }
}
