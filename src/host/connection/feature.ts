import type { TurnError } from '../../core/conversation/conversation.ts';
import { browserFetch } from '../../core/service/browserFetch.ts';
import { background } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { anyEvent, type Disposable, disposeAll, type Event } from '../../core/support/event.ts';
import { type Lazy, lazy } from '../../core/support/lazy.ts';
import { windowDialogs } from '../dialogs.ts';
import type { ModelPurpose, SettingValues } from '../settingValues.ts';
import type { Ledger } from '../usage/ledger.ts';
import { RunningRequests } from '../usage/runningRequests.ts';
import { usageContext } from '../usage/statusBar.ts';
import { TokenRatios } from '../usage/tokenRatios.ts';
import { UnpricedModels } from '../usage/unpricedModels.ts';
import { createLedger } from '../usage/windowLedger.ts';
import type { HostWindow } from '../workspace/window.ts';
import { Connection, type DemoService } from './connection.ts';
import type { ConnectionParts, ConnectionUi } from './connectionUi.ts';
import type { Keys } from './keys.ts';
import { createModelReader, ModelCatalog } from './modelCatalog.ts';
import { ModelChoice, modelFor, requireModel, serviceChanges } from './modelChoice.ts';
import { createServiceAccess, type ServiceAccess } from './serviceAccess.ts';
import * as vscode from 'vscode';
import type { LearnedFactStore } from '../../core/service/learnedFacts.ts';
import { settingsOfModel } from '../modelSettings.ts';
import type { ModelFacts } from '../../core/service/modelFacts.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';

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
  const fetch = fetchOf(window);
  const connection = new Connection({ settings, keys, state, demo, fetch });
  const readModels = createModelReader(() => settings.current().requestTimeoutSeconds);
  const written = (model: string): string => connection.written(model);
  const catalog = new ModelCatalog({ state, readModels, written, clock: systemClock });
  const choice = new ModelChoice({ settings, connection, catalog, demoModels: demo.models });
  const facts = followModelFacts({ connection, catalog, settings, log: window.log });
  const ledger = createLedger(window, (origin, id) => connection.services.written(origin, id));
  const running = new RunningRequests();
  const ratios = new TokenRatios(state);
  const parts = { keys, connection, catalog, choice, readModels, fetch };
  const ui = lazy(async () =>
    (await import('./connectionUi.ts')).createConnectionUi(window, parts),
  );
  const service = createService(window, { ...parts, ledger, ratios });
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
    tools: new ToolAccess({
      settings,
      placeOf: (model) => connection.placeOf(model),
      learned: catalog.learned,
    }),
    ui,
    requireModel: chosen,
    modelFor: (purpose) => modelFor(purpose, { settings, connection, requireModel: chosen }),
    lacks: (model) => lacksModel(model, { connection, catalog }, demo.models),
    tokensOf: (characters) => ratios.estimate(choice.current().id, characters, 'prompt'),
    onDidChangeService: serviceChanges(connection, choice),
    describe(error, model) {
      const { id, origin } = connection.placeOf(model);
      if (origin !== undefined) background(catalog.noteError(origin, id, error));
      return service.describe(error, model);
    },
    dispose: () => disposeAll([facts, keys, connection, catalog, choice, running, ledger]),
  };
}

interface ServiceParts extends ConnectionParts {
  readonly ledger: Ledger;
  readonly ratios: TokenRatios;
}

function createService(window: HostWindow, parts: ServiceParts): ServiceAccess {
  const { context, settings } = window;
  const { catalog } = parts;
  return createServiceAccess({
    ...window,
    ...parts,
    clock: systemClock,
    usage: () => usageContext(settings),
    learned: catalog.learned,
    lacks: (origin, model) => catalog.lacks(origin, model),
    unpriced: new UnpricedModels({
      dialogs: windowDialogs,
      state: context.globalState,
      setPrice: (model, price) => settings.setPrice(model, price),
      currency: () => settings.current().currency,
    }),
  });
}

