import { demoKey, localModels } from './models.ts';

/** Access to the demo service in this process for a client. */
export interface Demo {
  /** An address that does not exist elsewhere. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: typeof fetch;
  /** Ids of its models; the first is the default. */
  readonly models: readonly string[];
}

/** Creates the demo. The service itself is created at the first request. */
export function createDemo(): Demo {
  let service: Promise<typeof fetch> | undefined;
  return {
    baseUrl: 'https://demo.invalid/v1',
    apiKey: demoKey,
    fetch: async (input, init) => (await (service ??= startService()))(input, init),
    models: localModels.map((model) => model.id),
  };
}

async function startService(): Promise<typeof fetch> {
  const { startDemo } = await import('./demoService.ts');
  return startDemo();
}
