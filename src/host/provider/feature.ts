import { systemClock } from '../../core/support/clock.ts';
import { canChat } from '../../core/service/wire.ts';
import type { Consents } from '../approval/consents.ts';
import type { ConnectionFeature } from '../connection/feature.ts';
import type { HostWindow } from '../workspace/window.ts';
import { CallerApproval } from './callers.ts';
import { ModelProvider, type OfferedModel } from './modelProvider.ts';
import { background } from '../../core/support/background.ts';
import type { Connection } from '../connection/connection.ts';
import type { ModelCatalog } from '../connection/modelCatalog.ts';
import type { ModelChoice } from '../connection/modelChoice.ts';
import type { ServiceModel } from '../connection/modelList.ts';
import type { ErrorReporter } from '../errorReporter.ts';

/** The models of the connected services for VS Code's own chat and for other extensions. */
export function createModelProvider(
  { settings, errors }: HostWindow,
  connection: ConnectionFeature,
  consents: Consents,
): ModelProvider {
  const { service, running, choice, describe } = connection;
  return new ModelProvider({
    service: { ...service, describe },
    settings,
    clock: systemClock,
    approval: new CallerApproval({ consents }),
    running,
    offered: () => listedModels(connection),
    current: () => choice.current().id,
    update: () => updateModels(errors, connection),
  });
}

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
async function updateModels(
  errors: ErrorReporter,
  { connection, catalog, ui }: ConnectionFeature,
): Promise<void> {
  const others = await connection.otherEndpoints();
  if (connection.state.kind === 'none' && others.length === 0) {
    const { connect } = await ui.load();
    await connect();
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
