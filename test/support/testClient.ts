import { ServiceClient, type ClientOptions } from '../../src/core/service/client.ts';
import { demoKey } from '../../src/local/service.ts';
import { ManualClock } from './manualClock.ts';

/** A client of a service that answers as `fetch` does. */
export function testClient(
  fetch: typeof globalThis.fetch,
  options: Partial<ClientOptions> = {},
): ServiceClient {
  const clock = new ManualClock();
  const baseUrl = 'https://api.test/v1';
  return new ServiceClient({
    baseUrl,
    apiKey: demoKey,
    clock,
    silenceLimit: 30_000,
    fetch,
    ...options,
  });
}
