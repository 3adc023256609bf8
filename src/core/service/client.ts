import en from 'zod/v4/locales/en.js';
import type { Usage } from '../conversation/usage.ts';
import { sleep } from '../support/async.ts';
import { background } from '../support/background.ts';
import { parseJson } from '../support/json.ts';
import { parseAddress, type ServiceAddress } from './address.ts';
import { readText } from './bodyReader.ts';
import type { Completion } from '../reply/completion.ts';
import { reportIn } from '../reply/chunkReport.ts';
import { CoolDowns } from './coolDowns.ts';
import { readErrorBody } from '../reply/errorBody.ts';
import { reportedError, ServiceError } from '../reply/errors.ts';
import { LearnedFactStore } from './learnedFacts.ts';
import { readReply } from './readReply.ts';
import { beforeReply } from '../reply/replyEnd.ts';
import { requestBody } from './requestExtras.ts';
import { maxAttempts, retryDelay } from './retry.ts';
import { Transport, type Exchange, type TransportOptions } from './transport.ts';
import {
  completionRequest,
  readModel,
  wireModelList,
  type CompletionRequest,
  type Model,
} from './wire.ts';

interface ClientOptions extends TransportOptions {
  /** The address as pasted by the person, see `parseAddress`. */
  readonly baseUrl: string;
  /** The headers that the settings add to the requests of a model. */
  readonly extraHeaders?: ((model: string) => Readonly<Record<string, string>>) | undefined;
  /**
   * What facts and waits of the service are kept under, since several accounts may share an address; by
   * default its origin.
   */
  readonly service?: string | undefined;
  /** Shared by all clients of a window, so that knowledge about a service is kept. */
  readonly learned?: LearnedFactStore | undefined;
  /** Shared by all clients of a window, so that the wait of one request is that of all. */
  readonly coolDowns?: CoolDowns | undefined;
}

/** The events of a completion request, in the order in which they occur. */
export type CompletionEvent =
  | UsageEvent
  | Retry
  /** The wait is over and the next attempt is sent. */
  | { readonly type: 'attempt'; readonly attempt: number }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'end'; readonly completion: Completion };

/**
 * Usage of the request with all its attempts, only from a metered client: `sent` is an estimate before
 * an attempt is sent, and `usage` is what counts, once before the end or the error.
 */
interface UsageEvent {
  readonly type: 'sent' | 'usage';
  readonly usage: Usage;
}

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

/**
 * Maximum number of bytes of a model list, which is parsed at once: a second of the extension host
 * would be lost to a list ten times as large. Those of hundreds of models have about one MB.
 */
export const maxListBytes = 8 * 1024 * 1024;
/** Further models of a list are not read: each takes about 50 µs. */
const maxModels = 5000;

/** A client of the Chat Completion Service. It keeps no state of a request. */
export interface Client {
  readonly address: ServiceAddress;
  /**
   * Runs a completion (section 4.1). Each `text` and `reasoning` event contains everything that one
   * read of the socket returned. Leaving the loop early aborts the request.
   *
   * Throws `ServiceError` if nothing of a reply was received, after the retries of section 7 if it
   * was not even answered; errors after the first byte are in the completion of the `end` event. An
   * aborted signal rejects with its reason.
   *
   * @param attempt number of the first attempt: more than 1 where others were sent before
   */
  stream(
    request: CompletionRequest,
    signal?: AbortSignal,
    attempt?: number,
  ): AsyncGenerator<CompletionEvent, void>;
  /** The models of the API key (section 4.2), with the retries of section 7. */
  listModels(options?: { signal?: AbortSignal; attempts?: number }): Promise<readonly Model[]>;
}

/**
 * Creates a client of one service.
 *
 * @throws ServiceError `invalid-address`
 */
