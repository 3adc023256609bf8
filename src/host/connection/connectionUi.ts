import * as vscode from 'vscode';
import { ConnectionCommands } from './connectionCommands.ts';
import { KeyPrompt } from './keyPrompt.ts';
import { manageConnection } from './manageConnection.ts';
import { showModelDetails } from './modelDetails.ts';
import { ModelPicker } from './modelPicker.ts';
import { ServicePicker } from './servicePicker.ts';
import type { CommandsOf } from '../commands.ts';
import type { Connection } from './connection.ts';
import type { Keys } from './keys.ts';
import type { ModelCatalog, ReadModels } from './modelCatalog.ts';
import type { ModelChoice } from './modelChoice.ts';
import type { HostWindow } from '../workspace/window.ts';
import { windowDialogs as dialogs } from '../dialogs.ts';
import { settingIds } from '../contributions.ts';

export interface ConnectionParts {
  readonly keys: Keys;
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  readonly choice: ModelChoice;
  readonly readModels: ReadModels;
  /** The `fetch` of the client. */
  readonly fetch: typeof fetch;
}

/** The commands that ask for a service, a key and a model, loaded on first use. */
export interface ConnectionUi {
  readonly connect: () => Promise<boolean>;
  readonly selectModel: () => Promise<boolean>;
  readonly picker: ModelPicker;
  /** @param write focuses the composer, where the person continues unless they canceled */
  readonly commandsFor: (write: () => Promise<void>) => CommandsOf<'connection'>;
}

export function createConnectionUi(
  { settings, errors }: HostWindow,
  { keys, connection, catalog, choice, readModels, fetch }: ConnectionParts,
): ConnectionUi {
  const { executeCommand: run } = vscode.commands;
  const errorText = errors.text.bind(errors);
  const commands = new ConnectionCommands({
    dialogs,
    settings,
    keys,
    connection,
    catalog,
    keyPrompt: new KeyPrompt({ dialogs, keys, readModels, fetch, errorText }),
    otherService: () => connection.placeOf(choice.current().id).other,
    offerModels: (leadOn) => picker.offerModels(leadOn),
    chooseModel: (model, leadOn) => picker.choose(model, leadOn),
    openExternal: (address) => vscode.env.openExternal(vscode.Uri.parse(address, true)),
  });
  const picker: ModelPicker = new ModelPicker({
    settings,
    connection,
    catalog,
    choice,
    connect: (leadOn) => commands.connect(leadOn),
    setApiKey: () => commands.setApiKey(undefined, connection.address),
    describe: (error) => errors.text(error).message,
    showDetails(model) {
      const { id, origin = '' } = connection.placeOf(model);
      return showModelDetails({
        model: id,
        known: {
          settings: settings.ofPerson(model),
          listed: catalog.listedFacts(origin, id),
          learned: catalog.learned.details(origin, id),
          currency: settings.current().currency,
        },
        forget: () => catalog.learned.forget(origin, id),
        openSettings: () => run('workbench.action.openSettings', settingIds.models),
      });
    },
    showError: (error, tryAgain) => errors.show(error, 'Reading the model list', tryAgain),
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
  return {
    connect: () => commands.connect(),
    selectModel: () => picker.selectModel(),
    picker,
    commandsFor: (write) => ({
      connect: () => commands.connect(write),
      setApiKey: () => commands.setApiKey(write),
      removeApiKey: () => commands.removeApiKey(),
      openConsole: () => commands.openConsole(),
      manageConnection: () => manageConnection({ connection, keys, dialogs, run }),
      useDemo: () => Promise.all([connection.useDemo(), write()]),
      selectModel: () => picker.selectModel(write),
      selectService: () => services.selectService(write),
    }),
  };
}
