import { localFetch } from './localFetch.ts';
import { localModels } from './models.ts';
import { createService, demoKey } from './service.ts';

/** What a client needs to talk to a service of its own in this process. */
export interface Demo {
  /** An address that exists nowhere else. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: typeof fetch;
  /** Ids of its models; the first answers where no other is chosen. */
  readonly models: readonly string[];
}

export function createDemo(): Demo {
  return {
    baseUrl: 'https://demo.invalid/v1',
    apiKey: demoKey,
    fetch: localFetch(createService()),
    models: localModels.map((model) => model.id),
  };
}