export function createClient(options: ClientOptions): Client {
  const address = parseAddress(options.baseUrl);
  const transport = new Transport(options, address);
  const { service = address.origin, learned = new LearnedFactStore() } = options;
  const attempts = new Attempts(options.coolDowns ?? new CoolDowns(options.clock), service);

  async function* stream(
    request: CompletionRequest,
    signal = new AbortController().signal,
    first = 1,
  ): AsyncGenerator<CompletionEvent, void> {
    const body = validated(request);
    const { model } = body;
    const headers = options.extraHeaders?.(model);
    const json = JSON.stringify(requestBody(body));
    const open = (): Promise<Exchange> =>
      transport.open('/chat/completions', json, signal, headers);
    let exchange = await attempts.next(open, first);
    while ('delay' in exchange) {
      yield exchange;
      await sleep(options.clock, exchange.delay, signal);
      const { attempt } = exchange;
      if (!attempts.mustWait) yield { type: 'attempt', attempt };
      exchange = await attempts.next(open, attempt);
    }
    try {
      const reply = await readReply(exchange, {
        functions: body.tools?.map((tool) => tool.function.name),
        finishesEarly: learned.of(service, model).finishesEarly,
      });
      for (let delta = await reply.next(); delta !== undefined; delta = await reply.next()) {
        if (delta.reasoning !== '') yield { type: 'reasoning', text: delta.reasoning };
        if (delta.text !== '') yield { type: 'text', text: delta.text };
      }
      const completion = reply.finish();
      if (reply.finishesEarly) background(learned.learn(service, model, { finishesEarly: true }));
      if (completion.fault === undefined) exchange.finish();
      yield { type: 'end', completion: { ...completion, fault: exchange.named(completion.fault) } };
    } catch (error) {
      throw exchange.named(error);
    } finally {
      exchange.dispose();
    }
  }

  return {
    address,
    stream,
    async listModels({ signal = new AbortController().signal, attempts = maxAttempts } = {}) {
      const open = (): Promise<Exchange> => transport.open('/models', undefined, signal);
      let exchange = await openOrRetry(open, 1, attempts);
      while ('delay' in exchange) {
        await sleep(options.clock, exchange.delay, signal);
        exchange = await openOrRetry(open, exchange.attempt, attempts);
      }
      return readModels(exchange);
    },
  };
}

/** The attempts of requests to a service, which wait together when one is refused. */
class Attempts {
  readonly #coolDowns: CoolDowns;
  readonly #service: string;

  constructor(coolDowns: CoolDowns, service: string) {
    this.#coolDowns = coolDowns;
    this.#service = service;
  }

  get mustWait(): boolean {
    return this.#coolDowns.remaining(this.#service) !== undefined;
  }

  /** Opens an exchange, or returns the wait before it, or before the next attempt. */
  async next(open: () => Promise<Exchange>, attempt: number): Promise<Exchange | Retry> {
    const coolDown = this.#coolDowns.remaining(this.#service);
    if (coolDown !== undefined)
      return { type: 'retry', attempt, attempts: maxAttempts, ...coolDown };
    const exchange = await openOrRetry(open, attempt, maxAttempts);
    if ('delay' in exchange) this.#coolDowns.note(this.#service, exchange.error, exchange.delay);
    return exchange;
  }
}

/** Opens an exchange, or returns when to retry if the error is transient. */
async function openOrRetry(
  open: () => Promise<Exchange>,
  attempt: number,
  attempts: number,
): Promise<Exchange | Retry> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof ServiceError) || attempt >= attempts) throw error;
    const delay = retryDelay(error, attempt);
    if (delay === undefined) throw error;
    return { type: 'retry', attempt: attempt + 1, attempts, delay, error };
  }
}

function validated(request: CompletionRequest): CompletionRequest {
  const result = completionRequest.safeParse(request, { error: en().localeError });
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const detail = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`;
  throw new ServiceError('invalid-request', 'The request was not sent', { detail });
}

async function readModels(exchange: Exchange): Promise<readonly Model[]> {
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
    throw exchange.named(error);
  } finally {
    exchange.dispose();
  }
}
