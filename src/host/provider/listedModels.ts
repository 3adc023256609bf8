import { canChat } from '../../core/service/wire.ts';
import { background } from '../../core/support/background.ts';
import type { Connection } from '../connection/connection.ts';
import type { ConnectionUi } from '../connection/connectionUi.ts';
import type { ModelCatalog } from '../connection/modelCatalog.ts';
import type { ModelChoice } from '../connection/modelChoice.ts';
import type { ServiceModel } from '../connection/modelList.ts';
import type { ErrorReporter } from '../errorText.ts';
import type { OfferedModel } from './modelProvider.ts';

interface Models {
  readonly catalog: ModelCatalog;
  readonly choice: ModelChoice;
  readonly connection: Connection;
  readonly demo: { readonly models: readonly string[] };
}

/** The models that were read last; without a list, the model in use. */
export async function listedModels(models: Models): Promise<readonly OfferedModel[]> {
  const { connection, choice, demo } = models;
  const { service, services, state } = connection;
  const others = await connection.otherEndpoints();
  const ofOthers = others.flatMap(({ name, ...other }) =>
    modelsOf(other.id, models).map((model) => ({
      ...model,
      host: services.label(other),
      service: name,
    })),
  );
  if (state.kind === 'none' || service === undefined) return ofOthers;
  const { id } = choice.current();
  const isOfCurrent = id !== '' && connection.placeOf(id).other === undefined;
  const known = state.kind === 'demo' ? demo.models : isOfCurrent ? [id] : [];
  const listed = modelsOf(service, models);
  const current = listed.length > 0 ? listed : known.map((model) => ({ id: model, ownedBy: '' }));
  const host = state.kind === 'demo' ? undefined : state.host;
  return [...current.map((model) => ({ ...model, host })), ...ofOthers];
}

/** The models of a service that can chat, by written id. */
function modelsOf(service: string, { catalog, connection }: Models): readonly ServiceModel[] {
  const { models = [] } = catalog.list(service) ?? {};
  return models
    .filter(canChat)
    .map((model) => ({ ...model, id: connection.services.written(service, model.id) }));
}

/** Lets the person connect, or reads the models of the connected services again. */
export async function updateModels(
  connection: Connection,
  catalog: ModelCatalog,
  ui: ConnectionUi,
  errors: ErrorReporter,
): Promise<void> {
  const others = await connection.otherEndpoints();
  if (connection.state.kind === 'none' && others.length === 0) {
    await ui.connect();
    return;
  }
  const { signal } = new AbortController();
  const current = connection.state.kind === 'none' ? [] : [connection.endpoint()];
  const reading = [...current, ...others].map(async (endpoint) =>
    catalog.refresh(await endpoint, signal),
  );
  for (const read of await Promise.allSettled(reading))
    if (read.status === 'rejected') background(errors.show(read.reason, 'Reading the models'));
}
