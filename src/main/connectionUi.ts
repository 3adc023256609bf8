import * as vscode from 'vscode';
import type { Connection } from '../host/connection/connection.ts';
import { ConnectionCommands } from '../host/connection/connectionCommands.ts';
import { KeyPrompt } from '../host/connection/keyPrompt.ts';
import type { Keys } from '../host/connection/keys.ts';
import type { ModelCatalog, ReadModels } from '../host/connection/modelCatalog.ts';
import type { ModelChoice } from '../host/connection/modelChoice.ts';
import { ModelPicker } from '../host/connection/modelPicker.ts';
import { windowDialogs as dialogs } from '../host/dialogs.ts';
import type { ErrorReporter } from '../host/errorReporter.ts';
import type { Settings } from '../host/settings.ts';

interface ConnectionUiOptions {
  readonly settings: Settings;
  readonly errors: ErrorReporter;
  readonly keys: Keys;
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  readonly choice: ModelChoice;
  readonly readModels: ReadModels;
}

/** The commands that ask for a service, a key and a model: loaded by the first of them. */
export interface ConnectionUi {
  readonly commands: ConnectionCommands;
  readonly picker: ModelPicker;
}

export function createConnectionUi(options: ConnectionUiOptions): ConnectionUi {
  const { settings, errors, keys, connection, catalog, choice, readModels } = options;
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
    offerModels: (leadOn) => picker.offerModels(leadOn),
    openExternal: (address) => vscode.env.openExternal(vscode.Uri.parse(address, true)),
  });
  const picker: ModelPicker = new ModelPicker({
    settings,
    connection,
    catalog,
    choice,
    connect: (leadOn) => commands.connect(leadOn),
    setApiKey: () => commands.setApiKey(),
    showError: (error, what, tryAgain) => errors.show(error, what, tryAgain),
  });
  return { commands, picker };
}
