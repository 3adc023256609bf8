import * as vscode from 'vscode';
import type { Connection } from '../host/connection/connection.ts';
import { ConnectionCommands } from '../host/connection/connectionCommands.ts';
import { KeyPrompt } from '../host/connection/keyPrompt.ts';
import type { Keys } from '../host/connection/keys.ts';
import type { ModelCatalog, ReadModels } from '../host/connection/modelCatalog.ts';
import type { ModelChoice } from '../host/connection/modelChoice.ts';
import { showModelDetails } from '../host/connection/modelDetails.ts';
import { ModelPicker } from '../host/connection/modelPicker.ts';
import { ServicePicker } from '../host/connection/servicePicker.ts';
import { windowDialogs as dialogs } from '../host/dialogs.ts';
import type { ErrorReporter } from '../host/errorReporter.ts';
import { settingIds } from '../host/contributions.ts';
import type { Settings } from '../host/settings.ts';
import type { ModelsWithoutTools } from '../host/tools/toolAccess.ts';

interface ConnectionUiOptions {
  readonly settings: Settings;
  readonly errors: ErrorReporter;
  readonly keys: Keys;
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  readonly choice: ModelChoice;
  readonly readModels: ReadModels;
  readonly withoutTools: ModelsWithoutTools;
  /** As the client of the service uses it. */
  readonly fetch: typeof fetch;
}

/** The commands that ask for a service, a key and a model: loaded by the first of them. */
export interface ConnectionUi {
  readonly commands: ConnectionCommands;
  readonly picker: ModelPicker;
  readonly services: ServicePicker;
}

function showDetails(
  model: string,
  { settings, connection, catalog, withoutTools }: ConnectionUiOptions,
): Promise<boolean> {
  const { id, origin = '' } = connection.place(model);
  return showModelDetails({
    model: id,
    known: {
      own: settings.ofPerson(model),
      listed: catalog.listedFacts(origin, id),
      learned: catalog.learnedFacts(origin, id),
      refusedTools: withoutTools.has(origin, id),
      currency: settings.current().currency,
    },
    async forget() {
      await Promise.all([catalog.forget(origin, id), withoutTools.remove(origin, id)]);
    },
    openSettings: () =>
      vscode.commands.executeCommand('workbench.action.openSettings', settingIds.models),
  });
}

export function createConnectionUi(options: ConnectionUiOptions): ConnectionUi {
  const { settings, errors, keys, connection, catalog, choice, readModels, fetch } = options;
  const { l10n } = vscode;
  const errorText = errors.text.bind(errors);
  const commands: ConnectionCommands = new ConnectionCommands({
    dialogs,
    settings,
    keys,
    connection,
    catalog,
    l10n,
    keyPrompt: new KeyPrompt({ dialogs, keys, readModels, fetch, errorText, l10n }),
    otherService: () => connection.place(choice.current().id).other,
    offerModels: (leadOn) => picker.offerModels(leadOn),
    openExternal: (address) => vscode.env.openExternal(vscode.Uri.parse(address, true)),
  });
  const picker: ModelPicker = new ModelPicker({
    settings,
    connection,
    catalog,
    choice,
    connect: (leadOn) => commands.connect(leadOn),
    setApiKey: () => commands.setApiKey(undefined, connection.address),
    describe: (error) => errorText(error).message,
    showDetails: (model) => showDetails(model, options),
    showError: (error, what, tryAgain) => errors.show(error, what, tryAgain),
  });
  const services = new ServicePicker({
    connection,
    keys,
    catalog,
    settings,
    dialogs,
    connect: (leadOn) => commands.connect(leadOn),
    useDemo: () => connection.useDemo(),
    setApiKey: (service) => commands.setApiKey(undefined, service),
    offerModels: (leadOn) => picker.offerModels(leadOn),
  });
  return { commands, picker, services };
}
