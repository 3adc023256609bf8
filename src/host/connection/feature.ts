import type { TurnError } from '../../core/conversation/conversation.ts';
import { browserFetch } from '../../core/service/browserFetch.ts';
import { background } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { anyEvent, type Disposable, disposeAll, type Event } from '../../core/support/event.ts';
import { type Lazy, lazy } from '../../core/support/lazy.ts';
import { windowDialogs } from '../dialogs.ts';
import type { ModelPurpose } from '../settingValues.ts';
import { Ledger } from '../usage/ledger.ts';
import { RunningRequests } from '../usage/runningRequests.ts';
import { usageContext } from '../usage/statusBar.ts';
import { TokenRatios } from '../usage/tokenRatios.ts';
import { UnpricedModels } from '../usage/unpricedModels.ts';
import { monthOf } from '../usage/usageRecord.ts';
import { firstFolder, nodeOfKept, type HostWindow } from '../workspace/window.ts';
import { Connection, type DemoService } from './connection.ts';
import type { ConnectionUi } from './connectionUi.ts';
import type { Keys } from './keys.ts';
import { createModelReader, ModelCatalog } from './modelCatalog.ts';
import { ModelChoice, requireModel, serviceChanges } from './modelChoice.ts';
import { createServiceAccess, type ServiceAccess } from './serviceAccess.ts';
import * as vscode from 'vscode';
import { settingsOfModel } from '../modelSettings.ts';
import type { ModelFacts } from '../../core/service/modelFacts.ts';
import type { ToolObstacle } from '../../protocol/messages.ts';
import { modelKeys, type ModelKeys, type ServiceNames } from '../../core/service/modelReference.ts';

/** The connected service, the selected model, and the cost of requests. */
export interface ConnectionFeature extends Disposable {
  readonly keys: Keys;
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  readonly choice: ModelChoice;
  readonly demo: Demo;
  readonly service: ServiceAccess;
  readonly ledger: Ledger;
  readonly ratios: TokenRatios;
  readonly running: RunningRequests;
  readonly tools: ToolAccess;
  /** The pickers of services, keys and models, and the commands that open them. */
  readonly ui: Lazy<ConnectionUi>;
  /** The model of the next request. Asks the person to connect and select one if there is none. */
  readonly requireModel: () => Promise<string>;
  /** Like `requireModel`, for a purpose that may have a different model. */
  readonly modelFor: (purpose: ModelPurpose) => Promise<string>;
  /** True for a model that its service is known not to have. */
  readonly lacks: (model: string) => boolean;
  /** Estimates the tokens of a number of characters for the selected model. */
  readonly tokensOf: (characters: number) => number;
  /** Fires when requests may go to another service. */
  readonly onDidChangeService: Event<unknown>;
  /** Logs an error of a request, learns from it about the model, and returns its text. */
  readonly describe: (error: unknown, model: string) => TurnError;
}

interface Demo extends DemoService {
  /** Ids of its models; the first is the default. */
  readonly models: readonly string[];
  /** Says of which starter of an empty chat a message is. */
  readonly noteStarter: (message: string, starter: string) => void;
}

