import { background } from '../core/support/background.ts';
import { systemClock } from '../core/support/clock.ts';
import type { Consents } from '../host/approval/consents.ts';
import { CallerApproval } from '../host/provider/callers.ts';
import type { ServiceModel } from '../host/connection/modelList.ts';
import { ModelProvider, type OfferedModel } from '../host/provider/modelProvider.ts';
import type { Base } from './hostWindow.ts';
import type { ConnectionServices } from './connection.ts';

/** The models of the connected services for VS Code's own chat and for other extensions. */
export function createModelProvider(
  base: Base,
  services: ConnectionServices,
  consents: Consents,
): ModelProvider {
  const { connection, catalog, serviceAccess, running } = services;
  return new ModelProvider({
    service: {
      ...serviceAccess,
      describe(error, model) {
        const { id, origin } = connection.placeOf(model);
        if (origin !== undefined) background(catalog.noteError(origin, id, error));
        return serviceAccess.describe(error, model);
      },
    },
    settings: base.settings,
    clock: systemClock,
    approval: new CallerApproval({ consents }),
    running,
    offered: () => offeredModels(services),
    current: () => services.choice.current().id,
    update: () => updateModels(base, services),
  });
}

/** The models that were read last; without a list, the model in use. */
async function offeredModels(services: ConnectionServices): Promise<readonly OfferedModel[]> {
  const { connection, choice, demoModels } = services;
  const { state, origin } = connection;
  const others = await connection.otherEndpoints();
  const ofOthers = others.flatMap(({ origin: other, host, name }) =>
    modelsOf(services, other).map((model) => ({ ...model, host, service: name })),
  );
  if (state.kind === 'none' || origin === undefined) return ofOthers;
  const { id } = choice.current();
  const isOfCurrent = id !== '' && connection.placeOf(id).other === undefined;
  const known = state.kind === 'demo' ? demoModels : isOfCurrent ? [id] : [];
  const listed = modelsOf(services, origin);
  const models = listed.length > 0 ? listed : known.map((model) => ({ id: model, ownedBy: '' }));
  const host = state.kind === 'demo' ? undefined : state.host;
  return [...models.map((model) => ({ ...model, host })), ...ofOthers];
}

/** The models of an origin, by written id. */
function modelsOf(
  { catalog, connection }: ConnectionServices,
  origin: string,
): readonly ServiceModel[] {
  const { models = [] } = catalog.list(origin) ?? {};
  return models.map((model) => ({ ...model, id: connection.services.written(origin, model.id) }));
}

/** Lets the person connect, or reads the models of the connected services again. */
async function updateModels(
  { errors }: Base,
  { connection, catalog, ui }: ConnectionServices,
): Promise<void> {
  const others = await connection.otherEndpoints();
  if (connection.state.kind === 'none' && others.length === 0) {
    await (await ui.load()).commands.connect();
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
