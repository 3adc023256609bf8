import type { Clock } from '../support/clock.ts';
import { isObject } from '../support/json.ts';
import type { ServiceError } from './errors.ts';
import { handlingOf } from './replyEnd.ts';

/** Maximum number of attempts, including the first (docs/service.md 7). */
export const maxAttempts = 4;

/** Longest wait, in milliseconds, that a service may request without asking the person. */
const maxWait = 60_000;

/**
 * Milliseconds to wait before the attempt after `attempt` (counted from 1); undefined if there is
 * none. The delay grows, or is what the service asks for if that is longer. Only for requests
 * without a response: a successful one is paid for and never repeated automatically.
 */
export function retryDelay(error: ServiceError, attempt: number): number | undefined {
  // These statuses may be temporary (docs/service.md 7).
  const isTransient =
    error.kind === 'rate-limited' ||
    error.kind === 'server-error' ||
    (handlingOf(error).retried && transientCauses.includes(networkCause(error)));
  if (attempt >= maxAttempts || !isTransient) return undefined;
  const delay = Math.max(1000 * 2 ** (attempt - 1), error.retryAfter ?? 0);
  return delay <= maxWait ? delay : undefined;
}

/**
 * A wait that a service demands: its end on the monotonic clock, and the refusal that started it.
 */
interface CoolDown {
  readonly until: number;
  readonly error: ServiceError;
}

/** Shorter waits, in milliseconds, are skipped: timers are less precise. */
const minWait = 20;

/**
 * The waits that services demand by status 429. All requests of a window to a service share them.
 */
