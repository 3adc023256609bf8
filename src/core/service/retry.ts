import type { ServiceError } from './errors.ts';

/** How often a request is sent at most, the first time included (section 7). */
export const maxAttempts = 4;

/** The longest wait, in milliseconds, that a service may ask for before Aside asks the person. */
const maxWait = 60_000;

/**
 * How many milliseconds to wait before the attempt after `attempt` (counted from 1), or undefined
 * where none may follow. Only asked while nothing of a reply was received: a reply that has begun
 * is paid for and is never asked for again by itself.
 */
export function retryDelay(error: ServiceError, attempt: number): number | undefined {
  if (attempt >= maxAttempts || !isTransient(error)) return undefined;
  if (error.retryAfter === undefined) return 1000 * 2 ** (attempt - 1);
  return error.retryAfter <= maxWait ? error.retryAfter : undefined;
}

function isTransient(error: ServiceError): boolean {
  if (error.kind === 'network') return isTransientCause(error);
  return error.kind === 'rate-limited' || error.kind === 'server-error';
}

/**
 * The milliseconds that a `Retry-After` header asks for: seconds, or a date. Undefined where it is
 * absent, negative, past or unreadable.
 */
export function parseRetryAfter(header: string | null, wallTime: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  // `Date.parse` alone also reads "-1" and "x 5" as dates.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value)) return undefined;
  const wait = Date.parse(value) - wallTime;
  return wait >= 0 ? wait : undefined;
}

/** What lies behind a connection that did not come about or broke. */
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

/** Codes of Node's sockets and TLS, of undici, and of Chromium where VS Code's fetch runs on it. */
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

/** Looks for the cause through the whole chain of causes, the outermost telling one first. */
export function networkCause(error: unknown): NetworkCause {
  for (const one of chainOf(error)) {
    const text = `${codeOf(one)} ${one.message}`;
    const found = patterns.find(([pattern]) => pattern.test(text));
    if (found !== undefined) return found[1];
  }
  return 'unknown';
}

/**
 * Causes that trying again in a few seconds may mend. A name that is not found and a way that is
 * not there are mostly a machine that is offline, and a person is told of that at once.
 */
const passing: readonly NetworkCause[] = ['refused', 'broken', 'unknown'];

/** Whether a connection that failed like this may come about a moment later. */
function isTransientCause(error: unknown): boolean {
  return passing.includes(networkCause(error));
}

/** An error, what caused it, and so on; a deep or circular chain is cut. */
export function chainOf(error: unknown, depth = 8): Error[] {
  if (!(error instanceof Error) || depth === 0) return [];
  const siblings: unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error, ...[...siblings, error.cause].flatMap((one) => chainOf(one, depth - 1))];
}

/** The code that the platform gave an error, for example `ECONNREFUSED`; empty where it gave none. */
export function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
