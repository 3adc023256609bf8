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

/**
 * Creates the demo. The service itself is created at the first request.
 * @param readTranslation reads the file with its texts in the person's language, if there is one
 */
export function createDemo(readTranslation: () => Promise<unknown>): Demo {
  let service: Promise<typeof fetch> | undefined;
  return {
    baseUrl: 'https://demo.invalid/v1',
    apiKey: demoKey,
    fetch: async (input, init) => (await (service ??= startService(readTranslation)))(input, init),
    models: localModels.map((model) => model.id),
  };
}

async function startService(readTranslation: () => Promise<unknown>): Promise<typeof fetch> {
  const [{ startDemo }, translation] = await Promise.all([
    import('./demoService.ts'),
    readTranslation(),
  ]);
  return startDemo(translation);
}
