import { raceAbort } from '../support/async.ts';
import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/event.ts';
import type { ServiceAddress } from './address.ts';
import { BodyReader, readText } from './bodyReader.ts';
import { readErrorBody, kindOfStatus, ServiceError } from './errors.ts';
import { IdleTimeout } from './idleTimeout.ts';
import { parseRetryAfter } from './retry.ts';

/** What a {@link Transport} needs besides the address. */
export interface TransportOptions {
  /** The key, or what reads it anew for each attempt and rejects where there is none. */
  readonly apiKey: string | (() => Promise<string>) | undefined;
  /** The platform's `fetch`, or the local service's. */
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Longest time without data in milliseconds, before the first byte and between two reads. */
  readonly silenceLimit: number;
}

/** A request whose response has begun. */
export interface Exchange extends Disposable {
  readonly response: Response;
  /** The first significant bytes of the body; empty for an empty body. */
  readonly first: Uint8Array;
  readonly reader: BodyReader;
  /** Adds the host to a service error. */
  named<T>(error: T): T | ServiceError;
  /** Marks the response as read: `dispose` may keep the connection. */
  finish(): void;
  /** Ends the exchange, and aborts the request unless it was finished. */
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
   * Sends one request, a POST if there is a body, and resolves with the first bytes of a successful
   * response. Until then, nothing of a reply counts as received.
   *
   * Throws `ServiceError` for everything that is not a success; an aborted signal rejects with its
   * reason.
   */
  async open(path: string, body: string | undefined, signal: AbortSignal): Promise<Exchange> {
    const { clock, silenceLimit } = this.#options;
    const idleTimeout = new IdleTimeout(signal, clock, silenceLimit);
    let reader: BodyReader | undefined;
    try {
      const headers = await this.#headers(body, signal);
      const response = await this.#fetch(path, body, headers, idleTimeout);
      reader = new BodyReader(response.body, idleTimeout, this.#options.clock);
      if (!response.ok) throw await this.#failure(response, reader);
      const first = await reader.readStart();
      return this.#exchange(response, first, reader, idleTimeout);
    } catch (error) {
      idleTimeout.dispose();
      reader?.dispose();
      idleTimeout.cancel();
      throw this.#named(error);
    }
  }

  #exchange(
    response: Response,
    first: Uint8Array,
    reader: BodyReader,
    idleTimeout: IdleTimeout,
  ): Exchange {
    let finished = false;
    return {
      response,
      first,
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
    const url = this.address.baseUrl + path;
    return idleTimeout.wait(fetch(url, request), 'No connection');
  }

  async #headers(body: string | undefined, signal: AbortSignal): Promise<Record<string, string>> {
    const given = this.#options.apiKey;
    const apiKey = typeof given === 'function' ? await raceAbort(given(), signal) : given;
    if (apiKey === undefined || apiKey === '') throw new ServiceError('missing-key', 'No key');
    return {
      Authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    };
  }

  async #failure(response: Response, reader: BodyReader): Promise<ServiceError> {
    const { status, headers } = response;
    // Browsers report a redirect that is not followed with this type and status 0.
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      const detail = this.#redirectTarget(headers.get('location'));
      return new ServiceError('redirected', 'The service redirects elsewhere', { status, detail });
    }
    // If the body breaks or stalls, the status is reported without it.
    reader.setDeadline();
    const { text } = await readText(new Uint8Array(), reader, 65_536);
    const { message, code } = readErrorBody(text);
    return new ServiceError(kindOfStatus(status), `HTTP status ${status}`, {
      status,
      detail: message === '' ? undefined : message,
      code,
      retryAfter: parseRetryAfter(headers.get('retry-after'), this.#options.clock.wall()),
      requestId: headers.get('x-request-id') ?? headers.get('request-id') ?? undefined,
    });
  }

  #redirectTarget(location: string | null): string | undefined {
    return location === null ? undefined : URL.parse(location, this.address.baseUrl)?.host;
  }

  #named<T>(error: T): T | ServiceError {
    if (!(error instanceof ServiceError) || error.host !== undefined) return error;
    const { kind, message, status, detail, code, retryAfter, requestId, cause } = error;
    const details = { status, detail, code, retryAfter, requestId, cause };
    return new ServiceError(kind, message, { ...details, host: this.address.host });
  }
}
