import { sleep } from '../core/support/async.ts';
import type { Clock } from '../core/support/clock.ts';

/** A part of a body that is sent at once, or the way in which the body breaks off. */
export type BodyStep =
  /** `tokens` of the reply are paid for once the text has been taken. */
  | { readonly text: string; readonly tokens: number }
  /** `end`: as if it were complete; `socket`: the connection breaks; `stall`: nothing more comes. */
  | { readonly breaks: 'end' | 'socket' | 'stall' };

/** What the handler is about to answer. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly steps: readonly BodyStep[];
  /** Milliseconds before each token of the body; 0 where absent. */
  readonly pace?: number;
  /** Called once, with the tokens that were sent, when the body is over or nobody reads it any more. */
  readonly ended?: (tokens: number) => void;
}

export function jsonResponse(value: unknown): HttpResponse {
  return textResponse(200, JSON.stringify(value), 'application/json');
}

export function textResponse(status: number, text: string, type: string): HttpResponse {
  const steps = text === '' ? [] : [{ text, tokens: 0 }];
  return { status, headers: { 'content-type': type }, steps };
}

export function errorResponse(error: ApiError): HttpResponse {
  const answer = textResponse(error.status, error.body(), 'application/json');
  return { ...answer, headers: { ...answer.headers, ...error.headers } };
}

/**
 * The body of an answer, made while it is read, step by step. It errors with the reason of the
 * request's signal once that aborts, and tells once when it is over.
 */
class HttpResponseBody {
  readonly #answer: HttpResponse;
  readonly #clock: Clock;
  readonly #ended: (aborted: boolean) => void;
  readonly #over = new AbortController();
  readonly #encoder = new TextEncoder();
  #position = 0;
  #sent = 0;

  constructor(answer: HttpResponse, clock: Clock, ended: (aborted: boolean) => void) {
    this.#answer = answer;
    this.#clock = clock;
    this.#ended = ended;
  }

  /** Settles when there is something to read, or the end; never while the body stalls. */
  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const step = this.#answer.steps[this.#position] ?? { breaks: 'end' };
    this.#position += 1;
    if ('breaks' in step) {
      await this.#break(controller, step.breaks);
      return;
    }
    await this.#pause((this.#answer.pace ?? 0) * step.tokens);
    if (this.#over.signal.aborted) return;
    this.#sent += step.tokens;
    controller.enqueue(this.#encoder.encode(step.text));
  }

  end(aborted: boolean): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#answer.ended?.(this.#sent);
    this.#ended(aborted);
  }

  async #break(
    controller: ReadableStreamDefaultController<Uint8Array>,
    how: 'end' | 'socket' | 'stall',
  ): Promise<void> {
    if (how === 'stall') await new Promise(() => undefined);
    if (how === 'socket') controller.error(new TypeError('terminated'));
    else controller.close();
    this.end(false);
  }

  async #pause(milliseconds: number): Promise<void> {
    if (milliseconds <= 0) return;
    await sleep(this.#clock, milliseconds, this.#over.signal).catch(() => undefined);
  }
}

/** A stream of {@link AnswerBody}. `ended` is called once, however it comes to its end. */
export function bodyOf(
  answer: HttpResponse,
  clock: Clock,
  request: Request,
  ended: (aborted: boolean) => void,
): ReadableStream<Uint8Array> {
  const leaving = new AbortController();
  const body = new HttpResponseBody(answer, clock, (aborted) => {
    leaving.abort();
    ended(aborted);
  });
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const stop = (): void => {
          controller.error(request.signal.reason);
          body.end(true);
        };
        request.signal.addEventListener('abort', stop, { signal: leaving.signal });
      },
      pull: (controller) => body.pull(controller),
      cancel: () => body.end(true),
    },
    { highWaterMark: 0 },
  );
}

/** Why a request is not served: a status of section 7 with an error body of the OpenAI standard. */
interface ApiErrorDetails {
  readonly type?: string;
  /** The parameter that is to blame, for example `messages[0].role`. */
  readonly param?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown anywhere below the handler, which answers with it. */
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

  /** The JSON text that goes over the wire. */
  body(): string {
    const { type = defaultType(this.status), param = null, code = null } = this.#details;
    return JSON.stringify({ error: { message: this.message, type, param, code } });
  }
}

function defaultType(status: number): string {
  if (status === 402) return 'billing_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
