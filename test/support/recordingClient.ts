import type { Usage } from '../../src/core/conversation/usage.ts';
import { meteredClient, type Admission } from '../../src/core/service/budget.ts';
import type { Client } from '../../src/core/service/client.ts';
import type { CompletionRequest } from '../../src/core/service/wire.ts';
import { RequestUsage, type TokenMeter } from '../../src/core/turn/requestUsage.ts';

/** Four characters a token. */
const plainMeter: TokenMeter = {
  estimate: (_, characters) => Math.ceil(characters / 4),
  learn: () => undefined,
};

/** An admission that changes nothing but what is given. */
export function admissionOf(request: CompletionRequest, more: Partial<Admission> = {}): Admission {
  return {
    request,
    isSpent: false,
    sendAgain: () => Promise.resolve(),
    observe: () => undefined,
    note: () => undefined,
    instead: () => undefined,
    end: () => undefined,
    ...more,
  };
}

/** A client that tells the usage of each request that was billed. */
export function recordingClient(client: Client, record: (usage: Usage) => void): Client {
  return meteredClient(client, (request) => {
    const used = new RequestUsage(request, plainMeter);
    let usage: Usage | undefined;
    return Promise.resolve(
      admissionOf(request, {
        observe(event) {
          used.observe(event);
          if (event.type === 'end') usage = used.ofCompletion(event.completion);
          return undefined;
        },
        end(error, signal) {
          const sum =
            usage ?? used.ofFailure(error, error === undefined || signal?.aborted === true);
          if (sum.requests > 0) record(sum);
        },
      }),
    );
  });
}
