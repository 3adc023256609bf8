/**
 * The chat completion service in process: a handler from `Request` to `Response` without sockets,
 * for the demo, for tests, and behind a real HTTP server. It is deterministic: the same requests in
 * the same order get the same responses, with times by the given clock.
 */
import * as z from 'zod/mini';
import { systemClock, type Clock } from '../core/support/clock.ts';
import { type Event, Emitter } from '../core/support/event.ts';
import { parseJson } from '../core/support/json.ts';
import { Account, type ApiKey } from './account.ts';
import { CompletionsEndpoint, type Script, type UsageReport } from './completionsEndpoint.ts';
import {
  RequestedFaults,
  FaultQueue,
  faultResponse,
  isResponseFault,
  type ApiEndpoint,
  type ResponseFault,
} from './faults.ts';
import {
  bodyOf,
  jsonResponse,
  errorResponse,
  ApiError,
  type HttpResponse,
} from './httpResponse.ts';
import { demoKey, localModels, ownerOf, type LocalModel } from './models.ts';
import type { StarterOf } from './replies.ts';
import { parseRequest } from './request.ts';

/** Creation time of all models, in seconds since the Unix epoch. */
const modelsCreated = 1_735_689_600;

/** Maximum number of stored requests, which bounds memory use. */
const maxRecords = 200;

export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body: parsed if it is JSON, otherwise its text; undefined if there is none. */
  body: unknown;
  /** Undefined until the response starts. */
  status: number | undefined;
  /** True if the client disconnected before the end of the response. */
  aborted: boolean;
  /** Resolves when the body of the response ends or is no longer read. */
  readonly finished: Promise<void>;
}

/** Options of a {@link LocalService}. */
export interface ServiceOptions {
  readonly clock?: Clock;
  /** The initial keys; by default {@link demoKey}. */
  readonly keys?: readonly ApiKey[];
  /** Initial balance in the currency of the prices; by default 100. */
  readonly balance?: number;
  readonly models?: readonly LocalModel[];
  /** True if the model list has prices, limits and abilities, which many services omit. */
  readonly listsFacts?: boolean;
  /** Milliseconds per token of a reply; by default 12, use 0 for tests. */
  readonly pace?: number;
  readonly usage?: UsageReport;
  /** Returns the replies of the models; if it returns nothing, they reply as in the demo. */
  readonly script?: Script;
  readonly starterOf?: StarterOf;
}

export { demoKey };

export function createService(options: ServiceOptions = {}): LocalService {
  return new LocalService(options);
}

/** A service in this process, with the controls that tests need. */
export class LocalService {
  readonly account: Account;
  readonly faults = new FaultQueue();
  readonly #clock: Clock;
  readonly #models: readonly LocalModel[];
  readonly #listsFacts: boolean;
  readonly #completions: CompletionsEndpoint;
  readonly #requestedFaults = new RequestedFaults();
  readonly #arrived = new Emitter<RequestRecord>();
  /**
   * Keeps requests referenced until they end: a request that is garbage collected does not forward
   * an abort.
   */
  readonly #open = new Set<Request>();
  #records: readonly RequestRecord[] = [];
  #requestCount = 0;

