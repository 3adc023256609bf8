import { isObject, nonEmptyString, parseJson } from '../support/json.ts';
import { plainLine } from '../support/text.ts';

/** Maximum length of an error message that is quoted from a body, in characters. */
const quotedLength = 300;

/**
 * The kinds of errors between Aside and the service. The host turns a `kind` into a message and a
 * remedy; the error messages here are for logs and developers.
 */
export type ServiceErrorKind =
  /** A parameter is out of range; nothing was sent. */
  | 'invalid-request'
  /** The address is not a URL, or is plain http to another machine; nothing was sent. */
  | 'invalid-address'
  /** No API key is stored for this origin; nothing was sent. */
  | 'missing-key'
  /** No model is selected; nothing was sent. */
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
  /** Any other status that is not a success. */
  | 'unexpected-status'
  /** A redirect, which is never followed: `detail` is the target host. */
  | 'redirected'
  /** A successful response whose body is neither a stream nor a completion. */
  | 'unexpected-reply'
  /** The reply ended without any text. */
  | 'empty-reply'
  /** The stream contained an error instead of a reply. */
  | 'in-stream'
  /** The connection broke, or the stream ended without a finish reason or `[DONE]`. */
  | 'cut'
  /** No data was received for too long. */
  | 'timeout'
  /** The connection could not be established. */
  | 'network';

/** What is known about a {@link ServiceError}. */
export interface ServiceErrorDetails {
  readonly status?: number | undefined;
  /** The service's error message, at most 300 characters. */
  readonly detail?: string | undefined;
  /** The service's error code, if it sent one. */
  readonly code?: string | number | undefined;
  /** Milliseconds that the service asked to wait. */
  readonly retryAfter?: number | undefined;
  /** The service's identifier of this request, for its support. */
  readonly requestId?: string | undefined;
  /** Host that the request was sent to. */
  readonly host?: string | undefined;
  readonly cause?: unknown;
}

/** An error reported by the service, or of the connection to it. */
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

/** Maps an HTTP status to a kind of error (section 7). */
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

/** An error as reported by a service. The format is not part of the interface (section 7). */
interface ErrorReport {
  readonly message: string;
  readonly code: string | number | undefined;
}

/**
 * Finds the message in an error body: `error` as an object or a string, `message`, `detail` (a
 * string or a list with `msg`), `errors`; otherwise the title of an HTML page or the text itself.
 * Empty for an empty body.
 */
export function readErrorBody(body: string): ErrorReport {
  const report = readErrorObject(parseJson(body));
  if (report !== undefined) return { ...report, message: clip(report.message) };
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1];
  return { message: clip(title ?? body), code: undefined };
}

/** The error in a parsed body or stream event; undefined if there is none. */
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

/** Reduces a text to one line without control characters, and truncates it. */
function clip(text: string): string {
  const line = plainLine(text);
  return line.length > quotedLength ? `${line.slice(0, quotedLength)}…` : line;
}