/** In a browser, identifies the page's origin, which services see, for error messages. */
function fetchOf({ node }: HostWindow): typeof fetch {
  if (node !== undefined) return fetch;
  const origin: unknown = Reflect.get(globalThis, 'origin');
  return browserFetch(fetch, String(origin));
}

interface ToolAccessOptions {
  readonly settings: { current(): SettingValues };
  /** The origin of a model's service, undefined while not connected, and the model's id there. */
  readonly placeOf: (model: string) => { readonly origin: string | undefined; readonly id: string };
  readonly learned: LearnedFactStore;
}

/** Decides for each turn whether its model gets any tools. */
class ToolAccess {
  readonly #options: ToolAccessOptions;

  constructor(options: ToolAccessOptions) {
    this.#options = options;
  }

  /** Models get no tools in an untrusted workspace. */
  allows(model: string): boolean {
    const values = this.#options.settings.current();
    if (!values.tools.enabled || !vscode.workspace.isTrusted || !hasSomethingToRead()) return false;
    const modelSetting = settingsOfModel(values, model).tools;
    if (modelSetting !== undefined) return modelSetting;
    const { origin = '', id } = this.#options.placeOf(model);
    return this.#options.learned.details(origin, id).withoutTools !== true;
  }

  /** Records a model that replied without tools after it had refused a request with them. */
  refused(model: string): Promise<void> {
    const { origin = '', id } = this.#options.placeOf(model);
    return this.#options.learned.learn(origin, id, { withoutTools: true });
  }
}

/** Without a folder or file, tools would only cost tokens. */
function hasSomethingToRead(): boolean {
  const { workspaceFolders = [] } = vscode.workspace;
  return workspaceFolders.length > 0 || vscode.window.visibleTextEditors.length > 0;
}

interface KnownModels {
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
}

interface ModelKnowledgeOptions extends KnownModels {
  readonly settings: Settings;
  readonly log: Log;
}

/** Passes model details to the settings, initially and on changes. */
function followModelFacts(options: ModelKnowledgeOptions): Disposable {
  const { connection, catalog, settings } = options;
  const update = (): void => {
    const { isDemo, services } = connection;
    settings.setFacts(
      knownFacts(connection, (origin) => catalog.facts(origin)),
      isDemo ? undefined : services.names,
    );
    background(listDemo(options));
  };
  update();
  return anyEvent<unknown>(catalog.onDidChange, connection.onDidChange)(update);
}

/** Reads the demo's model list when the demo is chosen, for prices and limits. */
async function listDemo({ connection, catalog, log }: ModelKnowledgeOptions): Promise<void> {
  const { isDemo, origin = '' } = connection;
  if (!isDemo || catalog.list(origin) !== undefined) return;
  try {
    await catalog.refresh(await connection.endpoint(), new AbortController().signal);
  } catch (error) {
    log.error('Reading the models of the demo', error);
  }
}

interface KnownServices {
  readonly isDemo: boolean;
  readonly origin: string | undefined;
  readonly services: {
    readonly others: readonly { readonly origin: string }[];
    written(origin: string, id: string): string;
  };
}

/** Model details from all services, by written id. */
export function knownFacts(
  { isDemo, origin, services }: KnownServices,
  factsOf: ModelCatalog['facts'],
): ReadonlyMap<string, ModelFacts> {
  if (origin === undefined) return new Map();
  if (isDemo) return factsOf(origin);
  const origins = [origin, ...services.others.map((other) => other.origin)];
  return new Map(
    origins.flatMap((service) =>
      [...factsOf(service)].map(([id, facts]) => [services.written(service, id), facts] as const),
    ),
  );
}

/** True for a model that its service is known not to have. */
function lacksModel(
  model: string,
  { connection, catalog }: KnownModels,
  demoModels: readonly string[],
): boolean {
  if (connection.isDemo) return !demoModels.includes(model);
  const { id, origin } = connection.placeOf(model);
  return origin !== undefined && catalog.lacks(origin, id);
}