  constructor(options: ServiceOptions) {
    const { clock = systemClock, models = localModels, pace = 12, usage = 'always' } = options;
    const { script = () => undefined, starterOf = () => undefined } = options;
    this.#clock = clock;
    this.#models = models;
    this.#listsFacts = options.listsFacts ?? false;
    this.account = new Account(options.balance ?? 100);
    for (const key of options.keys ?? [{ key: demoKey, name: 'Demo' }]) this.account.createKey(key);
    this.#completions = new CompletionsEndpoint(this.account, {
      clock,
      models,
      pace,
      usage,
      script,
      starterOf,
    });
  }

  /** The last 200 requests, oldest first. */
  get requests(): readonly RequestRecord[] {
    return this.#records;
  }

  /** Fires for each request, once its body was received. */
  get onRequest(): Event<RequestRecord> {
    return this.#arrived.event;
  }

  /**
   * Handles any request. Rejects only where `fetch` would: with the reason of the request's signal,
   * and with a TypeError for the fault `refused`.
   */
  readonly handle = async (request: Request): Promise<Response> => {
    let settle = (): void => undefined;
    const finished = new Promise<void>((resolve) => (settle = resolve));
    const record: RequestRecord = {
      method: request.method,
      path: new URL(request.url).pathname,
      headers: Object.fromEntries(request.headers),
      body: undefined,
      status: undefined,
      aborted: false,
      finished,
    };
    const finish = (aborted: boolean): void => {
      this.#open.delete(request);
      record.aborted = aborted;
      settle();
    };
    this.#open.add(request);
    this.#records = [...this.#records.slice(1 - maxRecords), record];
    this.#requestCount += 1;
    const id = `req_${String(this.#requestCount).padStart(6, '0')}`;
    try {
      const response = await this.#handle(request, record);
      request.signal.throwIfAborted();
      record.status = response.status;
      const headers = { ...response.headers, 'x-request-id': id };
      const body = bodyOf(response, this.#clock, request, finish);
      return new Response(body, { status: response.status, headers });
    } catch (error) {
      finish(request.signal.aborted);
      request.signal.throwIfAborted();
      throw error;
    }
  };

  async #handle(request: Request, record: RequestRecord): Promise<HttpResponse> {
    const body = await request.text();
    const value = parseJson(body);
    if (body !== '') record.body = value === undefined ? body : value;
    this.#arrived.fire(record);
    try {
      const endpoint = endpointOf(record);
      const fault = this.faults.next(endpoint);
      if (fault !== undefined && isResponseFault(fault)) return await respond(fault, request);
      const key = this.account.authenticate(request.headers.get('authorization'));
      if (endpoint === 'models') return this.#modelList(key);
      if (!/^application\/json\b/i.test(record.headers['content-type'] ?? ''))
        throw new ApiError(400, 'The body must be sent with Content-Type: application/json.');
      if (typeof record.body !== 'object' || record.body === null)
        throw new ApiError(400, 'The body is not a JSON object.');
      const requested = fault ?? this.#requestedFaults.next(lastUserText(record.body));
      if (requested !== undefined && isResponseFault(requested))
        return await respond(requested, request);
      return this.#completions.handle(parseRequest(record.body), key, requested);
    } catch (error) {
      if (error instanceof ApiError) return errorResponse(error);
      throw error;
    }
  }

  #modelList(key: ApiKey): HttpResponse {
    const models = this.#models.filter(({ id }) => key.models?.includes(id) !== false);
    const data = models.map((model) => ({
      id: model.id,
      object: 'model',
      created: modelsCreated,
      owned_by: ownerOf(model),
      ...(model.images ? { architecture: { input_modalities: ['text', 'image'] } } : {}),
      ...(this.#listsFacts && {
        context_length: model.contextWindow,
        pricing: {
          input: model.price.input,
          output: model.price.output,
          cached_input: model.price.cachedInput,
        },
        supports_tools: model.tools,
        supports_reasoning_effort: model.efforts?.length ? model.efforts : undefined,
      }),
    }));
    return jsonResponse({ object: 'list', data });
  }
}

function endpointOf({ path, method }: RequestRecord): ApiEndpoint {
  const isCompletion = path.endsWith('/v1/chat/completions');
  if (!isCompletion && !path.endsWith('/v1/models'))
    throw new ApiError(404, `Not found: ${path}.`, { code: 'unknown_url' });
  const allowed = isCompletion ? 'POST' : 'GET';
  if (method === allowed) return isCompletion ? 'completions' : 'models';
  throw new ApiError(405, `${method} is not allowed here; use ${allowed}.`, {
    headers: { allow: allowed },
  });
}

const userMessages = z.object({ messages: z.array(z.unknown()) });
const textPart = z.object({ type: z.literal('text'), text: z.string() });
const userMessage = z.object({
  role: z.literal('user'),
  content: z.union([z.string(), z.array(z.unknown())]),
});

/** The last user message, which may request a fault even in an otherwise invalid request. */
function lastUserText(body: unknown): string {
  const messages = userMessages.safeParse(body).data?.messages ?? [];
  const content = userMessage.safeParse(messages.at(-1)).data?.content ?? '';
  if (typeof content === 'string') return content;
  return content.map((part) => textPart.safeParse(part).data?.text ?? '').join('');
}

async function respond(fault: ResponseFault, request: Request): Promise<HttpResponse> {
  if (fault.kind === 'refused') throw new TypeError('fetch failed');
  const response = faultResponse(fault);
  if (response !== undefined) return response;
  await new Promise<void>((resolve) => {
    // If the signal is already aborted, it fires no event.
    if (request.signal.aborted) resolve();
    request.signal.addEventListener('abort', () => resolve());
  });
  throw new TypeError('fetch failed');
}

/**
 * A `fetch` that sends every request to this service, whatever its host. A signal works as with the
 * real `fetch`: the promise rejects with its reason, and later the body errors with it.
 */
export function localFetch(service: LocalService): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    signal.throwIfAborted();
    const handled = service.handle(request);
    const aborted = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    const response = await Promise.race([handled, aborted]);
    signal.throwIfAborted();
    if (response === undefined) throw new TypeError('fetch failed');
    return response;
  };
}
