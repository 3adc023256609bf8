import { addUsage, zeroUsage, type PriceThen, type Usage } from '../conversation/usage.ts';
import { raceAbort } from '../support/async.ts';
import { AdaptedRequest, adaptRequest, limitOf, maxAdaptations } from './adaptations.ts';
import { ServiceError } from '../reply/errors.ts';
import type { Client, CompletionEvent } from './client.ts';
import type { Completion } from '../reply/completion.ts';
import { standardReason } from '../reply/finishReason.ts';
import type { LearnedFacts } from './learnedFacts.ts';
import { RequestUsage, type TokenMeter } from './requestUsage.ts';
import type { CompletionRequest } from './wire.ts';

/** How a request ended: `cut` during its reply, `failed` before it. */
export type RequestOutcome = 'finished' | 'stopped' | 'cut' | 'failed';

/** A request that was admitted, until its end. */
export interface Admission {
  readonly request: CompletionRequest;
  /** True if a budget set the limit of its reply. */
  readonly isLimited: boolean;
  /** Estimated tokens at which the reply is cut off. */
  readonly maxTokens: number;
  /**
   * Tokens that count for the reply of a model that hides its reasoning, if it is cut: what the
   * model thought until then is billed, and nobody knows how much it was. 0 for other models.
   */
  readonly hiddenTokens: number;
  exceeded(): Error;
  /** Called before another attempt. Resolves when the attempt is recorded. */
  sendAgain(): Promise<void>;
  /**
   * Starts to record what was received, and resolves when it is recorded; undefined if too little
   * is new. May be called again while an earlier record is being written.
   */
  note(): Promise<void> | undefined;
  /** Called once at the end. */
  end(usage: Usage, outcome: RequestOutcome): void;
}

interface MeteringOptions {
  readonly meter: TokenMeter;
  /**
   * Admits a request before it is sent, and again after each attempt that may be billed. If it
   * throws, nothing is sent. By default, every request is admitted.
   *
   * @param used counts the usage of the running request
   */
  readonly admit?:
    | ((request: CompletionRequest, used: RequestUsage, signal: AbortSignal) => Promise<Admission>)
    | undefined;
  /** The price of the request's model now; undefined if it is unknown. */
  readonly priceOf?: ((model: string) => PriceThen | undefined) | undefined;
  readonly facts?: ((request: CompletionRequest) => LearnedFacts) | undefined;
  /** True if a request whose tools are refused must not be sent without them. */
  readonly keepsTools?: boolean | undefined;
  /** Called with the facts that a complete reply, and refusals before it, revealed. */
  readonly onLearned?: ((facts: LearnedFacts) => void) | undefined;
}

/**
 * Wraps a client so that each request is admitted before it is sent, adapted to its model, and
 * counted once, for both the journal and the ledger. Its events include `sent` before each attempt,
 * and `usage` before the end or the error.
 */
export function meteredClient(client: Client, options: MeteringOptions): Client {
  const { meter, admit = admitAll } = options;
  return {
    ...client,
    async *stream(request, signal = new AbortController().signal) {
      /** Usage of earlier attempts, which were admitted separately. */
      let earlier = zeroUsage;
      let attempt: number | undefined = 1;
      while (attempt !== undefined) {
        const adapted = adaptRequest(request, options.facts?.(request) ?? {});
        const used = new RequestUsage(adapted, meter, options.priceOf?.(request.model));
        yield { type: 'sent', usage: addUsage(earlier, used.estimated) };
        let metered: MeteredRequest | undefined;
        try {
          const admission = await admit(request, used, signal);
          metered = new MeteredRequest({ client, used, admission, earlier, signal }, options);
          attempt = yield* metered.send(attempt);
        } catch (error) {
          yield { type: 'usage', usage: addUsage(earlier, metered?.end(error) ?? zeroUsage) };
          throw error;
        } finally {
          earlier = addUsage(earlier, metered?.end(undefined) ?? zeroUsage);
        }
      }
    },
  };
}

function admitAll(request: CompletionRequest): Promise<Admission> {
  return Promise.resolve({
    request,
    isLimited: false,
    maxTokens: Infinity,
    hiddenTokens: 0,
    exceeded: () => new Error('The reply has no limit'),
    sendAgain: () => Promise.resolve(),
    note: () => undefined,
    end: () => undefined,
  });
}

interface MeteredRequestOptions {
  readonly client: Client;
  readonly used: RequestUsage;
  readonly admission: Admission;
  readonly earlier: Usage;
  readonly signal: AbortSignal;
}

