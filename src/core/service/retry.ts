import type { ServiceError } from './errors.ts';

/** Maximum number of attempts, including the first (section 7). */
export const maxAttempts = 4;

/**
 * Longest wait, in milliseconds, that a service may request; for longer ones the person is asked.
 */
const maxWait = 60_000;

/**
 * Milliseconds to wait before the attempt that follows `attempt` (counted from 1), or undefined if
 * there is none. Only called while nothing of a reply was received: a reply that has begun is paid
 * for and is never requested again automatically.
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
 * Parses a `Retry-After` header, seconds or a date, into milliseconds. Undefined if it is absent,
 * negative, past or invalid.
 */
export function parseRetryAfter(header: string | null, wallTime: number): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  // `Date.parse` alone also accepts "-1" and "x 5" as dates.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value)) return undefined;
  const wait = Date.parse(value) - wallTime;
  return wait >= 0 ? wait : undefined;
}

/** Why a connection could not be established or broke. */
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

/** Finds the cause in the whole chain of causes; the outermost recognized one counts. */
export function networkCause(error: unknown): NetworkCause {
  for (const link of chainOf(error)) {
    const text = `${codeOf(link)} ${link.message}`;
    const match = patterns.find(([pattern]) => pattern.test(text));
    if (match !== undefined) return match[1];
  }
  return 'unknown';
}

/**
 * Causes that may be gone a few seconds later. An unknown name or an unreachable host usually means
 * that the machine is offline, which is reported at once.
 */
const transientCauses: readonly NetworkCause[] = ['refused', 'broken', 'unknown'];

/** Whether a connection with this error may succeed a moment later. */
function isTransientCause(error: unknown): boolean {
  return transientCauses.includes(networkCause(error));
}

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
