import type { Usage } from '../../src/core/conversation/usage.ts';
import type { Client } from '../../src/core/service/client.ts';
import { meteredClient, type Admission } from '../../src/core/service/meteredClient.ts';
import type { CompletionRequest } from '../../src/core/service/wire.ts';
import { plainMeter } from './countedClient.ts';

/** An admission that changes nothing by default. */
export function admissionOf(request: CompletionRequest, more: Partial<Admission> = {}): Admission {
  return {
    request,
    isLimited: false,
    maxTokens: Infinity,
    hiddenTokens: 0,
    exceeded: () => new Error('over'),
    sendAgain: () => Promise.resolve(),
    note: () => undefined,
    end: () => undefined,
    ...more,
  };
}

/** A client that reports the usage of each billed request. */
export function recordingClient(client: Client, record: (usage: Usage) => void): Client {
  return meteredClient(client, {
    meter: plainMeter(),
    admit: (request) =>
      Promise.resolve(
        admissionOf(request, {
          end(usage) {
            if (usage.requests > 0) record(usage);
          },
        }),
      ),
  });
}
