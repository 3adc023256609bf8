import type { ModelFacts } from '../../core/service/modelFacts.ts';
import { background } from '../../core/support/background.ts';
import { anyEvent, type Disposable } from '../../core/support/event.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';
import type { Connection } from './connection.ts';
import type { ModelCatalog } from './modelCatalog.ts';

interface KnownModels {
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
}

interface ModelKnowledgeOptions extends KnownModels {
  readonly settings: Settings;
  readonly log: Log;
}

/** Passes model details to the settings, initially and on changes. */
export function followModelFacts(options: ModelKnowledgeOptions): Disposable {
  const { connection, catalog, settings } = options;
  const update = (): void => {
    const { isDemo, services } = connection;
    settings.setFacts(
      knownFacts(connection, (origin) => catalog.facts(origin)),
      isDemo ? undefined : services.names,
    );
    background(listDemo(options));
  };
  update();
  return anyEvent<unknown>(catalog.onDidChange, connection.onDidChange)(update);
}

/** Reads the demo's model list when the demo is chosen, for prices and limits. */
async function listDemo({ connection, catalog, log }: ModelKnowledgeOptions): Promise<void> {
  const { isDemo, origin = '' } = connection;
  if (!isDemo || catalog.list(origin) !== undefined) return;
  try {
    await catalog.refresh(await connection.endpoint(), new AbortController().signal);
  } catch (error) {
    log.error('Reading the models of the demo', error);
  }
}

interface KnownServices {
  readonly isDemo: boolean;
  readonly origin: string | undefined;
  readonly services: {
    readonly others: readonly { readonly origin: string }[];
    written(origin: string, id: string): string;
  };
}

/** Model details from all services, by written id. */
export function knownFacts(
  { isDemo, origin, services }: KnownServices,
  factsOf: ModelCatalog['facts'],
): ReadonlyMap<string, ModelFacts> {
  if (origin === undefined) return new Map();
  if (isDemo) return factsOf(origin);
  const origins = [origin, ...services.others.map((other) => other.origin)];
  return new Map(
    origins.flatMap((service) =>
      [...factsOf(service)].map(([id, facts]) => [services.written(service, id), facts] as const),
    ),
  );
}

/** True for a model that its service is known not to have. */
export function lacksModel(
  model: string,
  { connection, catalog }: KnownModels,
  demoModels: readonly string[],
): boolean {
  if (connection.isDemo) return !demoModels.includes(model);
  const { id, origin } = connection.placeOf(model);
  return origin !== undefined && catalog.lacks(origin, id);
}
