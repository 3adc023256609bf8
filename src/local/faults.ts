/**
 * What may go wrong on purpose. A test pushes a fault on `service.faults`, where it holds for the
 * next request that it fits. A person asks for one in the text of a message: `/fault NAME` or
 * `/fault NAME NUMBER` in its last paragraph; NAME is a `kind` below, or a status such as 503.
 */
export type ApiEndpoint = 'models' | 'completions';

/** Faults of a reply on its way. `after` counts characters of its text (by hand: NUMBER). */
export type ReplyFault =
  /** The body ends there, without a finish reason and without `[DONE]`. */
  | { readonly kind: 'cut'; readonly after: number }
  /** The connection breaks there. */
  | { readonly kind: 'socket'; readonly after: number }
  /** Nothing more comes from there on, until the request is aborted. */
  | { readonly kind: 'stall'; readonly after: number }
  /** An event that is no JSON comes in between; the reply goes on. */
  | { readonly kind: 'malformed'; readonly after: number }
  /** An error object comes in place of the rest. */
  | { readonly kind: 'error'; readonly after: number; readonly message?: string }
  /** Milliseconds for each token (by hand: NUMBER, 250 without). */
  | { readonly kind: 'slow'; readonly pace: number }
  /** No usage is reported. */
  | { readonly kind: 'no-usage' }
  /** A reply without any text. */
  | { readonly kind: 'empty' };

/** Faults in place of a reply. */
export type ResponseFault =
  /** Any status, for example 402, 429 or 503; `retryAfter` in seconds, or text as it is sent. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly message?: string;
      readonly retryAfter?: number | string;
    }
  /** Status 200 and a web page. */
  | { readonly kind: 'html' }
  /** Status 200 and no body. */
  | { readonly kind: 'blank' }
  /** To another address, 307 where no status is given. */
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: number }
  /** Not even the status comes, until the request is aborted. */
  | { readonly kind: 'silence' }
  /** No connection: the handler rejects as `fetch` does, a server breaks the connection. */
  | { readonly kind: 'refused' };

export type Fault = (ReplyFault | ResponseFault) & {
  /** How many requests it holds for: 1 where absent (by hand, in place of a response: NUMBER, or always). */
  readonly times?: number;
  /** Where it holds; a reply's fault waits for a completion in any case. */
  readonly on?: ApiEndpoint;
};

const responseKinds: readonly string[] = [
  'status',
  'html',
  'blank',
  'redirect',
  'silence',
  'refused',
];

export function isResponseFault(fault: ReplyFault | ResponseFault): fault is ResponseFault {
  return responseKinds.includes(fault.kind);
}

/** The faults that wait for their requests, first come, first served. */
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

  /** The first fault that fits, which is then used up by one. */
  next(endpoint: ApiEndpoint): Fault | undefined {
    const index = this.#waiting.findIndex((fault) => fits(fault, endpoint));
    const fault = this.#waiting[index];
    if (fault === undefined) return undefined;
    const left = (fault.times ?? 1) - 1;
    this.#waiting = this.#waiting.flatMap((one, at) => {
      if (at !== index) return [one];
      return left > 0 ? [{ ...one, times: left }] : [];
    });
    return fault;
  }
}

function fits(fault: Fault, endpoint: ApiEndpoint): boolean {
  if (!isResponseFault(fault) && endpoint === 'models') return false;
  return fault.on === undefined || fault.on === endpoint;
}

const asked = /(?<=^|\s)\/fault\s+([a-z-]+|\d{3})(?:\s+(\d+))?(?=\s|$)/i;

/** The text without the requests for faults in it; a question about faults where that was all. */
export function withoutFaultCommands(text: string): string {
  if (!asked.test(text)) return text;
  return text.replaceAll(new RegExp(asked, 'gi'), '').trim() || 'Show the faults.';
}

/**
 * The faults that people ask for in their messages, in the last paragraph: a client may put a
 * question that failed in front of the next one, which is then to succeed. One with a number of times counts by the text
 * that asks for it: `/fault 503 2` fails twice, the third request is answered, and then anew.
 */
export class RequestedFaults {
  readonly #counts = new Map<string, number>();

  next(text: string): Fault | undefined {
    const [match, name = '', number] = asked.exec(lastParagraph(text)) ?? [];
    if (match === undefined) return undefined;
    const fault = faultOf(name.toLowerCase(), number === undefined ? undefined : Number(number));
    return fault?.times === undefined || this.#holds(text, fault.times) ? fault : undefined;
  }

  #holds(text: string, times: number): boolean {
    const count = this.#counts.get(text) ?? 0;
    if (count < times) this.#counts.set(text, count + 1);
    else this.#counts.delete(text);
    return count < times;
  }
}

function lastParagraph(text: string): string {
  return (
    text
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1) ?? ''
  );
}

function faultOf(name: string, number: number | undefined): Fault | undefined {
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
    case 'blank':
    case 'silence':
    case 'refused':
      return { kind: name, ...times };
    case 'redirect':
      return { kind: name, location: 'https://elsewhere.example/v1/chat/completions', ...times };
    default:
      return statusFault(Number(name), times);
  }
}

function statusFault(status: number, times: { times?: number }): Fault | undefined {
  if (!(status >= 400 && status < 600)) return undefined;
  const retryAfter = status === 429 ? { retryAfter: 3 } : {};
  return { kind: 'status', status, ...retryAfter, ...times };
}
