import * as vscode from 'vscode';
import { ConnectionCommands } from '../host/connection/connectionCommands.ts';
import type { ConnectionUi, ConnectionUiOptions } from '../host/connection/connectionServices.ts';
import { KeyPrompt } from '../host/connection/keyPrompt.ts';
import { ModelPicker } from '../host/connection/modelPicker.ts';
import { windowDialogs as dialogs } from '../host/dialogs.ts';

/** Makes every object of it once and ties them together. */
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
    offerModels: () => picker.offerModels(),
    openExternal: (address) => vscode.env.openExternal(vscode.Uri.parse(address, true)),
  });
  const picker: ModelPicker = new ModelPicker({
    settings,
    connection,
    catalog,
    choice,
    connect: () => commands.connect(),
    setApiKey: () => commands.setApiKey(),
    showError: (error, what, tryAgain) => errors.show(error, what, tryAgain),
  });
  return { commands, picker };
}
