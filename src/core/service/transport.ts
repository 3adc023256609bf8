/**
 * One HTTP request and how its bytes come: the status or a refusal, the limits of each wait, and the
 * body, which is read without blocking the event loop.
 */
import { abortError, raceAbort, sleep } from '../support/async.ts';
import { background, markHandled, orUndefined } from '../support/background.ts';
import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/event.ts';
import { JsonScanner } from '../support/json.ts';
import { truncateText } from '../support/text.ts';
import type { ServiceAddress } from './address.ts';
import { BrowserRefusal } from './browserFetch.ts';
import { readErrorBody } from './errorBody.ts';
import { atHost, kindOfRefusal, ServiceError } from './errors.ts';
import { ResponseEnd, type Ended } from './replyEnd.ts';
import { isOwnHeader } from './requestExtras.ts';
import { answerBeforeStatus, isUnreadable, readRetryAfter } from './retry.ts';
import { withoutComments } from './streamDecoder.ts';

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
      if (!(error instanceof ResponseEnd)) throw atHost(error, host);
      if (error.cause instanceof BrowserRefusal) throw error.cause.toError().at(host);
      const answered = answerBeforeStatus(error.cause);
      throw answered === undefined
        ? error.toError('no status').at(host)
        : new ResponseEnd(answered, error.cause).toError('nothing').at(host);
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

/** A timer that fires later than this, in milliseconds, was delayed, usually by sleep. */
const maxTimerDelay = 1000;

/**
 * Idle limit in milliseconds after such a delay: data that arrived in the meantime is available
 * immediately.
 */
const limitAfterDelay = 5000;

/**
 * Limits the waits of one request: each ends when the signal aborts, or when no data was received
 * for too long, even if the platform's `fetch` ignores its signal. One wait at a time. The wall
 * clock, which can change, isn't used: sleep is detected by delayed timers.
 */
export class IdleTimeout implements Disposable {
  readonly #abort = new AbortController();
  readonly #outer: AbortSignal;
  readonly #clock: Clock;
  readonly #silenceLimit: number;
  readonly #stop = (): void => this.#interrupt(abortError(this.#outer));
  #reason: Error | undefined;
  #reject: ((reason: Error) => void) | undefined;
  #timer: Disposable | undefined;
  /** Time at which the timer is due. All times are on the monotonic clock. */
  #due = 0;
  #waitingSince = 0;
  /** End of the last wait; stored only while there is a deadline. */
  #waitedUntil = 0;
  #delayedUntil = -Infinity;
  /** True if the limit of the current wait has passed. */
  #isOver = false;
  #deadline = Infinity;
  #endAtDeadline: Ended = 'quiet';

