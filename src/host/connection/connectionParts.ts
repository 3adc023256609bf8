import type * as vscode from 'vscode';
import { systemClock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/event.ts';
import type { Redactor } from '../../core/support/redact.ts';
import type { ErrorReporter } from '../errorReporter.ts';
import type { Settings } from '../settings.ts';
import { Connection, type DemoService } from './connection.ts';
import type { ConnectionCommands } from './connectionCommands.ts';
import { Keys } from './keys.ts';
import { ModelCatalog, modelReader, type ReadModels } from './modelCatalog.ts';
import { ModelChoice, requireModel } from './modelChoice.ts';
import type { ModelPicker } from './modelPicker.ts';

export interface ConnectionNeeds {
  readonly context: Pick<vscode.ExtensionContext, 'globalState' | 'secrets'>;
  readonly settings: Settings;
  readonly errors: ErrorReporter;
  readonly redactor: Redactor;
  readonly demo: DemoService & { readonly models: readonly string[] };
  readonly start: (needs: ConnectNeeds) => Promise<Connect>;
}

/** What asks for a service, a key and a model: a script of its own, loaded when it is first used. */
export interface Connect {
  readonly commands: ConnectionCommands;
  readonly picker: ModelPicker;
}

/** What that is made of. */
export interface ConnectNeeds {
  readonly settings: Settings;
  readonly errors: ErrorReporter;
  readonly keys: Keys;
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  readonly choice: ModelChoice;
  readonly readModels: ReadModels;
}

/** Everything of this folder that others need, made once. */
export interface ConnectionParts {
  readonly connection: Connection;
  readonly choice: ModelChoice;
  readonly load: () => Promise<Connect>;
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
  let loading: Promise<Connect> | undefined;
  const load = (): Promise<Connect> =>
    (loading ??= needs.start({
      ...{ settings, errors, keys, connection, catalog, choice, readModels },
    }));
  const connect = async (): Promise<boolean> => (await load()).commands.connect();
  const selectModel = async (): Promise<void> => (await load()).picker.selectModel();
  return {
    ...{ connection, choice, load },
    requireModel: () => requireModel({ connection, choice, connect, selectModel }),
    disposables: [keys, connection, catalog, choice],
  };
}