/** An admitted request with its attempts and adaptations. */
class MeteredRequest {
  readonly #options: MeteredRequestOptions;
  readonly #metering: MeteringOptions;
  readonly #facts: LearnedFacts;
  readonly #adapted: AdaptedRequest;
  #usage: Usage | undefined;

  constructor(options: MeteredRequestOptions, metering: MeteringOptions) {
    this.#options = options;
    this.#metering = metering;
    const { request, isLimited } = options.admission;
    const facts = metering.facts?.(request) ?? {};
    this.#facts = facts;
    const { keepsTools } = metering;
    this.#adapted = new AdaptedRequest(request, { facts, isLimited, keepsTools });
  }

  /**
   * Sends the request, and adapted ones in place of refused ones, each of which is told as a retry.
   *
   * @returns the number of the next attempt, if that must be admitted again
   */
  async *send(attempt: number): AsyncGenerator<CompletionEvent, number | undefined> {
    for (let adapted = 1; ; adapted++) {
      try {
        return yield* this.#sendOnce(attempt);
      } catch (error) {
        if (!(error instanceof ServiceError) || !this.#adapted.adapt(error)) throw error;
        this.#options.used.countRefused();
        const attempts = maxAdaptations + 1;
        const toolsRefused = this.#adapted.learned.withoutTools === true;
        yield { type: 'retry', attempt: adapted + 1, attempts, delay: 0, error, toolsRefused };
        yield { type: 'attempt', attempt: adapted + 1 };
      }
    }
  }

  /**
   * Ends the request, unless it has ended.
   *
   * @param error undefined if it was stopped
   * @returns its usage
   */
  end(error: unknown): Usage {
    const { used, admission, signal } = this.#options;
    if (this.#usage !== undefined) return this.#usage;
    const isStopped = error === undefined || signal.aborted;
    const outcome = used.characters > 0 ? 'cut' : 'failed';
    this.#usage = used.ofFailure(error, isStopped, admission.hiddenTokens);
    admission.end(this.#usage, isStopped ? 'stopped' : outcome);
    return this.#usage;
  }

  async *#sendOnce(first: number): AsyncGenerator<CompletionEvent, number | undefined> {
    const { client, used, admission, earlier, signal } = this.#options;
    let error: unknown;
    let writing: Promise<void> | undefined;
    for await (const event of client.stream(this.#adapted.request, signal, first)) {
      if (event.type === 'attempt' && used.isBroken) {
        yield event;
        this.end(error);
        return event.attempt;
      }
      used.observe(event);
      if (event.type === 'retry') ({ error } = event);
      if (event.type === 'end') yield this.#finish(event.completion);
      const isExceeded = used.replyTokens > admission.maxTokens && event.type !== 'end';
      const noting = event.type === 'retry' ? undefined : admission.note();
      if (noting !== undefined) {
        // If the process is killed, usage that isn't logged is lost to the budget, so the reply
        // waits for a slow disk. It doesn't wait for a write that has just begun.
        if (writing !== undefined) await raceAbort(writing, signal);
        writing = noting;
      }
      yield event;
      if (isExceeded) throw admission.exceeded();
      if (event.type === 'attempt') {
        yield { type: 'sent', usage: addUsage(earlier, used.estimated) };
        await admission.sendAgain();
      }
    }
    return undefined;
  }

  #finish(completion: Completion): CompletionEvent {
    const { used, admission, earlier } = this.#options;
    const usage = used.ofCompletion(completion, admission.hiddenTokens);
    this.#usage = usage;
    admission.end(usage, completion.fault === undefined ? 'finished' : 'cut');
    used.teach(completion);
    const facts = factsOf(completion, this.#adapted.request, this.#facts);
    const isHidden = (completion.usage?.reasoning_tokens ?? 0) > 0 || undefined;
    const hidesReasoning = used.showsReasoning ? false : isHidden;
    this.#metering.onLearned?.({ ...this.#adapted.learned, ...facts, hidesReasoning });
    return { type: 'usage', usage: addUsage(earlier, usage) };
  }
}

/** Facts about its model and service that a complete reply reveals. */
function factsOf(
  { usage, finishReason, fault }: Completion,
  request: CompletionRequest,
  known: LearnedFacts,
): LearnedFacts {
  const isWithoutUsage = request.stream === true && fault === undefined && usage === undefined;
  const limit = limitOf(request);
  const isCounted = usage !== undefined && !usage.estimated && limit !== undefined;
  const isLonger = isCounted && usage.completion_tokens > limit;
  const isCut = isCounted && standardReason(finishReason) === 'length';
  return {
    ...(isWithoutUsage && known.usage === undefined ? { usage: 'ask' } : {}),
    ...(isLonger || isCut ? { keepsLimit: !isLonger } : {}),
  };
}