export class CoolDowns {
  readonly #clock: Clock;
  readonly #byService = new Map<string, CoolDown>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Called when a request was refused and waits for `delay` milliseconds. */
  note(service: string, error: ServiceError, delay: number): void {
    if (error.kind !== 'rate-limited') return;
    const until = this.#clock.monotonic() + delay;
    if (until > (this.#byService.get(service)?.until ?? -Infinity))
      this.#byService.set(service, { until, error });
  }

  /** The remaining wait of requests to a service in milliseconds; undefined if there is none. */
  remaining(service: string): { readonly delay: number; readonly error: ServiceError } | undefined {
    const coolDown = this.#byService.get(service);
    if (coolDown === undefined) return undefined;
    const delay = coolDown.until - this.#clock.monotonic();
    if (delay >= minWait) return { delay, error: coolDown.error };
    this.#byService.delete(service);
    return undefined;
  }
}

/** Maximum wait in milliseconds, which keeps dates within range. */
const maxRetryAfter = 1e12;

/**
 * The wait that the headers of a response ask for, in milliseconds. Undefined if there is none, or
 * if it is negative, past or invalid.
 */
export function readRetryAfter(headers: Headers, wallTime: number): number | undefined {
  const wait =
    parseRetryAfter(headers.get('retry-after'), wallTime) ??
    firstNumber(headers.get('retry-after-ms') ?? '');
  return wait === undefined ? undefined : Math.min(wait, maxRetryAfter);
}

/**
 * Parses `Retry-After`: a date, or the first number as seconds, since it may be sent repeatedly.
 */
function parseRetryAfter(header: string | null, wallTime: number): number | undefined {
  const value = header?.trim() ?? '';
  // `Date.parse` alone also accepts "-1" and "x 5" as dates.
  const date = /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [^,]+|\d{4}-\d\d-\d\d[^,]*)/.exec(
    value,
  );
  if (date !== null) {
    const wait = Date.parse(date[0]) - wallTime;
    return wait >= 0 ? wait : undefined;
  }
  const seconds = firstNumber(value);
  return seconds === undefined ? undefined : seconds * 1000;
}

function firstNumber(text: string): number | undefined {
  const number = Number(/-?\d+(?:\.\d+)?/.exec(text)?.[0]);
  return number >= 0 ? number : undefined;
}

export type NetworkCause =
  | 'name-not-found'
  | 'refused'
  | 'offline'
  | 'unreachable'
  | 'certificate-expired'
  | 'certificate-host'
  | 'certificate-untrusted'
  | 'proxy-login'
  | 'broken'
  | 'unknown';

/**
 * Error codes of Node's sockets and TLS, of undici, and of Chromium, which VS Code's fetch may use.
 */
const patterns: readonly (readonly [RegExp, NetworkCause])[] = [
  [/\(407\)|\b(status 407|ERR_PROXY_AUTH\w*|ERR_UNEXPECTED_PROXY_AUTH)\b/, 'proxy-login'],
  [/\b(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|ERR_CERT_DATE_INVALID)\b/, 'certificate-expired'],
  [/\b(ERR_TLS_CERT_ALTNAME_INVALID|ERR_CERT_COMMON_NAME_INVALID)\b/, 'certificate-host'],
  [
    /SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ERR_CERT_|CERT_|ERR_SSL|\bEPROTO\b/,
    'certificate-untrusted',
  ],
  [/\b(ENOTFOUND|EAI_AGAIN|EAI_NODATA|ERR_NAME_NOT_RESOLVED)\b/, 'name-not-found'],
  [/\b(ECONNREFUSED|ERR_CONNECTION_REFUSED)\b/, 'refused'],
  [/\b(ENETDOWN|ENETUNREACH|ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED)\b/, 'offline'],
  [
    /\b(EHOSTUNREACH|ERR_ADDRESS_UNREACHABLE|\w*TIMEDOUT|\w*_TIMED_OUT|\w+_TIMEOUT)\b/,
    'unreachable',
  ],
  [/\b(ECONNRESET|EPIPE|UND_ERR_SOCKET|ERR_CONNECTION_(RESET|CLOSED|ABORTED))\b/, 'broken'],
];

/** The part of a response that makes it unreadable. */
export type UnreadableCause = 'encoding' | 'chunks' | 'headers';

const unreadablePatterns: readonly (readonly [RegExp, UnreadableCause])[] = [
  [/\b(Z_(DATA|STREAM)_ERROR|Z_NEED_DICT|ERR_CONTENT_DECODING\w*|ZSTD_\w+)\b/, 'encoding'],
  // Brotli names its errors `ERR__ERROR_FORMAT_…`, or only by the suffix.
  [/\b(ERR__ERROR\w*|ERR_(PADDING|DICTIONARY)\w*|Decompression failed)\b/, 'encoding'],
  [/\b(HPE_INVALID_CHUNK_SIZE|ERR_INVALID_CHUNKED_ENCODING|in chunk size)\b/, 'chunks'],
  [/\b(HPE_(?!INVALID_EOF_STATE)\w+|UND_ERR_HEADERS_OVERFLOW)\b/, 'headers'],
  [/\b(ERR_INVALID_HTTP_RESPONSE|ERR_RESPONSE_HEADERS_\w+)\b/, 'headers'],
  [/^ too many content-encodings/, 'encoding'],
  // Errors of undici's parser without a code.
  [/does not match the HTTP\/1\.1 protocol (?!\([^)]*EOF)/, 'headers'],
];

/** The cause of an unreadable response; undefined if the connection failed for another reason. */
export function unreadableCause(error: unknown): UnreadableCause | undefined {
  return findInChain(error, unreadablePatterns);
}

/** True if bytes of a response were received that aren't HTTP or can't be decoded. */
export function isUnreadable(error: unknown): boolean {
  return unreadableCause(error) !== undefined;
}

/**
 * Errors of undici when it gives up on a response's head. After a status, the same codes mean that
 * the body broke off.
 */
const unusableHeads: readonly (readonly [RegExp, true])[] = [
  [/^UND_ERR_RES_\w+ |^ERR_ASSERTION |^UND_ERR_SOCKET bad (response|upgrade)/, true],
];

/**
 * The end of a response that sent bytes, but no usable status; undefined if no bytes are known to
 * have arrived. A reused connection counts the bytes of earlier responses as well, so one that
 * breaks early counts as answered: the request may have been billed.
 */
export function answerBeforeStatus(error: unknown): 'unreadable' | 'broken' | undefined {
  if (findInChain(error, unusableHeads) === true) return 'unreadable';
  return chainOf(error).some(
    ({ socket }: SocketFailure) =>
      isObject(socket) && typeof socket['bytesRead'] === 'number' && socket['bytesRead'] > 0,
  )
    ? 'broken'
    : undefined;
}

/** An error of undici, with statistics of its socket. */
type SocketFailure = Error & { readonly socket?: unknown };

/** The first recognized cause in the chain of causes, outermost first. */
export function networkCause(error: unknown): NetworkCause {
  return findInChain(error, patterns) ?? 'unknown';
}

/** Maximum number of characters of an error message that are searched: it may quote the server. */
const maxMessageLength = 1000;

function findInChain<Cause>(
  error: unknown,
  causes: readonly (readonly [RegExp, Cause])[],
): Cause | undefined {
  for (const link of chainOf(error)) {
    const text = `${codeOf(link)} ${link.message.slice(0, maxMessageLength)}`;
    const match = causes.find(([pattern]) => pattern.test(text));
    if (match !== undefined) return match[1];
  }
  return undefined;
}

/**
 * Causes that may be temporary. An unknown name or an unreachable host usually means that the
 * machine is offline, which is reported immediately.
 */
const transientCauses: readonly NetworkCause[] = ['refused', 'broken', 'unknown'];

/** An error and its chain of causes; deep or circular chains are truncated. */
export function chainOf(error: unknown, depth = 8): Error[] {
  if (!(error instanceof Error) || depth === 0) return [];
  const siblings: unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error, ...[...siblings, error.cause].flatMap((link) => chainOf(link, depth - 1))];
}

/** The platform's code of an error, for example `ECONNREFUSED`; empty if it has none. */
export function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
