import en from 'zod/v4/locales/en.js';
import { addUsage, zeroUsage, type PriceThen, type Usage } from '../conversation/usage.ts';
import { redactCompletion, type Completion } from './completion.ts';
import { readErrorBody, reportIn } from './errorBody.ts';
import { atHost, reportedError, ServiceError } from './errors.ts';
import type { Chunk } from './replyAccumulator.ts';
import { beforeReply } from './replyEnd.ts';
import { raceAbort, sleep } from '../support/async.ts';
import { background } from '../support/background.ts';
import { parseJson } from '../support/json.ts';
import { createRedactor, RedactedText, type Redactor } from '../support/redact.ts';
import { AdaptedRequest, adaptRequest, maxAdaptations } from './adaptations.ts';
import { parseAddress, type ServiceAddress } from './address.ts';
import { LearnedFactStore, type LearnedFacts } from './learnedFacts.ts';
import { readReply } from './readReply.ts';
import { requestBody, withExtras, type RequestExtras } from './requestExtras.ts';
import {
  admitAny,
  plainMeter,
  RequestUsage,
  type Admission,
  type TokenMeter,
} from './requestUsage.ts';
import { CoolDowns, maxAttempts, retryDelay } from './retry.ts';
import { Exchange, readText, type TransportOptions } from './transport.ts';
import {
  completionRequest,
  readModel,
  wireModelList,
  type CompletionRequest,
  type Model,
} from './wire.ts';

/** The events of a completion request, in the order in which they occur. */
export type CompletionEvent =
  /**
   * Usage of the request with all its attempts: `sent` is an estimate before an attempt is sent,
   * and `usage` is what counts, once before the end or the error.
   */
  | { readonly type: 'sent' | 'usage'; readonly usage: Usage }
  | Retry
  /** The wait is over and the next attempt is sent. */
  | { readonly type: 'attempt'; readonly attempt: number }
  | Chunk
  | { readonly type: 'end'; readonly completion: Completion };

/**
 * An attempt failed, or another request was refused; attempt number `attempt` starts after `delay`
 * milliseconds.
 */
interface Retry {
  readonly type: 'retry';
  readonly attempt: number;
  readonly attempts: number;
  readonly delay: number;
  readonly error: ServiceError;
  /** True if the next attempt has no tools, since the model refused them. */
  readonly toolsRefused?: boolean;
}

/** What a turn sends its requests to: a {@link ServiceClient}. */
export interface Client {
  readonly address: ServiceAddress;
  /** See {@link ServiceClient.stream}. */
  stream(request: CompletionRequest, signal?: AbortSignal): AsyncGenerator<CompletionEvent, void>;
}

export interface ClientOptions extends TransportOptions {
  /** The address as pasted by the person, see `parseAddress`. */
  readonly baseUrl: string;
  /**
   * What facts and waits of the service are kept under, since several accounts may share an
   * address; by default its origin.
   */
  readonly service?: string;
  /** The model's id at the service, where requests contain another one, see `modelReference.ts`. */
  readonly model?: string;
  /** What the settings add to the requests of a model, by its id in requests. */
  readonly extrasOf?: (model: string) => RequestExtras;
  /** Shared by all clients of a window, so that knowledge about a service is kept. */
  readonly learned?: LearnedFactStore;
  /** Chooses which of the learned facts apply to requests with this model id; by default, all. */
  readonly factsOf?: (learned: LearnedFacts, model: string) => LearnedFacts;
  /** Shared by all clients of a window, so that the wait of one request is that of all. */
  readonly coolDowns?: CoolDowns;
  /** True if a request whose tools are refused must not be sent without them. */
  readonly keepsTools?: boolean;
  /** Removes known keys from replies: a service that echoes a request must not put one on disk. */
  readonly redactor?: Redactor;
  /** Estimates what the service doesn't report; by default, four characters are a token. */
  readonly meter?: TokenMeter;
  /** The price of a model now, by its id in requests; undefined if it is unknown. */
  readonly priceOf?: (model: string) => PriceThen | undefined;
  /**
   * Admits a request before it is sent, and again after each attempt that may be billed. If it
   * throws, nothing is sent. By default, every request is admitted.
   *
   * @param used counts the usage of the running request
   */
  readonly admit?: (
    request: CompletionRequest,
    used: RequestUsage,
    signal: AbortSignal,
  ) => Promise<Admission>;
}

