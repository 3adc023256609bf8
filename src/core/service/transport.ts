import { raceAbort } from '../support/async.ts';
import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/event.ts';
import { truncateText } from '../support/text.ts';
import type { ServiceAddress } from './address.ts';
import { BodyReader, readText } from './bodyReader.ts';
import { BrowserRefusal } from './browserFetch.ts';
import { readErrorBody } from '../reply/errorBody.ts';
import { kindOfRefusal, ServiceError } from '../reply/errors.ts';
import { IdleTimeout } from './idleTimeout.ts';
import { ResponseEnd } from '../reply/replyEnd.ts';
import { isOwnHeader } from './requestExtras.ts';
import { answerBeforeStatus, readRetryAfter } from './retry.ts';

/** Dependencies of a {@link Transport} besides the address. */
export interface TransportOptions {
  /** The key, or a function that reads it for each attempt and rejects if there is none. */
  readonly apiKey: string | (() => Promise<string>) | undefined;
  /** The platform's `fetch`, or the local service's. */
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Maximum time without data in milliseconds, before the first byte and between two reads. */
  readonly silenceLimit: number;
}

/** A request with a successful response. */
export interface Exchange extends Disposable {
  readonly response: Response;
  readonly reader: BodyReader;
  named<T>(error: T): T | ServiceError;
  /** Marks the response as read, so that `dispose` may reuse the connection. */
  finish(): void;
  /** Ends the exchange, and aborts the request if it isn't finished. */
  dispose(): void;
}

/** Sends single requests to one address with one key. */
export class Transport {
  readonly address: ServiceAddress;
  readonly #options: TransportOptions;

  constructor(options: TransportOptions, address: ServiceAddress) {
    this.#options = options;
    this.address = address;
  }

  /**
   * Sends one request, a POST if there is a body, and resolves when a successful status was
   * received.
   *
   * @param extraHeaders additional headers, which can't replace those of every request
   * @throws ServiceError for everything that isn't a success; an aborted signal rejects with its
   * reason
   */
  async open(
    path: string,
    body: string | undefined,
    signal: AbortSignal,
    extraHeaders: Readonly<Record<string, string>> = {},
  ): Promise<Exchange> {
    const { clock, silenceLimit } = this.#options;
    const idleTimeout = new IdleTimeout(signal, clock, silenceLimit);
    let reader: BodyReader | undefined;
    try {
      const added = Object.entries(extraHeaders).filter(([name]) => !isOwnHeader(name));
      const headers = { ...Object.fromEntries(added), ...(await this.#headers(body, signal)) };
      const response = await this.#fetch(path, body, headers, idleTimeout);
      reader = new BodyReader(response.body, idleTimeout, this.#options.clock);
      if (!response.ok) throw await this.#failure(response, path, reader);
      return this.#exchange(response, reader, idleTimeout);
    } catch (error) {
      idleTimeout.dispose();
      reader?.dispose();
      // After a rejected `fetch` there is nothing to abort, and undici's error would be unhandled.
      if (reader !== undefined) idleTimeout.cancel();
      throw this.#named(error instanceof ResponseEnd ? withoutStatus(error) : error);
    }
  }

  #exchange(response: Response, reader: BodyReader, idleTimeout: IdleTimeout): Exchange {
    let finished = false;
    return {
      response,
      reader,
      named: (error) => this.#named(error),
      finish() {
        finished = true;
      },
      dispose: () => {
        idleTimeout.dispose();
        if (finished) reader.drain();
        reader.dispose();
        if (!finished) idleTimeout.cancel();
      },
    };
  }

  /** Resolves with the response as soon as its status was received. */
  #fetch(
    path: string,
    body: string | undefined,
    headers: Record<string, string>,
    idleTimeout: IdleTimeout,
  ): Promise<Response> {
    const { fetch } = this.#options;
    const request: RequestInit = {
      method: body === undefined ? 'GET' : 'POST',
      ...(body === undefined ? {} : { body }),
      headers,
      redirect: 'manual',
      signal: idleTimeout.signal,
    };
    return idleTimeout.wait(fetch(this.address.baseUrl + path, request));
  }

  async #headers(body: string | undefined, signal: AbortSignal): Promise<Record<string, string>> {
    const keySource = this.#options.apiKey;
    const apiKey =
      typeof keySource === 'function' ? await raceAbort(keySource(), signal) : keySource;
    if (apiKey === undefined || apiKey === '') throw new ServiceError('missing-key', 'No key');
    return {
      Authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    };
  }

  async #failure(response: Response, path: string, reader: BodyReader): Promise<ServiceError> {
    const { status, headers } = response;
    // Browsers report a redirect that is not followed with this type and status 0.
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      const detail = redirectTarget(headers.get('location'), this.address.baseUrl + path);
      return new ServiceError('redirected', 'The service redirects elsewhere', { status, detail });
    }
    // If the body breaks or stalls, the status is reported without it.
    reader.setDeadline();
    const { text } = await readText(new Uint8Array(), reader, 65_536);
    const report = readErrorBody(text);
    return new ServiceError(kindOfRefusal(status, report), `HTTP status ${status}`, {
      status,
      detail: report.message === '' ? undefined : report.message,
      code: report.code,
      parameter: report.parameter,
      retryAfter: readRetryAfter(headers, this.#options.clock.wall()),
      requestId: headers.get('x-request-id') ?? headers.get('request-id') ?? undefined,
    });
  }

  #named<T>(error: T): T | ServiceError {
    if (!(error instanceof ServiceError) || error.host !== undefined) return error;
    const { kind, message, status, detail, code, parameter } = error;
    const { reported, retryAfter, requestId, cause } = error;
    return new ServiceError(kind, message, {
      status,
      detail,
      code,
      parameter,
      reported,
      retryAfter,
      requestId,
      cause,
      host: this.address.host,
    });
  }
}

function withoutStatus(end: ResponseEnd): ServiceError {
  if (end.cause instanceof BrowserRefusal) return end.cause.toError();
  const answered = answerBeforeStatus(end.cause);
  if (answered === undefined) return end.toError('no status');
  return new ResponseEnd(answered, end.cause).toError('nothing');
}

/** Maximum length of a displayed address. */
const maxTargetLength = 200;

/**
 * The part of a redirect's target that differs: another host, or another scheme or path on the same
 * host. User name and query, which may be secret, are removed.
 */
function redirectTarget(location: string | null, from: string): string | undefined {
  const target = location === null ? null : URL.parse(location, from);
  const { protocol, host } = new URL(from);
  if (target === null || target.host !== host) return target?.host;
  const scheme = target.protocol === protocol ? '' : `${target.protocol}//`;
  return truncateText(`${scheme}${target.host}${target.pathname}`, maxTargetLength);
}
