/**
 * What may go wrong on purpose. A test pushes a fault on `service.faults`, where it holds for the
 * next request that it fits. A person asks for one in the text of a message: `/fault NAME` or
 * `/fault NAME NUMBER` in its last paragraph; NAME is a `kind` below, or a status such as 503.
 */
export type Endpoint = 'models' | 'completions';

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
  readonly on?: Endpoint;
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
