import { addUsage, zeroUsage, type Usage } from '../conversation/usage.ts';
import { raceAbort } from '../support/async.ts';
import { AdaptedRequest, limitOf } from './adaptations.ts';
import type { Client, CompletionEvent } from './client.ts';
import type { Completion } from '../reply/completion.ts';
import { standardReason } from '../reply/finishReason.ts';
import type { LearnedFacts } from './learnedFacts.ts';
import { RequestUsage, type TokenMeter } from './requestUsage.ts';
import type { CompletionRequest } from './wire.ts';

/** How a request ended: `cut` after part of its reply, `failed` before it. */
export type RequestOutcome = 'finished' | 'stopped' | 'cut' | 'failed';

/** A request that was admitted: follows it to its end. */
export interface Admission {
  /** The request as it may be sent. */
  readonly request: CompletionRequest;
  /** True if a budget set the limit of its reply. */
  readonly isLimited: boolean;
  /** Estimated tokens of the reply after which it is cut off. */
  readonly maxTokens: number;
  /** The error with which it is cut off. */
  exceeded(): Error;
  /** Resolves when it is on record that another attempt is sent. */
  sendAgain(): Promise<void>;
  /**
   * Begins to record what was received, and resolves when it is on record; undefined if too little is
   * new. It may be called again while the record of the last call is still being written.
   */
  note(): Promise<void> | undefined;
  /** Called once at the end. */
  end(usage: Usage, outcome: RequestOutcome): void;
}

interface MeteringOptions {
  readonly meter: TokenMeter;
  /**
   * Admits a request before it is sent, and after each attempt that may be billed. If it throws,
   * nothing is sent and its error is thrown. By default, every request is admitted.
   *
   * @param used counts the usage of the request while it runs
   */
  readonly admit?:
    | ((request: CompletionRequest, used: RequestUsage, signal: AbortSignal) => Promise<Admission>)
    | undefined;
  /** The facts about the model of a request that apply to it. */
  readonly facts?: ((request: CompletionRequest) => LearnedFacts) | undefined;
  /** Called with what a whole reply and the refusals before it revealed. */
  readonly onLearned?: ((facts: LearnedFacts) => void) | undefined;
}

/**
 * Wraps a client so that each completion request is admitted before it is sent, adapted to its model,
 * and counted: once, for the journal and for the ledger alike. Its events include `sent` before each
 * attempt and `usage` before the end, also if that is an error.
 */
export function meteredClient(client: Client, options: MeteringOptions): Client {
  const { meter, admit = admitAll } = options;
  return {
    ...client,
    async *stream(request, signal = new AbortController().signal) {
      /** Usage of attempts before the one that is admitted now. */
      let earlier = zeroUsage;
      let attempt: number | undefined = 1;
      while (attempt !== undefined) {
        const used = new RequestUsage(request, meter);
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

/** A client that counts its requests, and admits each. */
function admitAll(request: CompletionRequest): Promise<Admission> {
  return Promise.resolve({
    request,
    isLimited: false,
    maxTokens: Infinity,
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

/** One admitted request, over its attempts and adaptations. */
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
    this.#adapted = new AdaptedRequest(request, { facts, isLimited });
  }

  /**
   * Sends the request, and other ones in place of those that are refused.
   * @returns the number of the next attempt, if that must be admitted anew
   */
  async *send(attempt: number): AsyncGenerator<CompletionEvent, number | undefined> {
    for (;;) {
      try {
        return yield* this.#sendOnce(attempt);
      } catch (error) {
        if (!this.#adapted.adapt(error)) throw error;
      }
    }
  }

  /**
   * Ends the request, if that did not happen yet.
   * @param error undefined if it was stopped
   * @returns its usage
   */
  end(error: unknown): Usage {
    const { used, admission, signal } = this.#options;
    if (this.#usage !== undefined) return this.#usage;
    const isStopped = error === undefined || signal.aborted;
    const outcome = used.characters > 0 ? 'cut' : 'failed';
    this.#usage = used.ofFailure(error, isStopped);
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
        // Usage that isn't in the log is lost to the budget if this process is killed, so the reply
        // waits for a slower disk. It does not wait for a line that has just begun.
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
    const usage = used.ofCompletion(completion);
    this.#usage = usage;
    admission.end(usage, completion.fault === undefined ? 'finished' : 'cut');
    used.teach(completion);
    const facts = factsOf(completion, this.#adapted.request, this.#facts);
    this.#metering.onLearned?.({ ...this.#adapted.learned, ...facts });
    return { type: 'usage', usage: addUsage(earlier, usage) };
  }
}

/** What a whole reply says about its model and service. */
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
