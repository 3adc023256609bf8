import { demoKey, localModels } from './models.ts';

/** What a client needs to talk to a service of its own in this process. */
export interface Demo {
  /** An address that exists nowhere else. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: typeof fetch;
  /** Ids of its models; the first answers where no other is chosen. */
  readonly models: readonly string[];
}

/** The service itself is made when it is first asked. */
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