  constructor(outer: AbortSignal, clock: Clock, silenceLimit: number) {
    this.#outer = outer;
    this.#clock = clock;
    this.#silenceLimit = silenceLimit;
    if (outer.aborted) this.#stop();
    else outer.addEventListener('abort', this.#stop, { once: true });
  }

  /** Signal for `fetch`: aborts when a wait was interrupted, and when the request is canceled. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * Waits for a promise until it settles or is interrupted. A rejection of the promise, and
   * silence, become a {@link ResponseEnd}; an aborted signal rejects with its reason.
   */
  wait<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      const now = this.#clock.monotonic();
      // Time that the reader used for processing isn't time without data.
      if (this.#deadline < Infinity) this.#deadline += now - this.#waitedUntil;
      this.#waitingSince = now;
      this.#isOver = false;
      // A timer that is overdue here was delayed by the reader, not by sleep.
      if (this.#due < now) this.#stopTimer();
      if (this.#timer === undefined) this.#schedule();
      promise.then(
        (value) => {
          this.#end();
          resolve(value);
        },
        (cause: unknown) => {
          this.#end();
          const ended = isUnreadable(cause) ? 'unreadable' : 'broken';
          reject(this.#reason ?? new ResponseEnd(ended, cause));
        },
      );
      if (this.#reason !== undefined) reject(this.#reason);
    });
  }

  /**
   * Makes further data optional: waits end after this many milliseconds of waiting, however much
   * arrives. Infinity removes the deadline. Without a number, data no longer resets the idle
   * timeout.
   */
  setDeadline(milliseconds?: number): void {
    this.#waitedUntil = this.#clock.monotonic();
    this.#deadline = this.#waitedUntil + (milliseconds ?? this.#silenceLimit);
    this.#endAtDeadline = milliseconds === undefined ? 'silent' : 'quiet';
    this.#stopTimer();
    if (this.#reject !== undefined) this.#schedule();
  }

  /** Aborts the request if it is still running. */
  cancel(): void {
    this.#abort.abort();
  }

  dispose(): void {
    this.#stopTimer();
    this.#outer.removeEventListener('abort', this.#stop);
  }

  #end(): void {
    this.#reject = undefined;
    if (this.#deadline < Infinity) this.#waitedUntil = this.#clock.monotonic();
  }

  #stopTimer(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #interrupt(reason: Error): void {
    this.#reason = reason;
    this.#abort.abort(reason);
    this.#reject?.(reason);
  }

  get #wasDelayed(): boolean {
    return this.#delayedUntil >= this.#waitingSince;
  }

  get #limit(): number {
    const idleLimit = this.#wasDelayed
      ? this.#delayedUntil + limitAfterDelay
      : this.#waitingSince + this.#silenceLimit;
    return Math.min(idleLimit, this.#deadline);
  }

  /**
   * Schedules one timer for many waits: when it fires, it checks the limit of the current wait and
   * is rescheduled.
   */
  #schedule(): void {
    this.#due = this.#limit;
    this.#timer = this.#clock.after(this.#due - this.#clock.monotonic(), this.#check);
  }

  readonly #check = (): void => {
    const now = this.#clock.monotonic();
    this.#timer = undefined;
    if (now > this.#due + maxTimerDelay) this.#delayedUntil = now;
    // No timeout between two waits: there may be data that has not been read yet.
    if (this.#reject === undefined) return;
    if (now < this.#limit) this.#schedule();
    else if (this.#isOver) {
      const ended = now >= this.#deadline ? this.#endAtDeadline : 'silent';
      this.#interrupt(new ResponseEnd(this.#wasDelayed ? 'asleep' : ended));
    } else {
      this.#isOver = true;
      this.#due = now;
      this.#timer = this.#clock.after(0, this.#check);
    }
  };
}

/** Maximum time, in milliseconds, for the rest of a finished body. */
const drainLimit = 1000;

/** Maximum wait, in milliseconds, for optional data. */
const deadlineLimit = 5000;

/** Maximum number of bytes per read, so that processing one piece does not block for long. */
const maxPieceBytes = 64 * 1024;

/** Milliseconds of uninterrupted work after which the reader yields to the event loop. */
const maxUninterruptedWork = 8;

type Read = ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>;

/** Maximum number of reads that are asked of the platform in advance. */
const readsAhead = 16;

/**
 * Reads a body piece by piece. Each wait is limited, see {@link IdleTimeout.wait}. However fast the
 * data arrives, the reader yields to the event loop every few milliseconds of work. It reads ahead,
 * since a connection that breaks takes with it what has arrived but wasn't asked for.
 */
export class BodyReader implements Disposable {
  readonly #source: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #reads: Read[] = [];
  readonly #idleTimeout: IdleTimeout;
  readonly #clock: Clock;
  #unread: Uint8Array = new Uint8Array();
  #worked = 0;
  #workingSince: number;
  #draining = false;

  constructor(body: ReadableStream<Uint8Array> | null, idleTimeout: IdleTimeout, clock: Clock) {
    this.#source = body?.getReader();
    this.#idleTimeout = idleTimeout;
    this.#clock = clock;
    this.#workingSince = clock.monotonic();
    this.#readAhead();
  }

  /**
   * Reads the first significant bytes, enough to detect the format of the body. Skips comments of
   * an event stream, which only keep the connection alive. Empty if the body contains nothing else.
   */
  async readStart(): Promise<Uint8Array> {
    let start: Uint8Array = new Uint8Array();
    while (start.length < 8) {
      const more = await this.read();
      if (more === undefined) break;
      const both = new Uint8Array(start.length + more.length);
      both.set(start);
      both.set(more, start.length);
      start = withoutComments(both);
    }
    return start;
  }

  async read(): Promise<Uint8Array | undefined> {
    this.#worked += this.#clock.monotonic() - this.#workingSince;
    if (this.#worked >= maxUninterruptedWork) {
      this.#worked = 0;
      await this.#idleTimeout.wait(sleep(this.#clock, 0));
    }
    while (this.#unread.length === 0) {
      const { done, value } = await this.#idleTimeout.wait(this.#nextRead());
      if (done) break;
      this.#unread = value;
    }
    this.#workingSince = this.#clock.monotonic();
    const piece = this.#unread.subarray(0, maxPieceBytes);
    this.#unread = this.#unread.subarray(maxPieceBytes);
    return piece.length > 0 ? piece : undefined;
  }

  /** Makes the remaining data optional: from now on, reading waits only a few seconds for it. */
  setDeadline(): void {
    this.#idleTimeout.setDeadline(deadlineLimit);
  }

  /**
   * From now on, data doesn't reset the idle timeout unless this or {@link clearDeadline} is
   * called.
   */
  ignoreData(): void {
    this.#idleTimeout.setDeadline();
  }

  /** Removes the deadline: more data may follow at any time. */
  clearDeadline(): void {
    this.#idleTimeout.setDeadline(Infinity);
  }

  /**
   * Reads and discards the rest of a finished body in the background, if it is short, so that the
   * connection can be reused.
   */
  drain(): void {
    this.#draining = true;
    const timeout = this.#clock.after(drainLimit, () => this.#cancel());
    background(orUndefined(this.#readRest()).finally(() => timeout.dispose()));
  }

  dispose(): void {
    if (!this.#draining) this.#cancel();
  }

  async #readRest(): Promise<void> {
    for (let size = 0; size <= maxPieceBytes;) {
      const { done, value } = await this.#nextRead();
      if (done) return;
      size += value.length;
    }
    this.#cancel();
  }

  #nextRead(): Read {
    const [next = Promise.resolve({ done: true, value: undefined })] = this.#reads.splice(0, 1);
    this.#readAhead();
    return next;
  }

  #readAhead(): void {
    if (this.#source === undefined) return;
    while (this.#reads.length < readsAhead) {
      const read = this.#source.read();
      // A failure is reported to whoever takes this read, if anybody does.
      markHandled(read);
      this.#reads.push(read);
    }
  }

  #cancel(): void {
    // A rejection only means that the body was already broken.
    if (this.#source !== undefined) markHandled(this.#source.cancel());
  }
}

export interface BodyText {
  readonly text: string;
  /** Where the body ended: after the text or in the middle of it. */
  readonly end: ResponseEnd;
}

/**
 * Reads the rest of a body as text, up to about `limit` bytes. Stops after a complete JSON value.
 */
export async function readText(
  first: Uint8Array,
  reader: BodyReader,
  limit: number,
): Promise<BodyText> {
  const decoder = new TextDecoder();
  const json = new JsonEnd();
  let text = '';
  try {
    let bytes: Uint8Array | undefined = first;
    for (let size = 0; size < limit; bytes = await reader.read()) {
      if (bytes === undefined) {
        return { text: text + decoder.decode(), end: new ResponseEnd('closed') };
      }
      size += bytes.length;
      const piece = decoder.decode(bytes, { stream: true });
      text += piece;
      if (json.follows(piece)) return { text, end: new ResponseEnd('closed') };
    }
    return { text, end: new ResponseEnd('oversized') };
  } catch (error) {
    if (!(error instanceof ResponseEnd)) throw error;
    return { text, end: error };
  }
}

class JsonEnd {
  /** Undefined before the first visible character; null if the text isn't JSON. */
  #scanner: JsonScanner | null | undefined;

  /** Adds the next piece; true if it completes the value. */
  follows(piece: string): boolean {
    if (this.#scanner === undefined && piece.trim() !== '') {
      this.#scanner = /^\s*[[{]/.test(piece) ? new JsonScanner() : null;
    }
    this.#scanner?.add(piece);
    return this.#scanner?.isClosed === true;
  }
}
