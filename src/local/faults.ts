import {
  errorResponse,
  textResponse,
  ApiError,
  type BodyStep,
  type HttpResponse,
} from './httpResponse.ts';
import type { Delta } from './completionsEndpoint.ts';

/*
 * Simulated faults. A test pushes a fault to `service.faults`, where it applies to the next
 * matching request. A person requests one in a message: `/fault NAME` or `/fault NAME NUMBER` in
 * its last paragraph; NAME is a `kind` below, or a status such as 503.
 */

export type ApiEndpoint = 'models' | 'completions';

/** Faults within a reply. `after` counts characters of its text (in a message: NUMBER). */
export type ReplyFault =
  /** The body ends there, without a finish reason and without `[DONE]`. */
  | { readonly kind: 'cut'; readonly after: number }
  /** The connection breaks there. */
  | { readonly kind: 'socket'; readonly after: number }
  /** No more data is sent from there on, until the request is aborted. */
  | { readonly kind: 'stall'; readonly after: number }
  /** An event with invalid JSON is inserted; the reply continues. */
  | { readonly kind: 'malformed'; readonly after: number }
  /** An error object replaces the rest. */
  | { readonly kind: 'error'; readonly after: number; readonly message?: string }
  /** Milliseconds per token (in a message: NUMBER, default 250). */
  | { readonly kind: 'slow'; readonly pace: number }
  | { readonly kind: 'no-usage' }
  /** A reply without any text. */
  | { readonly kind: 'empty' };

/** Faults that replace the reply. */
export type ResponseFault =
  /** Any status, for example 402, 429 or 503; `retryAfter` in seconds, or the text to send. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly message?: string;
      readonly code?: string;
      readonly retryAfter?: number | string;
    }
  /** Status 200 and a web page. */
  | { readonly kind: 'html' }
  /** Nothing is sent, not even a status, until the request is aborted. */
  | { readonly kind: 'silence' }
  /** No connection: the handler rejects as `fetch` does, a server breaks the connection. */
  | { readonly kind: 'refused' };

/** A fault, with its number of requests and its endpoint. */
export type Fault = (ReplyFault | ResponseFault) & {
  /**
   * Number of requests that it applies to: by default 1 (in a message, for faults that replace the
   * reply: NUMBER, by default all).
   */
  readonly times?: number;
  /** The endpoint that it applies to; faults within a reply apply only to completions. */
  readonly on?: ApiEndpoint;
};

const responseKinds: readonly string[] = ['status', 'html', 'silence', 'refused'];

/** True if a fault replaces the reply. */
export function isResponseFault(fault: ReplyFault | ResponseFault): fault is ResponseFault {
  return responseKinds.includes(fault.kind);
}

/** Faults that wait for matching requests, in order. */
export class FaultQueue {
  #waiting: readonly Fault[] = [];

  push(...faults: readonly Fault[]): void {
    this.#waiting = [...this.#waiting, ...faults];
  }

  clear(): void {
    this.#waiting = [];
  }

  get length(): number {
    return this.#waiting.length;
  }

  /**
   * Returns the first fault that applies to the endpoint, and decrements its number of requests.
   */
  next(endpoint: ApiEndpoint): Fault | undefined {
    const index = this.#waiting.findIndex(
      (fault) =>
        (endpoint !== 'models' || isResponseFault(fault)) &&
        (fault.on === undefined || fault.on === endpoint),
    );
    const fault = this.#waiting[index];
    if (fault === undefined) return undefined;
    const timesLeft = (fault.times ?? 1) - 1;
    this.#waiting = this.#waiting.flatMap((waiting, at) => {
      if (at !== index) return [waiting];
      return timesLeft > 0 ? [{ ...waiting, times: timesLeft }] : [];
    });
    return fault;
  }
}

const faultCommand = /(?<=^|\s)\/fault\s+([a-z-]+|\d{3})(?:\s+(\d+))?(?=\s|$)/i;

export function withoutFaultCommands(text: string): string {
  return text.replaceAll(new RegExp(faultCommand, 'gi'), '').trim();
}

/**
 * Faults requested in messages, in the last paragraph: a client may prepend a failed message to the
 * next one, which should succeed. A number of times is counted by message text: `/fault 503 2`
 * fails twice, the third request succeeds, and then it starts again.
 */
export class RequestedFaults {
  readonly #counts = new Map<string, number>();