/** Creates the connection. {@link ConnectionUi} handles its commands. */
export function createConnection(window: HostWindow, keys: Keys, demo: Demo): ConnectionFeature {
  const { settings } = window;
  const { globalState: state } = window.context;
  // In a browser, error messages name the page's origin, which services see.
  const fetch =
    window.node === undefined
      ? browserFetch(globalThis.fetch, String(Reflect.get(globalThis, 'origin')))
      : globalThis.fetch;
  const connection = new Connection({ settings, keys, state, demo, fetch });
  const readModels = createModelReader(() => settings.current().requestTimeoutSeconds);
  const names = (): ServiceNames | undefined => connection.names;
  const keysOf = (model: string): ModelKeys => modelKeys(model, connection.names);
  const catalog = new ModelCatalog({ state, readModels, names, clock: systemClock });
  const choice = new ModelChoice({ settings, connection, catalog, demoModels: demo.models });
  const facts = followModelFacts(window, connection, catalog);
  const focus = vscode.window.onDidChangeWindowState(({ focused }) => {
    if (focused) connection.refresh();
  });
  const isOnDisk = nodeOfKept(window) !== undefined;
  const ledger = new Ledger({
    files: window.keptFiles.folder('usage'),
    // Where there is no disk, appending lists the pieces of a file: a month would have too many.
    fileOf: (day) => `${isOnDisk ? monthOf(day) : day}.jsonl`,
    written: (service, model) => connection.services.written(service, model),
    clock: systemClock,
    workspace: firstFolder(),
    onError: (what, error) => window.log.error(what, error),
  });
  const running = new RunningRequests();
  const ratios = new TokenRatios(state, keysOf);
  const parts = { keys, connection, catalog, choice, readModels, fetch };
  const ui = lazy(async () =>
    (await import('./connectionUi.ts')).createConnectionUi(window, parts),
  );
  const { learned } = catalog;
  const service = createServiceAccess({
    ...window,
    ...parts,
    ledger,
    ratios,
    clock: systemClock,
    usage: () => usageContext(settings),
    learned,
    lacks: (service, model) => catalog.lacks(service, model),
    unpriced: new UnpricedModels(windowDialogs, settings),
  });
  const chosen = (): Promise<string> =>
    requireModel({
      settings,
      connection,
      choice,
      connect: async () => (await ui.load()).connect(),
      selectModel: async () => (await ui.load()).selectModel(),
    });
  return {
    keys,
    connection,
    catalog,
    choice,
    demo,
    service,
    ledger,
    ratios,
    running,
    tools: {
      obstacle(model) {
        const values = settings.current();
        const { isTrusted, workspaceFolders = [] } = vscode.workspace;
        if (!isTrusted) return 'untrusted';
        if (!values.tools.enabled) return 'setting';
        // Without a folder or file, tools would only cost tokens.
        if (workspaceFolders.length === 0 && vscode.window.visibleTextEditors.length === 0)
          return 'empty';
        const { tools } = settingsOfModel(values, model);
        if (tools !== undefined) return tools ? undefined : 'model';
        const { service: its = '', id } = connection.placeOf(model);
        return learned.details(its, id).withoutTools === true ? 'refused' : undefined;
      },
      tryAgain(model) {
        const { service: its = '', id } = connection.placeOf(model);
        return learned.learn(its, id, { withoutTools: false });
      },
      onDidChange: learned.onDidChange,
    },
    ui,
    requireModel: chosen,
    async modelFor(purpose) {
      // The person has to be connected.
      const model = await chosen();
      return choice.of(purpose) ?? model;
    },
    lacks(model) {
      if (connection.isDemo) return !demo.models.includes(model);
      const { id, service: its } = connection.placeOf(model);
      return its !== undefined && catalog.lacks(its, id);
    },
    tokensOf: (characters) => ratios.estimate(choice.current().id, characters, 'prompt'),
    onDidChangeService: serviceChanges(connection, choice),
    describe(error, model) {
      const { id, service: its } = connection.placeOf(model);
      if (its !== undefined) background(catalog.noteError(its, id, error));
      return service.describe(error, model);
    },
    dispose: () => disposeAll([facts, focus, keys, connection, catalog, choice, running, ledger]),
  };
}

/** Decides for each turn whether its model gets any tools. */
export interface ToolAccess {
  /** The reason why a model gets no tools; undefined if it gets them. */
  readonly obstacle: (model: string) => ToolObstacle | undefined;
  /** Sends tools again to a model that refused them. */
  readonly tryAgain: (model: string) => Promise<void>;
  /** Fires when a model refused tools, or gets them again. */
  readonly onDidChange: Event<unknown>;
}

/** Passes model details to the settings, initially and on changes. */
function followModelFacts(
  { settings, log }: HostWindow,
  connection: Connection,
  catalog: ModelCatalog,
): Disposable {
  // Reads the demo's model list when the demo is chosen, for prices and limits.
  const listDemo = async (): Promise<void> => {
    const { isDemo, service = '' } = connection;
    if (!isDemo || catalog.list(service) !== undefined) return;
    try {
      await catalog.refresh(await connection.endpoint(), new AbortController().signal);
    } catch (error) {
      log.error('Reading the models of the demo', error);
    }
  };
  const update = (): void => {
    settings.setFacts(
      knownFacts(connection, (service) => catalog.facts(service)),
      connection.names,
    );
    background(listDemo());
  };
  update();
  return anyEvent<unknown>(catalog.onDidChange, connection.onDidChange)(update);
}

interface KnownServices {
  readonly isDemo: boolean;
  readonly service: string | undefined;
  readonly services: {
    readonly others: readonly { readonly id: string }[];
    written(service: string, id: string): string;
  };
}

/** Model details from all services, by written id. */
export function knownFacts(
  { isDemo, service: current, services }: KnownServices,
  factsOf: ModelCatalog['facts'],
): ReadonlyMap<string, ModelFacts> {
  if (isDemo && current !== undefined) return factsOf(current);
  const others = services.others.map(({ id }) => id);
  const all = current === undefined ? others : [current, ...others];
  return new Map(
    all.flatMap((service) =>
      [...factsOf(service)].map(([id, facts]) => [services.written(service, id), facts] as const),
    ),
  );
}
