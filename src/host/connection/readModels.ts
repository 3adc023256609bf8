import { createClient } from '../../core/service/client.ts';
import type { Model } from '../../core/service/wire.ts';
import { systemClock } from '../../core/support/clock.ts';
import type { Endpoint } from './connection.ts';

/** Reads the models that a key may use. Tries once, since a person waits and can try again. */
export type ReadModels = (endpoint: Endpoint, signal: AbortSignal) => Promise<readonly Model[]>;

/** @param silenceSeconds `aside.requestTimeoutSeconds` as it is now. */
export function modelReader(silenceSeconds: () => number): ReadModels {
  return ({ baseUrl, apiKey, fetch }, signal) => {
    const silenceLimit = silenceSeconds() * 1000;
    const client = createClient({ baseUrl, apiKey, fetch, clock: systemClock, silenceLimit });
    return client.listModels({ signal, attempts: 1 });
  };
}
