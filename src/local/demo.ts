import { demoHost } from '../core/service/address.ts';
import { demoKey, localModels } from './models.ts';

/** Access to the demo service in this process for a client. */
export interface Demo {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: typeof fetch;
  /** Ids of its models; the first is the default. */
  readonly models: readonly string[];
  /**
   * Says of which starter a message is. The demo knows only English, and the message is in the
   * language of VS Code.
   */
  readonly noteStarter: (message: string, starter: string) => void;
}

/** Creates the demo. The service itself is created at the first request. */
export function createDemo(): Demo {
  const starters = new Map<string, string>();
  let service: Promise<typeof fetch> | undefined;
  return {
    baseUrl: `https://${demoHost}/v1`,
    apiKey: demoKey,
    fetch: async (input, init) => {
      service ??= import('./service.ts').then(({ createService, localFetch }) =>
        localFetch(
          createService({ listsFacts: true, starterOf: (message) => starters.get(message) }),
        ),
      );
      return (await service)(input, init);
    },
    models: localModels.map((model) => model.id),
    noteStarter: (message, starter) => starters.set(message, starter),
  };
}
