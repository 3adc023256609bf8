import * as vscode from 'vscode';
import { systemClock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/disposable.ts';
import type { Redactor } from '../../core/support/redact.ts';
import type { ErrorReporter } from '../errorReporter.ts';
import type { Settings } from '../settings.ts';
import { Connection, type DemoService } from './connection.ts';
import { ConnectionCommands } from './connectionCommands.ts';
import { KeyPrompt } from './keyPrompt.ts';
import { Keys } from './keys.ts';
import { ModelCatalog } from './modelCatalog.ts';
import { ModelChoice } from './modelChoice.ts';
import { ModelPicker } from './modelPicker.ts';
import { modelReader } from './readModels.ts';
import { requireModel } from './requireModel.ts';
import { windowDialogs as dialogs } from './windowDialogs.ts';

export interface ConnectionNeeds {
  readonly context: Pick<vscode.ExtensionContext, 'globalState' | 'secrets'>;
  readonly settings: Settings;
  readonly errors: ErrorReporter;
  readonly redactor: Redactor;
  readonly demo: DemoService & { readonly models: readonly string[] };
}

/** Everything of this folder that others need, made once. */
export interface ConnectionParts {
  readonly connection: Connection;
  readonly choice: ModelChoice;
  readonly picker: ModelPicker;
  readonly commands: ConnectionCommands;
  /** The model that is asked next, after leading whoever has none to one. */
  readonly requireModel: () => Promise<string>;
  readonly disposables: readonly Disposable[];
}

/** Makes the objects of the connection and ties them together. */
export function makeConnection(needs: ConnectionNeeds): ConnectionParts {
  const { context, settings, errors, redactor, demo } = needs;
  const { globalState: state, secrets } = context;
  const keys = new Keys(secrets, redactor);
  const connection = new Connection({ settings, keys, state, demo, fetch });
  const readModels = modelReader(() => settings.current().requestTimeoutSeconds);
  const catalog = new ModelCatalog({ state, readModels, clock: systemClock });
  const choice = new ModelChoice({ settings, connection, catalog, demoModels: demo.models });
  const { l10n } = vscode;
  const errorText = errors.text.bind(errors);
  const keyPrompt = new KeyPrompt({ dialogs, keys, readModels, fetch, errorText, l10n });
  const commands: ConnectionCommands = new ConnectionCommands({
    dialogs,
    settings,
    keys,
    keyPrompt,
    connection,
    catalog,
    offerModels: () => picker.offerModels(),
    openExternal: (address) => vscode.env.openExternal(vscode.Uri.parse(address, true)),
    l10n,
  });
  const connect = (): Promise<boolean> => commands.connect();
  const picker: ModelPicker = new ModelPicker({
    settings,
    connection,
    catalog,
    choice,
    connect,
    setApiKey: () => commands.setApiKey(),
    showError: (error, what, tryAgain) => errors.show(error, what, tryAgain),
  });
  const selectModel = (): Promise<void> => picker.selectModel();
  return {
    connection,
    choice,
    picker,
    commands,
    requireModel: () => requireModel({ connection, choice, connect, selectModel }),
    disposables: [keys, connection, catalog, choice],
  };
}
