import { raceAbort } from '../support/async.ts';
import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/event.ts';
import { truncateText } from '../support/text.ts';
import type { ServiceAddress } from './address.ts';
import { BodyReader, IdleTimeout, readText } from './bodyReader.ts';
import { BrowserRefusal } from './browserFetch.ts';
import { readErrorBody } from './errorBody.ts';
import { atHost, kindOfRefusal, ServiceError } from './errors.ts';
import { ResponseEnd } from './replyEnd.ts';
import { isOwnHeader } from './requestExtras.ts';
import { answerBeforeStatus, readRetryAfter } from './retry.ts';

/** How requests reach a service. */
export interface TransportOptions {
  /** The key, or a function that reads it for each attempt and rejects if there is none. */
  readonly apiKey: string | (() => Promise<string>) | undefined;
  /** The platform's `fetch`, or the local service's. */
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Maximum time without data in milliseconds, before the first byte and between two reads. */
  readonly silenceLimit: number;
}

/** The part of a request that only those with a body have. */
interface Sent {
  readonly body: string;
  /** Additional headers, which can't replace those of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** One HTTP request with its response, from sending to the last byte. */
export class Exchange implements Disposable {
  readonly response: Response;
  readonly reader: BodyReader;
  readonly #idleTimeout: IdleTimeout;
  #isFinished = false;

  private constructor(response: Response, reader: BodyReader, idleTimeout: IdleTimeout) {
    this.response = response;
    this.reader = reader;
    this.#idleTimeout = idleTimeout;
  }

  /**
   * Sends a request, a POST if there is a body, and resolves when a successful status was received.
   *
   * @throws ServiceError for everything that isn't a success; an aborted signal rejects with its
   * reason
   */
  static async open(
    { apiKey, fetch, clock, silenceLimit }: TransportOptions,
    { baseUrl, host }: ServiceAddress,
    path: string,
    signal: AbortSignal,
    sent?: Sent,
  ): Promise<Exchange> {
    const idleTimeout = new IdleTimeout(signal, clock, silenceLimit);
    let reader: BodyReader | undefined;
    try {
      const key = typeof apiKey === 'function' ? await raceAbort(apiKey(), signal) : apiKey;
      if (key === undefined || key === '') throw new ServiceError('missing-key', 'No key');
      const added = Object.entries(sent?.headers ?? {}).filter(([name]) => !isOwnHeader(name));
      const request: RequestInit = {
        method: sent === undefined ? 'GET' : 'POST',
        ...(sent && { body: sent.body }),
        headers: {
          ...Object.fromEntries(added),
          Authorization: `Bearer ${key}`,
          ...(sent && { 'Content-Type': 'application/json' }),
        },
        redirect: 'manual',
        signal: idleTimeout.signal,
      };
      const response = await idleTimeout.wait(fetch(baseUrl + path, request));
      reader = new BodyReader(response.body, idleTimeout, clock);
      if (!response.ok) throw await readRefusal(response, baseUrl + path, reader, clock.wall());
      return new Exchange(response, reader, idleTimeout);
    } catch (error) {
      idleTimeout.dispose();
      reader?.dispose();
      // After a rejected `fetch` there is nothing to abort, and undici's error would be unhandled.
      if (reader !== undefined) idleTimeout.cancel();
      throw atHost(error instanceof ResponseEnd ? withoutStatus(error) : error, host);
    }
  }

  /** Marks the response as read, so that `dispose` may reuse the connection. */
  finish(): void {
    this.#isFinished = true;
  }

  /** Ends the exchange, and aborts the request if it isn't finished. */
  dispose(): void {
    this.#idleTimeout.dispose();
    if (this.#isFinished) this.reader.drain();
    this.reader.dispose();
    if (!this.#isFinished) this.#idleTimeout.cancel();
  }
}

/** The error of a response without success. If its body breaks or stalls, it lacks the details. */
async function readRefusal(
  response: Response,
  address: string,
  reader: BodyReader,
  wallTime: number,
): Promise<ServiceError> {
  const { status, headers } = response;
  // Browsers report a redirect that is not followed with this type and status 0.
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const detail = redirectTarget(headers.get('location'), address);
    return new ServiceError('redirected', 'The service redirects elsewhere', { status, detail });
  }
  reader.setDeadline();
  const { text } = await readText(new Uint8Array(), reader, 65_536);
  const report = readErrorBody(text);
  return new ServiceError(kindOfRefusal(status, report), `HTTP status ${status}`, {
    status,
    detail: report.message === '' ? undefined : report.message,
    code: report.code,
    parameter: report.parameter,
    retryAfter: readRetryAfter(headers, wallTime),
    requestId: headers.get('x-request-id') ?? headers.get('request-id') ?? undefined,
  });
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
