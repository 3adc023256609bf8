import type { Usage } from '../../src/core/conversation/usage.ts';
import type { ClientOptions } from '../../src/core/service/client.ts';
import { admitAny, type Admission, type TokenMeter } from '../../src/core/service/requestUsage.ts';
import type { CompletionRequest } from '../../src/core/service/wire.ts';

/** A meter with a fixed ratio. */
export function meterOf(charactersPerToken: number): TokenMeter {
  return {
    estimate: (_, characters) => Math.ceil(characters / charactersPerToken),
    learn: () => undefined,
  };
}

/** An admission without a limit, but for what is given. */
export async function admissionOf(
  request: CompletionRequest,
  more: Partial<Admission>,
): Promise<Admission> {
  return { ...(await admitAny(request)), ...more };
}

/** Admits every request, and reports the usage of each that is billed. */
export function recordUsage(record: (usage: Usage) => void): Pick<ClientOptions, 'admit'> {
  return {
    admit: (request) =>
      admissionOf(request, {
        end(usage) {
          if (usage.requests > 0) record(usage);
        },
      }),
  };
}
