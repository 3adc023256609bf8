import type * as vscode from 'vscode';
import { systemClock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/event.ts';
import type { Redactor } from '../../core/support/redact.ts';
import type { ErrorReporter } from '../errorReporter.ts';
import type { Settings } from '../settings.ts';
import { Connection, type DemoService } from './connection.ts';
import type { ConnectionCommands } from './connectionCommands.ts';
import { Keys } from './keys.ts';
import { ModelCatalog, createModelReader, type ReadModels } from './modelCatalog.ts';
import { ModelChoice, requireModel } from './modelChoice.ts';
import type { ModelPicker } from './modelPicker.ts';

interface ConnectionServicesOptions {
  readonly context: Pick<vscode.ExtensionContext, 'globalState' | 'secrets'>;
  readonly settings: Settings;
  readonly errors: ErrorReporter;
  readonly redactor: Redactor;
  readonly demo: DemoService & { readonly models: readonly string[] };
  readonly createUi: (options: ConnectionUiOptions) => Promise<ConnectionUi>;
}

/** The dialogs for a service, a key and a model, loaded when they are first used. */
export interface ConnectionUi {
  readonly commands: ConnectionCommands;
  readonly picker: ModelPicker;
}

/** What these dialogs need. */
export interface ConnectionUiOptions {
  readonly settings: Settings;
  readonly errors: ErrorReporter;
  readonly keys: Keys;
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  readonly choice: ModelChoice;
  readonly readModels: ReadModels;
}

/** Everything of this folder that others need, created once. */
export interface ConnectionServices {
  readonly connection: Connection;
  readonly choice: ModelChoice;
  readonly loadUi: () => Promise<ConnectionUi>;
  /** The model for the next request; asks the person to choose where there is none. */
  readonly requireModel: () => Promise<string>;
  readonly disposables: readonly Disposable[];
}

/** Creates the objects of the connection. */
export function createConnectionServices(options: ConnectionServicesOptions): ConnectionServices {
  const { context, settings, errors, redactor, demo } = options;
  const { globalState: state, secrets } = context;
  const keys = new Keys(secrets, redactor);
  const connection = new Connection({ settings, keys, state, demo, fetch });
  const readModels = createModelReader(() => settings.current().requestTimeoutSeconds);
  const catalog = new ModelCatalog({ state, readModels, clock: systemClock });
  const choice = new ModelChoice({ settings, connection, catalog, demoModels: demo.models });
  let loading: Promise<ConnectionUi> | undefined;
  const loadUi = (): Promise<ConnectionUi> =>
    (loading ??= options.createUi({
      ...{ settings, errors, keys, connection, catalog, choice, readModels },
    }));
  const connect = async (): Promise<boolean> => (await loadUi()).commands.connect();
  const selectModel = async (): Promise<void> => (await loadUi()).picker.selectModel();
  return {
    ...{ connection, choice, loadUi },
    requireModel: () => requireModel({ connection, choice, connect, selectModel }),
    disposables: [keys, connection, catalog, choice],
  };
}
