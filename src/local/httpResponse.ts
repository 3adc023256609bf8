import { sleep } from '../core/support/async.ts';
import { orUndefined } from '../core/support/background.ts';
import type { Clock } from '../core/support/clock.ts';

/** A part of a body that is sent at once, or the way in which the body is interrupted. */
export type BodyStep =
  /** `tokens` of the reply are charged once the text was read. */
  | { readonly text: string; readonly tokens: number }
  /**
   * `end`: as if it were complete; `socket`: the connection breaks; `stall`: no more data is sent.
   */
  | { readonly breaks: 'end' | 'socket' | 'stall' };

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly steps: readonly BodyStep[];
  /** Milliseconds before each token of the body; by default 0. */
  readonly pace?: number;
  /** Called once with the number of sent tokens, when the body ends or is no longer read. */
  readonly ended?: (tokens: number) => void;
}

/** A successful response with a JSON body. */
export function jsonResponse(value: unknown): HttpResponse {
  return textResponse(200, JSON.stringify(value), 'application/json');
}

export function textResponse(status: number, text: string, type: string): HttpResponse {
  return { status, headers: { 'content-type': type }, steps: [{ text, tokens: 0 }] };
}

export function errorResponse(error: ApiError): HttpResponse {
  const response = textResponse(error.status, error.body(), 'application/json');
  return { ...response, headers: { ...response.headers, ...error.headers } };
}

/**
 * The body of a response, produced step by step as it is read. It errors with the reason of the
 * request's signal once that aborts, and calls `ended` once.
 */
class HttpResponseBody {
  readonly #response: HttpResponse;
  readonly #clock: Clock;
  readonly #ended: (aborted: boolean) => void;
  readonly #closed = new AbortController();
  readonly #encoder = new TextEncoder();
  #position = 0;
  #sent = 0;

  constructor(response: HttpResponse, clock: Clock, ended: (aborted: boolean) => void) {
    this.#response = response;
    this.#clock = clock;
    this.#ended = ended;
  }

  /** Settles when there is data to read, or at the end; never while the body stalls. */
  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const step = this.#response.steps[this.#position] ?? { breaks: 'end' };
    this.#position += 1;
    if ('breaks' in step) {
      if (step.breaks === 'stall') await new Promise(() => undefined);
      if (step.breaks === 'socket') controller.error(new TypeError('terminated'));
      else controller.close();
      this.end(false);
      return;
    }
    const pause = (this.#response.pace ?? 0) * step.tokens;
    // It ends early where the connection is closed.
    if (pause > 0) await orUndefined(sleep(this.#clock, pause, this.#closed.signal));
    if (this.#closed.signal.aborted) return;
    this.#sent += step.tokens;
    controller.enqueue(this.#encoder.encode(step.text));
  }

  end(aborted: boolean): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    this.#response.ended?.(this.#sent);
    this.#ended(aborted);
  }
}

/** Creates the stream of a response's body. `ended` is called once, however the body ends. */
export function bodyOf(
  response: HttpResponse,
  clock: Clock,
  request: Request,
  ended: (aborted: boolean) => void,
): ReadableStream<Uint8Array> {
  const listeners = new AbortController();
  const body = new HttpResponseBody(response, clock, (aborted) => {
    listeners.abort();
    ended(aborted);
  });
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const stop = (): void => {
          controller.error(request.signal.reason);
          body.end(true);
        };
        request.signal.addEventListener('abort', stop, { signal: listeners.signal });
      },
      pull: (controller) => body.pull(controller),
      cancel: () => body.end(true),
    },
    { highWaterMark: 0 },
  );
}

/** Details of an error: a status of docs/service.md 7 with an error body of the OpenAI standard. */
interface ApiErrorDetails {
  readonly type?: string;
  /** The invalid parameter, for example `messages[0].role`. */
  readonly param?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown anywhere inside the handler, which responds with it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #details: ApiErrorDetails;

  constructor(status: number, message: string, details: ApiErrorDetails = {}) {
    super(message);
    this.status = status;
    this.headers = details.headers ?? {};
    this.#details = details;
  }

  body(): string {
    const usual = this.status >= 500 ? 'server_error' : 'invalid_request_error';
    const { type = usual, param = null, code = null } = this.#details;
    return JSON.stringify({ error: { message: this.message, type, param, code } });
  }
}