  next(text: string): Fault | undefined {
    const [lastParagraph = ''] = text
      .trimEnd()
      .split(/\n\s*\n/)
      .slice(-1);
    const [match, name = '', number] = faultCommand.exec(lastParagraph) ?? [];
    if (match === undefined) return undefined;
    const fault = namedFault(name.toLowerCase(), number === undefined ? undefined : Number(number));
    if (fault?.times === undefined) return fault;
    const count = this.#counts.get(text) ?? 0;
    if (count < fault.times) this.#counts.set(text, count + 1);
    else this.#counts.delete(text);
    return count < fault.times ? fault : undefined;
  }
}

function namedFault(name: string, number: number | undefined): Fault | undefined {
  const times = number === undefined ? {} : { times: number };
  const after = number ?? 120;
  switch (name) {
    case 'cut':
    case 'socket':
    case 'stall':
    case 'malformed':
    case 'error':
      return { kind: name, after };
    case 'slow':
      return { kind: name, pace: number ?? 250 };
    case 'no-usage':
    case 'empty':
      return { kind: name };
    case 'html':
    case 'silence':
    case 'refused':
      return { kind: name, ...times };
    default: {
      const status = Number(name);
      if (!(status >= 400 && status < 600)) return undefined;
      return { kind: 'status', status, ...(status === 429 && { retryAfter: 3 }), ...times };
    }
  }
}

/**
 * The steps of a streamed reply: the deltas as chunks between opening and closing steps,
 * interrupted by the fault.
 */
export function interrupt(
  stream: {
    readonly opening: readonly BodyStep[];
    readonly deltas: readonly Delta[];
    readonly closing: readonly BodyStep[];
    readonly chunk: (delta: Delta) => BodyStep;
  },
  fault: ReplyFault | undefined,
): readonly BodyStep[] {
  const { opening, deltas, closing, chunk } = stream;
  if (fault === undefined || !('after' in fault))
    return [...opening, ...deltas.map(chunk), ...closing];
  // The deltas that fit completely, and the characters that are left for a part of the next one.
  let deltaCount = 0;
  let remaining = fault.after;
  for (const { content = '' } of deltas) {
    if (content.length > remaining) break;
    remaining -= content.length;
    deltaCount += 1;
  }
  const before = [...opening, ...deltas.slice(0, deltaCount).map(chunk)];
  if (fault.kind === 'malformed')
    return [...before, malformedEvent, ...deltas.slice(deltaCount).map(chunk), ...closing];
  const partialContent = deltas[deltaCount]?.content?.slice(0, remaining) ?? '';
  return [
    ...before,
    ...(partialContent === '' ? [] : [chunk({ content: partialContent })]),
    fault.kind === 'error'
      ? { text: `data: ${errorBody(fault)}\n\n`, tokens: 0 }
      : { breaks: breakOf(fault) },
  ];
}

const malformedEvent: BodyStep = {
  text: 'data: {"choices":[{"delta":{"content":"bro\n\n',
  tokens: 0,
};

function breakOf(fault: ReplyFault): 'end' | 'socket' | 'stall' {
  return fault.kind === 'socket' || fault.kind === 'stall' ? fault.kind : 'end';
}

function errorBody(fault: ReplyFault & { kind: 'error' }): string {
  const message = fault.message ?? 'Simulated error: the model stopped.';
  return JSON.stringify({ error: { message, type: 'server_error', param: null, code: 'fault' } });
}

/** The steps of a reply in one piece, for which `after` counts characters of JSON. */
export function interruptWhole(
  body: BodyStep & { text: string },
  fault: ReplyFault | undefined,
): readonly BodyStep[] {
  if (fault === undefined || !('after' in fault)) return [body];
  if (fault.kind === 'error') return [{ text: errorBody(fault), tokens: 0 }];
  const text = body.text.slice(0, fault.kind === 'malformed' ? -2 : fault.after);
  return [{ ...body, text }, { breaks: breakOf(fault) }];
}

const signInPage =
  '<!doctype html><title>Sign in</title><h1>Sign in to the network to continue</h1>';

/** The response of a fault; undefined if it sends no response. */
export function faultResponse(fault: ResponseFault): HttpResponse | undefined {
  switch (fault.kind) {
    case 'status': {
      const { status, retryAfter, code = 'fault' } = fault;
      const { message = `Simulated fault with status ${status}.` } = fault;
      const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
      return errorResponse(new ApiError(status, message, { code, headers }));
    }
    case 'html':
      return textResponse(200, signInPage, 'text/html');
    case 'silence':
    case 'refused':
      return undefined;
  }
}
