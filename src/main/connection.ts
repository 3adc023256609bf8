import { l10n } from 'vscode';
import { lazy, type Lazy } from '../core/support/async.ts';
import { systemClock } from '../core/support/clock.ts';
import { anyEvent, type Disposable } from '../core/support/event.ts';
import { Connection } from '../host/connection/connection.ts';
import { createModelReader, ModelCatalog } from '../host/connection/modelCatalog.ts';
import { ModelChoice, requireModel } from '../host/connection/modelChoice.ts';
import { createServiceAccess, type ServiceAccess } from '../host/connection/serviceAccess.ts';
import type { Ledger } from '../host/usage/ledger.ts';
import { RunningRequests } from '../host/usage/runningRequests.ts';
import { usageContext } from '../host/usage/statusBar.ts';
import { windowDialogs } from '../host/dialogs.ts';
import { UnpricedModels } from '../host/usage/unpricedModels.ts';
import { TokenRatios } from '../host/usage/tokenRatios.ts';
import { createDemo } from '../local/demo.ts';
import { createLedger, type Base } from './base.ts';
import type { ConnectionUi } from './connectionUi.ts';

/** The connected service, the selected model, and what requests cost. */
export interface ConnectionServices {
  readonly connection: Connection;
  readonly choice: ModelChoice;
  readonly catalog: ModelCatalog;
  readonly serviceAccess: ServiceAccess;
  readonly ledger: Ledger;
  readonly running: RunningRequests;
  /** The ids of the demo's models. */
  readonly demoModels: readonly string[];
  readonly ratios: TokenRatios;
  /** The commands that ask for a service, a key and a model. */
  readonly ui: Lazy<ConnectionUi>;
  /** The model of the next request. Leads to connecting and selecting one where there is none. */
  readonly requireModel: () => Promise<string>;
  /** Estimates the tokens of so many characters for the selected model. */
  readonly tokensOf: (characters: number) => number;
  readonly disposables: readonly Disposable[];
}

export function createConnectionServices(base: Base): ConnectionServices {
  const { context, settings, errors, keys, log, redactor } = base;
  const { globalState: state } = context;
  const demo = createDemo();
  const connection = new Connection({ settings, keys, state, demo, fetch });
  const readModels = createModelReader(() => settings.current().requestTimeoutSeconds);
  const catalog = new ModelCatalog({ state, readModels, clock: systemClock });
  const choice = new ModelChoice({ settings, connection, catalog, demoModels: demo.models });
  const tellFacts = (): void => {
    const { origin } = connection;
    settings.setFacts(origin === undefined ? new Map() : catalog.facts(origin));
  };
  const learning = anyEvent<unknown>(catalog.onDidChange, connection.onDidChange)(tellFacts);
  tellFacts();
  const ledger = createLedger(base);
  const running = new RunningRequests();
  const ratios = new TokenRatios(state);
  const usage = (): ReturnType<typeof usageContext> => usageContext(settings);
  const ui = lazy(async () => {
    const { createConnectionUi } = await import('./connectionUi.ts');
    return createConnectionUi({ settings, errors, keys, connection, catalog, choice, readModels });
  });
  const connect = async (): Promise<boolean> => (await ui.load()).commands.connect();
  const selectModel = async (): Promise<boolean> => (await ui.load()).picker.selectModel();
  return {
    connection,
    choice,
    catalog,
    serviceAccess: createServiceAccess({
      connection,
      clock: systemClock,
      keys,
      settings,
      errors,
      ledger,
      ratios,
      log,
      redactor,
      usage,
      noteError: (...given) => void catalog.noteError(...given),
      unpriced: new UnpricedModels({
        dialogs: windowDialogs,
        state,
        setPrice: (model, price) => settings.setPrice(model, price),
        currency: () => settings.current().currency,
        l10n,
      }),
    }),
    ledger,
    running,
    demoModels: demo.models,
    ratios,
    ui,
    requireModel: () => requireModel({ connection, choice, connect, selectModel }),
    tokensOf: (characters) => ratios.estimate(choice.current().id, characters, 'prompt'),
    disposables: [learning, keys, connection, catalog, choice, running, ledger],
  };
}
