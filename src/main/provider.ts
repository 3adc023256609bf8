import * as vscode from 'vscode';
import { systemClock } from '../core/support/clock.ts';
import { windowDialogs } from '../host/dialogs.ts';
import { CallerApproval } from '../host/provider/callers.ts';
import { ModelProvider, type ModelProviderOptions } from '../host/provider/modelProvider.ts';
import type { Base } from './base.ts';
import type { ConnectionServices } from './connection.ts';

/** The models of the connected service for VS Code's own chat and for other extensions. */
export function createModelProvider(base: Base, services: ConnectionServices): ModelProvider {
  const { connection, catalog, serviceAccess, running } = services;
  return new ModelProvider({
    service: {
      ...serviceAccess,
      describe(error, model) {
        const { origin } = connection;
        if (origin !== undefined) void catalog.noteError(origin, model, error);
        return serviceAccess.describe(error, model);
      },
    },
    settings: base.settings,
    clock: systemClock,
    approval: new CallerApproval({ dialogs: windowDialogs, l10n: vscode.l10n }),
    running,
    offered: () => offeredModels(services),
    update: () => updateModels(base, services),
  });
}

/** Those that were read last, and without a list the model in use. */
function offeredModels({
  connection,
  catalog,
  choice,
  demoModels,
}: ConnectionServices): ReturnType<ModelProviderOptions['offered']> {
  const { state, origin } = connection;
  if (state.kind === 'none' || origin === undefined) return undefined;
  const listed = catalog.list(origin)?.models ?? [];
  const known = state.kind === 'demo' ? demoModels : [choice.current().id].filter(isNamed);
  const models = listed.length > 0 ? listed : known.map((id) => ({ id, ownedBy: '' }));
  return { models, host: state.kind === 'demo' ? undefined : state.host };
}

function isNamed(model: string): boolean {
  return model !== '';
}

/** Lets the person connect, or reads the models of the connected service again. */
async function updateModels(
  { errors }: Base,
  { connection, catalog, ui }: ConnectionServices,
): Promise<void> {
  if (connection.state.kind === 'none') {
    await (await ui.load()).commands.connect();
    return;
  }
  try {
    await catalog.refresh(await connection.endpoint(), new AbortController().signal);
  } catch (error) {
    void errors.show(error, 'Reading the models');
  }
}
