/**
 * What can go wrong between Aside and the service. `kind` is what the host turns into words and a
 * remedy; the messages here are for logs and developers.
 */
export type ServiceErrorKind =
  /** A parameter is out of its range; nothing was sent. */
  | 'invalid-request'
  /** The address is no URL, or plain http to another machine; nothing was sent. */
  | 'invalid-address'
  /** There is no key for this origin; nothing was sent. */
  | 'missing-key'
  /** No model was chosen; nothing was sent. */
  | 'missing-model'
  /** 400 */
  | 'bad-request'
  /** 401 */
  | 'unauthorized'
  /** 402 */
  | 'insufficient-balance'
  /** 403 */
  | 'forbidden'
  /** 404 */
  | 'not-found'
  /** 429 */
  | 'rate-limited'
  /** 500 and above */
  | 'server-error'
  /** Any other status that is no success. */
  | 'unexpected-status'
  /** A redirect, which is never followed: `detail` is the host it named. */
  | 'redirected'
  /** A success whose body is neither a stream nor a completion. */
  | 'unexpected-reply'
  /** The reply came to its end without a word. */
  | 'empty-reply'
  /** The stream brought an error instead of an answer. */
  | 'in-stream'
  /** The stream broke or ended before its end was said. */
  | 'cut'
  /** Nothing came for too long. */
  | 'timeout'
  /** No connection. */
  | 'network';

export interface ServiceErrorDetails {
  readonly status?: number | undefined;
  /** The service's own words, at most 300 characters. */
  readonly detail?: string | undefined;
  /** The service's own code of the error, where it sent one. */
  readonly code?: string | number | undefined;
  /** Milliseconds that the service asked to wait. */
  readonly retryAfter?: number | undefined;
  /** The service's name for this request, for its support. */
  readonly requestId?: string | undefined;
  /** Host of the address that was called. */
  readonly host?: string | undefined;
  readonly cause?: unknown;
}

/** An error of the service or of the way to it. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly kind: ServiceErrorKind;
  readonly status: number | undefined;
  readonly detail: string | undefined;
  readonly code: string | number | undefined;
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;
  readonly host: string | undefined;

  constructor(kind: ServiceErrorKind, message: string, details: ServiceErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.status = details.status;
    this.detail = details.detail;
    this.code = details.code;
    this.retryAfter = details.retryAfter;
    this.requestId = details.requestId;
    this.host = details.host;
  }
}

/** The kind of an HTTP status (section 7). */
export function kindOfStatus(status: number): ServiceErrorKind {
  switch (status) {
    case 400:
    case 422:
      return 'bad-request';
    case 401:
      return 'unauthorized';
    case 402:
      return 'insufficient-balance';
    case 403:
      return 'forbidden';
    case 404:
      return 'not-found';
    case 429:
      return 'rate-limited';
    default:
      return status >= 500 ? 'server-error' : 'unexpected-status';
  }
}
