import { isObject, nonEmptyString, parseJson } from '../support/json.ts';
import { plainLine } from '../support/text.ts';

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

/** What a service said about an error. The shape is not part of the interface (section 7). */
interface ErrorReport {
  readonly message: string;
  readonly code: string | number | undefined;
}

/** How much of a body is quoted where it holds no message. */
const quotedLength = 300;

/**
 * Finds the message in an error body: `error` as an object or a string, `message`, `detail` (a
 * string or a list with `msg`), `errors`; else the text itself, a page by its title. Empty for an
 * empty body.
 */
export function readErrorBody(body: string): ErrorReport {
  const report = readErrorObject(parseJson(body));
  if (report !== undefined) return { ...report, message: clip(report.message) };
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1];
  return { message: clip(title ?? body), code: undefined };
}

/** The error in a parsed body or stream event; undefined where it holds none. */
export function readErrorObject(value: unknown): ErrorReport | undefined {
  if (Array.isArray(value)) return value.map(readErrorObject).find((found) => found !== undefined);
  if (!isObject(value)) return undefined;
  const error = value['error'];
  if (typeof error === 'string') return { message: error, code: readCode(value['code']) };
  if (isObject(error)) return readInner(error);
  if (value['object'] === 'error' || value['choices'] === undefined) return readMessage(value);
  return undefined;
}

function readInner(error: Readonly<Record<string, unknown>>): ErrorReport {
  const nested = isObject(error['error']) ? readMessage(error['error']) : undefined;
  const report = readMessage(error) ?? nested;
  return report ?? { message: clip(JSON.stringify(error)), code: readCode(error['code']) };
}

function readMessage(value: Readonly<Record<string, unknown>>): ErrorReport | undefined {
  const message =
    nonEmptyString(value['message']) ?? readDetail(value['detail']) ?? readDetail(value['errors']);
  return message === undefined ? undefined : { message, code: readCode(value['code']) };
}

function readDetail(detail: unknown): string | undefined {
  if (!Array.isArray(detail)) return nonEmptyString(detail);
  const found: unknown = detail[0];
  if (!isObject(found)) return nonEmptyString(found);
  return nonEmptyString(found['msg']) ?? nonEmptyString(found['message']);
}

function readCode(code: unknown): string | number | undefined {
  return typeof code === 'string' || typeof code === 'number' ? code : undefined;
}

/** One line of a length that fits a message. */
function clip(text: string): string {
  const line = plainLine(text);
  return line.length > quotedLength ? `${line.slice(0, quotedLength)}…` : line;
}