/**
 * Maximum number of bytes of a model list, which is parsed at once: a second of the extension host
 * would be lost to a list ten times as large. Those of hundreds of models have about one MB.
 */
export const maxListBytes = 8 * 1024 * 1024;
/** Further models of a list are not read: each takes about 50 µs. */
const maxModels = 5000;

/**
 * The client of one service: everything between a turn and the network. A request is admitted and
 * counted (`stream`), sent until the service accepts it (`#send`), and its reply is read (`#read`).
 */
export class ServiceClient implements Client {
  readonly address: ServiceAddress;
  readonly #options: ClientOptions;
  readonly #service: string;
  readonly #learned: LearnedFactStore;
  readonly #coolDowns: CoolDowns;
  readonly #redactor: Redactor;

  /** @throws ServiceError `invalid-address` */
  constructor(options: ClientOptions) {
    this.address = parseAddress(options.baseUrl);
    this.#options = options;
    this.#service = options.service ?? this.address.origin;
    this.#learned = options.learned ?? new LearnedFactStore();
    this.#coolDowns = options.coolDowns ?? new CoolDowns(options.clock);
    this.#redactor = options.redactor ?? createRedactor();
  }

  /**
   * Runs a completion (docs/service.md 4.1). Each `text` and `reasoning` event contains everything
   * that one read of the socket returned. Leaving the loop early aborts the request.
   *
   * Throws `ServiceError` if nothing of a reply was received, after retries (docs/service.md 7) if
   * it was not even answered; errors after the first byte are in the completion of the `end` event.
   * An aborted signal rejects with its reason.
   */
  async *stream(
    original: CompletionRequest,
    signal: AbortSignal = new AbortController().signal,
  ): AsyncGenerator<CompletionEvent, void> {
    const { extrasOf, factsOf, priceOf, meter = plainMeter, keepsTools } = this.#options;
    const request = withExtras(original, extrasOf?.(original.model) ?? {});
    let earlier = zeroUsage;
    for (let attempt = 1; ;) {
      const learned = this.#learned.of(this.#service, this.#idOf(request.model));
      const facts = factsOf?.(learned, request.model) ?? learned;
      const price = priceOf?.(request.model);
      const used = new RequestUsage(adaptRequest(request, facts), meter, price);
      yield { type: 'sent', usage: addUsage(earlier, used.estimated) };
      let running: RunningRequest | undefined;
      try {
        const admission = await (this.#options.admit ?? admitAny)(request, used, signal);
        const { isLimited } = admission;
        const adapted = new AdaptedRequest(admission.request, facts, isLimited, keepsTools);
        running = new RunningRequest(admission, adapted, used, earlier, signal);
        const sent = yield* this.#send(running, attempt);
        if (sent instanceof Exchange) {
          yield* this.#read(sent, running);
          return;
        }
        // The failed attempt has used up its admission, so the next one needs another.
        earlier = addUsage(earlier, running.end(sent.error));
        ({ attempt } = sent);
      } catch (error) {
        yield { type: 'usage', usage: addUsage(earlier, running?.end(error) ?? zeroUsage) };
        throw error;
      } finally {
        // The reader may have left the loop.
        running?.end();
      }
    }
  }

  /**
   * Sends a request until the service accepts it: again after a wait, and without what was refused.
   *
   * @returns the response; or the next attempt, once its wait is over, if the failed one may be
   *   billed
   */
  async *#send(
    running: RunningRequest,
    first: number,
  ): AsyncGenerator<CompletionEvent, Exchange | Retry> {
    const { admission, adapted, used, earlier, signal } = running;
    let attempt = first;
    for (let adaptation = 1; ;) {
      const coolDown = this.#coolDowns.remaining(this.#service);
      let retry: Retry;
      if (coolDown !== undefined) {
        retry = { type: 'retry', attempt, attempts: maxAttempts, ...coolDown };
      } else {
        try {
          const { request } = adapted;
          const body = validated({ ...request, model: this.#idOf(request.model) });
          return await Exchange.open(this.#options, this.address, '/chat/completions', signal, {
            body: JSON.stringify(requestBody(body)),
            headers: this.#options.extrasOf?.(request.model).extraHeaders,
          });
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          if (adapted.adapt(error)) {
            used.countRefused();
            attempt = first;
            adaptation += 1;
            const attempts = maxAdaptations + 1;
            const toolsRefused = adapted.learned.withoutTools === true;
            yield { type: 'retry', attempt: adaptation, attempts, delay: 0, error, toolsRefused };
            yield { type: 'attempt', attempt: adaptation };
            continue;
          }
          const delay = retryDelay(error, attempt);
          if (delay === undefined) throw error;
          this.#coolDowns.note(this.#service, error, delay);
          retry = { type: 'retry', attempt: attempt + 1, attempts: maxAttempts, delay, error };
        }
      }
      used.countFailed(retry.error);
      yield retry;
      await sleep(this.#options.clock, retry.delay, signal);
      ({ attempt } = retry);
      // Meanwhile, the service may have demanded a wait of another request.
      if (this.#coolDowns.remaining(this.#service) !== undefined) continue;
      yield { type: 'attempt', attempt };
      if (used.isBroken) return retry;
      used.sendAgain();
      yield { type: 'sent', usage: addUsage(earlier, used.estimated) };
      await admission.untilSaved();
    }
  }

  /** Reads a reply to its end, without known keys. Cuts it off where it exceeds its budget. */
  async *#read(exchange: Exchange, running: RunningRequest): AsyncGenerator<CompletionEvent, void> {
    const { admission, adapted, used, earlier, signal } = running;
    const model = this.#idOf(adapted.request.model);
    // Text that may be the start of a key is held back until it isn't, or nothing follows it.
    const redacted = {
      reasoning: new RedactedText(this.#redactor),
      text: new RedactedText(this.#redactor),
    };
    let writing: Promise<void> | undefined;
    try {
      const reply = await readReply(exchange, {
        functions: adapted.request.tools?.map((tool) => tool.function.name),
        finishesEarly: this.#learned.of(this.#service, model).finishesEarly,
      });
      for (let chunks = await reply.next(); chunks !== undefined; chunks = await reply.next()) {
        for (const chunk of chunks) {
          const text = redacted[chunk.type].push(chunk.text);
          if (text === '') continue;
          const shown = { type: chunk.type, text };
          used.receive(shown);
          // If the process is killed, usage that isn't logged is lost to the budget, so the reply
          // waits for a slow disk. It doesn't wait for a write that has just begun.
          const noting = admission.note();
          if (noting !== undefined) {
            if (writing !== undefined) await raceAbort(writing, signal);
            writing = noting;
          }
          yield shown;
          if (used.replyTokens > admission.maxTokens) throw admission.exceeded();
        }
      }
      const completion = redactCompletion(reply.finish(), this.#redactor);
      if (completion.fault === undefined) exchange.finish();
      for (const chunk of remainders(redacted)) {
        used.receive(chunk);
        yield chunk;
      }
      const usage = running.finish(completion);
      const learned = adapted.factsAfter(completion, used.showsReasoning);
      const stream = reply.finishesEarly ? { finishesEarly: true } : {};
      background(this.#learned.learn(this.#service, model, { ...learned, ...stream }));
      yield { type: 'usage', usage: addUsage(earlier, usage) };
      yield {
        type: 'end',
        completion: { ...completion, fault: completion.fault?.at(this.address.host) },
      };
    } catch (error) {
      for (const chunk of remainders(redacted)) {
        used.receive(chunk);
        yield chunk;
      }
      throw atHost(error, this.address.host);
    } finally {
      exchange.dispose();
    }
  }

  /** The models of the API key (docs/service.md 4.2), with the retries of docs/service.md 7. */
  async listModels({
    signal = new AbortController().signal,
    attempts = maxAttempts,
  }: { readonly signal?: AbortSignal; readonly attempts?: number } = {}): Promise<
    readonly Model[]
  > {
    const exchange = await this.#openList(signal, attempts);
    try {
      const { text, end } = await readText(new Uint8Array(), exchange.reader, maxListBytes);
      if (end.ended === 'oversized')
        throw new ServiceError('list-too-large', 'The model list is too large');
      const value = parseJson(text);
      const list = wireModelList.safeParse(value);
      if (list.success) {
        const models = list.data.slice(0, maxModels).map(readModel);
        return models.filter((model) => model !== undefined);
      }
      if (end.ended !== 'closed') throw beforeReply(end.toError('part of a reply'));
      const embedded = reportIn(value);
      if (embedded?.isError === true) throw reportedError(embedded.report);
      const { message: detail, code } = readErrorBody(text);
      throw new ServiceError('unexpected-reply', 'The reply is no model list', { detail, code });
    } catch (error) {
      throw atHost(error, this.address.host);
    } finally {
      exchange.dispose();
    }
  }

  async #openList(signal: AbortSignal, attempts: number): Promise<Exchange> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await Exchange.open(this.#options, this.address, '/models', signal);
      } catch (error) {
        const mayRetry = error instanceof ServiceError && attempt < attempts;
        const delay = mayRetry ? retryDelay(error, attempt) : undefined;
        if (delay === undefined) throw error;
        await sleep(this.#options.clock, delay, signal);
      }
    }
  }

  #idOf(model: string): string {
    return this.#options.model ?? model;
  }
}

/** A request from its admission to its end, which counts once. */
class RunningRequest {
  readonly admission: Admission;
  readonly adapted: AdaptedRequest;
  readonly used: RequestUsage;
  /** Usage of earlier attempts, which were admitted separately. */
  readonly earlier: Usage;
  readonly signal: AbortSignal;
  #usage: Usage | undefined;

  constructor(
    admission: Admission,
    adapted: AdaptedRequest,
    used: RequestUsage,
    earlier: Usage,
    signal: AbortSignal,
  ) {
    this.admission = admission;
    this.adapted = adapted;
    this.used = used;
    this.earlier = earlier;
    this.signal = signal;
  }

  /** Ends the request with its reply, and returns its usage. */
  finish(completion: Completion): Usage {
    const { admission, used } = this;
    this.#usage = used.ofCompletion(completion, admission.hiddenTokens);
    admission.end(this.#usage, completion.fault === undefined ? 'finished' : 'cut');
    used.teach(completion);
    return this.#usage;
  }

  /**
   * Ends the request unless it has ended, and returns its usage.
   *
   * @param error undefined if its reader left
   */
  end(error?: unknown): Usage {
    const { admission, used } = this;
    if (this.#usage !== undefined) return this.#usage;
    const isStopped = error === undefined || this.signal.aborted;
    const outcome = used.characters > 0 ? 'cut' : 'failed';
    this.#usage = used.ofFailure(error, isStopped, admission.hiddenTokens);
    admission.end(this.#usage, isStopped ? 'stopped' : outcome);
    return this.#usage;
  }
}

/** What was held back, as nothing follows it. */
function remainders(redacted: Readonly<Record<Chunk['type'], RedactedText>>): readonly Chunk[] {
  const types = ['reasoning', 'text'] as const;
  return types.flatMap((type) => {
    const text = redacted[type].end();
    return text === '' ? [] : [{ type, text }];
  });
}

function validated(request: CompletionRequest): CompletionRequest {
  const result = completionRequest.safeParse(request, { error: en().localeError });
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const detail = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`;
  throw new ServiceError('invalid-request', 'The request was not sent', { detail });
}
