import { background } from '../../src/core/support/background.ts';
import type { Client } from '../../src/core/service/client.ts';
import { LearnedFactStore } from '../../src/core/service/learnedFacts.ts';
import { meteredClient } from '../../src/core/service/meteredClient.ts';
import type { TokenMeter } from '../../src/core/service/requestUsage.ts';

/** A meter with a fixed ratio. */
export function plainMeter(charactersPerToken = 4): TokenMeter {
  return {
    estimate: (_, characters) => Math.ceil(characters / charactersPerToken),
    learn: () => undefined,
  };
}

/** A client that counts its requests, admits each, and learns from the replies. */
export function countedClient(
  client: Client,
  meter = plainMeter(),
  learned = new LearnedFactStore(),
): Client {
  const { origin } = client.address;
  return meteredClient(client, {
    meter,
    facts: () => learned.of(origin, ''),
    onLearned: (facts) => background(learned.learn(origin, '', facts)),
  });
}
