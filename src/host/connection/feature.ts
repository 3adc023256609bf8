import type { TurnError } from '../../core/conversation/conversation.ts';
import { browserFetch } from '../../core/service/browserFetch.ts';
import { background } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable, type Event } from '../../core/support/event.ts';
import { lazy, type Lazy } from '../../core/support/lazy.ts';
import { windowDialogs } from '../dialogs.ts';
import type { ModelPurpose } from '../settingValues.ts';
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
import { modelFor, ModelChoice, requireModel, serviceChanges } from './modelChoice.ts';
import { followModelFacts, lacksModel } from './modelKnowledge.ts';
import { createServiceAccess, type ServiceAccess } from './serviceAccess.ts';
import { ToolAccess } from './toolAccess.ts';

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
