import type { ServiceError } from './errors.ts';
import { isPassing } from './networkCause.ts';

/** How often a request is sent at most, the first time included (section 7). */
export const maxAttempts = 4;

/** The longest wait, in milliseconds, that a service may ask for before Aside asks the person. */
const longestWait = 60_000;

/**
 * How many milliseconds to wait before the attempt after `attempt` (counted from 1), or undefined
 * where none may follow. Only asked while nothing of a reply was received: a reply that has begun
 * is paid for and is never asked for again by itself.
 */
export function retryDelay(error: ServiceError, attempt: number): number | undefined {
  if (attempt >= maxAttempts || !isTransient(error)) return undefined;
  if (error.retryAfter === undefined) return 1000 * 2 ** (attempt - 1);
  return error.retryAfter <= longestWait ? error.retryAfter : undefined;
}

function isTransient(error: ServiceError): boolean {
  if (error.kind === 'network') return isPassing(error);
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
