import { ServiceError } from '../../core/service/errors.ts';
import type { Model } from '../../core/service/wire.ts';
import type { Endpoint } from './connection.ts';
import type { ReadModels } from './readModels.ts';

/** What one GET /models tells of an address and a key. */
export type KeyVerdict =
  | { readonly kind: 'accepted'; readonly models: readonly Model[] }
  /** The service knows the key, and has another reason not to answer now. */
  | { readonly kind: 'accepted-with-error'; readonly error: ServiceError }
  | { readonly kind: 'refused'; readonly error: ServiceError }
  /** Neither yes nor no. */
  | { readonly kind: 'unknown'; readonly error: unknown };

/** Asks the service about a key. Rejects only when the signal aborts. */
export async function judgeKey(
  endpoint: Endpoint,
  readModels: ReadModels,
  signal: AbortSignal,
): Promise<KeyVerdict> {
  try {
    return { kind: 'accepted', models: await readModels(endpoint, signal) };
  } catch (error) {
    if (signal.aborted) throw error;
    if (!(error instanceof ServiceError)) return { kind: 'unknown', error };
    return judgeError(error);
  }
}

function judgeError(error: ServiceError): KeyVerdict {
  switch (error.kind) {
    case 'unauthorized':
    case 'forbidden':
      return { kind: 'refused', error };
    case 'insufficient-balance':
    case 'rate-limited':
      return { kind: 'accepted-with-error', error };
    default:
      return { kind: 'unknown', error };
  }
}
