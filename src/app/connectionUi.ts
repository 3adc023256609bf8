import * as vscode from 'vscode';
import type { Connection } from '../host/connection/connection.ts';
import { ConnectionCommands } from '../host/connection/connectionCommands.ts';
import { KeyPrompt } from '../host/connection/keyPrompt.ts';
import type { Keys } from '../host/connection/keys.ts';
import { manageConnection } from '../host/connection/manageConnection.ts';
import type { ModelCatalog, ReadModels } from '../host/connection/modelCatalog.ts';
import type { ModelChoice } from '../host/connection/modelChoice.ts';
import { showModelDetails } from '../host/connection/modelDetails.ts';
import { ModelPicker } from '../host/connection/modelPicker.ts';
import { ServiceImport } from '../host/connection/serviceImport.ts';
import { ServicePicker } from '../host/connection/servicePicker.ts';
import { findServicesOfOthers, type PlacesOfOthers } from '../host/connection/servicesOfOthers.ts';
import { windowDialogs as dialogs } from '../host/dialogs.ts';
import type { ErrorReporter } from '../host/errorReporter.ts';
import { settingIds } from '../host/contributions.ts';
import type { Settings } from '../host/settings.ts';
import { toUri } from '../host/workspace/location.ts';
import type { ModelsWithoutTools } from '../host/tools/toolAccess.ts';
import type { NodePlatform } from '../host/workspace/platform.ts';

interface ConnectionUiOptions {
  readonly context: vscode.ExtensionContext;
  /** Undefined in a browser. */
  readonly node: NodePlatform | undefined;
  readonly settings: Settings;
  readonly errors: ErrorReporter;
  readonly keys: Keys;
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  readonly choice: ModelChoice;
  readonly readModels: ReadModels;
  readonly withoutTools: ModelsWithoutTools;
  /** The `fetch` that the client of the service uses. */
  readonly fetch: typeof fetch;
}

/** The commands that ask for a service, a key and a model, loaded when one of them is first used. */
export interface ConnectionUi {
  readonly commands: ConnectionCommands;
  readonly picker: ModelPicker;
  readonly services: ServicePicker;
  readonly manage: () => Promise<void>;
}

function showDetails(
  model: string,
  { settings, connection, catalog, withoutTools }: ConnectionUiOptions,
): Promise<boolean> {
  const { id, origin = '' } = connection.placeOf(model);
  return showModelDetails({
    model: id,
    known: {
      settings: settings.ofPerson(model),
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

/** The places of other extensions' settings, on the machine of the extension host. */
function placesOf({ context, node }: ConnectionUiOptions): PlacesOfOthers {
  const [home] = node?.machine().homes ?? [];
  return {
    home: home && toUri(home),
    user: vscode.Uri.joinPath(context.globalStorageUri, '..', '..'),
    setting: (id) => vscode.workspace.getConfiguration().inspect(id)?.globalValue,
  };
}

export function createConnectionUi(options: ConnectionUiOptions): ConnectionUi {
  const { settings, errors, keys, connection, catalog, choice, readModels, fetch } = options;
  const errorText = errors.text.bind(errors);
  const serviceImport = new ServiceImport({
    dialogs,
    find: () => findServicesOfOthers(placesOf(options)),
    guard: (key) => keys.guard(key),
  });
  const commands: ConnectionCommands = new ConnectionCommands({
    dialogs,
    settings,
    keys,
    connection,
    catalog,
    keyPrompt: new KeyPrompt({ dialogs, keys, readModels, fetch, errorText }),
    otherService: () => connection.placeOf(choice.current().id).other,
    offerModels: (leadOn) => picker.offerModels(leadOn),
    chooseModel: (model, leadOn) => picker.choose(model, leadOn),
    importService: () => serviceImport.choose(),
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
  const { executeCommand: run } = vscode.commands;
  const manage = (): Promise<void> => manageConnection({ connection, keys, dialogs, run });
  return { commands, picker, services, manage };
}
