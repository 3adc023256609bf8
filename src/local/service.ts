/**
 * The chat completion service itself, in process: a handler from `Request` to `Response` that
 * knows nothing of sockets, for the demo, for tests, and behind a real HTTP server. The same
 * requests in the same order get the same answers; time is the clock's.
 */
import * as z from 'zod/mini';
import { systemClock, type Clock } from '../core/support/clock.ts';
import type { Event } from '../core/support/event.ts';
import { Account, type ApiKey, type KeySettings } from './account.ts';
import { CompletionsEndpoint, type Script, type UsageReport } from './completionsEndpoint.ts';
import {
  RequestedFaults,
  FaultQueue,
  isResponseFault,
  type ApiEndpoint,
  type Fault,
  type ResponseFault,
} from './faults.ts';
import {
  bodyOf,
  jsonResponse,
  errorResponse,
  ApiError,
  type HttpResponse,
} from './httpResponse.ts';
import { faultResponse } from './interruption.ts';
import { demoKey, localModels, ownerOf, type LocalModel } from './models.ts';
import { parseRequest } from './request.ts';
import { RequestLog, type RequestRecord } from './requestLog.ts';

export interface ServiceOptions {
  readonly clock?: Clock;
  /** The keys there are from the start; one without limits, {@link demoKey}, where absent. */
  readonly keys?: readonly KeySettings[];
  /** What is in the wallet, in the currency of the prices; 100 where absent. */
  readonly balance?: number;
  readonly models?: readonly LocalModel[];
  /** Milliseconds for each token of a reply; 12 where absent, 0 for tests. */
  readonly pace?: number;
  readonly usage?: UsageReport;
  /** What the models say, where it says something: else they answer as in the demo. */
  readonly script?: Script;
}

export { demoKey };

/** When the models say that they were made. */
const modelsCreated = 1_735_689_600;

export function createService(options: ServiceOptions = {}): LocalService {
  return new LocalService(options);
}

export class LocalService {
  readonly account: Account;
  readonly faults = new FaultQueue();
  readonly #clock: Clock;
  readonly #models: readonly LocalModel[];
  readonly #completions: CompletionsEndpoint;
  readonly #asked = new RequestedFaults();
  readonly #log = new RequestLog();
  #arrived = 0;

  constructor(options: ServiceOptions) {
    const { clock = systemClock, models = localModels, pace = 12, usage = 'always' } = options;
    const { script = () => undefined } = options;
    this.#clock = clock;
    this.#models = models;
    this.account = new Account(clock, options.balance ?? 100);
    for (const key of options.keys ?? [{ key: demoKey, name: 'Demo' }]) this.account.createKey(key);
    this.#completions = new CompletionsEndpoint(this.account, {
      clock,
      models,
      pace,
      usage,
      script,
    });
  }

  /** The last 200 requests, in the order in which they came. */
  get requests(): readonly RequestRecord[] {
    return this.#log.records;
  }

  get onRequest(): Event<RequestRecord> {
    return this.#log.onRequest;
  }

  /**
   * Answers any request. Rejects only where `fetch` would: with the reason of the request's signal,
   * and with a TypeError for the fault `refused`.
   */
  readonly handle = async (request: Request): Promise<Response> => {
    const { record, finish } = this.#log.begin(request);
    this.#arrived += 1;
    const id = `req_${String(this.#arrived).padStart(6, '0')}`;
    try {
      const answer = await this.#handle(request, record);
      request.signal.throwIfAborted();
      record.status = answer.status;
      const headers = { ...answer.headers, 'x-request-id': id };
      const body = bodyOf(answer, this.#clock, request, finish);
      return new Response(body, { status: answer.status, headers });
    } catch (error) {
      finish(request.signal.aborted);
      request.signal.throwIfAborted();
      throw error;
    }
  };

  async #handle(request: Request, record: RequestRecord): Promise<HttpResponse> {
    const body = await request.text();
    this.#log.arrived(record, body);
    try {
      const endpoint = endpointOf(record);
      const fault = this.faults.next(endpoint);
      if (fault !== undefined && isResponseFault(fault)) return await respond(fault, request);
      const key = this.account.authenticate(request.headers.get('authorization'));
      if (endpoint === 'models') return this.#modelList(key);
      return await this.#complete(request, record, key, fault);
    } catch (error) {
      if (error instanceof ApiError) return errorResponse(error);
      throw error;
    }
  }

  #modelList(key: ApiKey): HttpResponse {
    const models = this.#models.filter((model) => key.allows(model.id));
    const data = models.map((model) => ({
      id: model.id,
      object: 'model',
      created: modelsCreated,
      owned_by: ownerOf(model),
    }));
    return jsonResponse({ object: 'list', data });
  }

  async #complete(
    request: Request,
    record: RequestRecord,
    key: ApiKey,
    queued: Fault | undefined,
  ): Promise<HttpResponse> {
    checkJson(record);
    const fault = queued ?? this.#asked.next(lastUserText(record.body));
    if (fault !== undefined && isResponseFault(fault)) return respond(fault, request);
    return this.#completions.handle(parseRequest(record.body), key, fault);
  }
}

function endpointOf({ path, method }: RequestRecord): ApiEndpoint {
  const [endpoint, allowed] = path.endsWith('/v1/chat/completions')
    ? (['completions', 'POST'] as const)
    : path.endsWith('/v1/models')
      ? (['models', 'GET'] as const)
      : unknownPath(path);
  if (method === allowed) return endpoint;
  throw new ApiError(405, `${method} is not allowed here; use ${allowed}.`, {
    headers: { allow: allowed },
  });
}

function unknownPath(path: string): never {
  throw new ApiError(404, `Not found: ${path}.`, { code: 'unknown_url' });
}

function checkJson({ headers, body }: RequestRecord): void {
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    throw new ApiError(400, 'The body must be sent with Content-Type: application/json.');
  if (typeof body !== 'object' || body === null)
    throw new ApiError(400, 'The body is not a JSON object.');
}

const userMessages = z.object({ messages: z.array(z.unknown()) });
const userMessage = z.object({ role: z.literal('user'), content: z.string() });

/** The text that may ask for a fault, also in a request that is not valid otherwise. */
function lastUserText(body: unknown): string {
  const messages = userMessages.safeParse(body).data?.messages ?? [];
  return userMessage.safeParse(messages.at(-1)).data?.content ?? '';
}

async function respond(fault: ResponseFault, request: Request): Promise<HttpResponse> {
  if (fault.kind === 'refused') throw new TypeError('fetch failed');
  const answer = faultResponse(fault);
  if (answer !== undefined) return answer;
  await new Promise<void>((resolve) => {
    // Aborted already, the signal would not tell again.
    if (request.signal.aborted) resolve();
    request.signal.addEventListener('abort', () => resolve());
  });
  throw new TypeError('fetch failed');
}
