import { ModelsWithoutTools } from '../host/tools/toolAccess.ts';
import { lazy, type Lazy } from '../core/support/async.ts';
import { background } from '../core/support/background.ts';
import { browserFetch } from '../core/service/browserFetch.ts';
import type { ModelFacts } from '../core/service/modelFacts.ts';
import { systemClock } from '../core/support/clock.ts';
import { anyEvent, type Disposable } from '../core/support/event.ts';
import { Connection } from '../host/connection/connection.ts';
import { createModelReader, ModelCatalog } from '../host/connection/modelCatalog.ts';
import { ModelChoice, requireModel } from '../host/connection/modelChoice.ts';
import { readDemoTexts } from '../host/connection/demoTexts.ts';
import { createServiceAccess, type ServiceAccess } from '../host/connection/serviceAccess.ts';
import type { OpenChat } from '../host/chat/openChat.ts';
import type { Ledger } from '../host/usage/ledger.ts';
import type { ChatAccount } from '../host/usage/requestAdmission.ts';
import { RunningRequests } from '../host/usage/runningRequests.ts';
import { usageContext } from '../host/usage/statusBar.ts';
import { paidUsage } from '../host/usage/usageTable.ts';
import { windowDialogs } from '../host/dialogs.ts';
import { UnpricedModels } from '../host/usage/unpricedModels.ts';
import { TokenRatios } from '../host/usage/tokenRatios.ts';
import { createDemo } from '../local/demo.ts';
import { createLedger, type Base } from './hostWindow.ts';
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
  /** The model of the next request. Asks the person to connect and select one if there is none. */
  readonly requireModel: () => Promise<string>;
  /** Estimates the tokens of so many characters for the selected model. */
  readonly tokensOf: (characters: number) => number;
  readonly disposables: readonly Disposable[];
}

export function createConnectionServices(base: Base): ConnectionServices {
  const { context, node, settings, errors, keys, log, redactor } = base;
  const { globalState: state } = context;
  const demo = createDemo(() => readDemoTexts(context.extensionUri));
  const fetch = fetchOf(base);
  const connection = new Connection({ settings, keys, state, demo, fetch });
  const readModels = createModelReader(() => settings.current().requestTimeoutSeconds);
  const written = (model: string): string => connection.written(model);
  const catalog = new ModelCatalog({ state, readModels, written, clock: systemClock });
  const choice = new ModelChoice({ settings, connection, catalog, demoModels: demo.models });
  const learning = tellFacts(base, connection, catalog);
  const ledger = createLedger(base, (origin, id) => connection.services.written(origin, id));
  const running = new RunningRequests();
  const ratios = new TokenRatios(state);
  const ui = lazy(async () => {
    const { createConnectionUi } = await import('./connectionUi.ts');
    const withoutTools = new ModelsWithoutTools(state);
    const shared = { context, node, settings, errors, keys, connection, catalog, choice };
    return createConnectionUi({ ...shared, fetch, readModels, withoutTools });
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
      usage: () => usageContext(settings),
      ...modelKnowledge(catalog),
      unpriced: new UnpricedModels({
        dialogs: windowDialogs,
        state,
        setPrice: (model, price) => settings.setPrice(model, price),
        currency: () => settings.current().currency,
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

/** Passes model details to the settings whenever they change. */
function tellFacts(base: Base, connection: Connection, catalog: ModelCatalog): Disposable {
  const tell = (): void => {
    const { isDemo, services } = connection;
    base.settings.setFacts(knownFacts(connection, catalog), isDemo ? undefined : services.names);
    background(listDemo(connection, catalog, base));
  };
  tell();
  return anyEvent<unknown>(catalog.onDidChange, connection.onDidChange)(tell);
}

/** Reads the demo's model list when the demo is chosen, so that prices and limits are known. */
async function listDemo(connection: Connection, catalog: ModelCatalog, base: Base): Promise<void> {
  const { isDemo, origin = '' } = connection;
  if (!isDemo || catalog.list(origin) !== undefined) return;
  try {
    await catalog.refresh(await connection.endpoint(), new AbortController().signal);
  } catch (error) {
    base.log.error('Reading the models of the demo', error);
  }
}

/** Fetches in a browser with the origin of the page that owns this worker, which a service sees. */
function fetchOf({ node }: Base): typeof fetch {
  if (node !== undefined) return fetch;
  const origin: unknown = Reflect.get(globalThis, 'origin');
  return browserFetch(fetch, String(origin));
}

/** The account of a chat: its usage so far, and where its requests count. */
export function accountOf(open: () => OpenChat): ChatAccount {
  return {
    id: () => open().chat.conversation.id,
    usage: () => paidUsage(open().chat.conversation),
    saved: () => open().store.flush(),
  };
}

function modelKnowledge(catalog: ModelCatalog) {
  return {
    noteError: (origin, model, error) => background(catalog.noteError(origin, model, error)),
    noteRefused: (origin, model, option) => background(catalog.noteRefused(origin, model, option)),
    lacks: (origin, model) => catalog.lacks(origin, model),
  } satisfies Partial<Parameters<typeof createServiceAccess>[0]>;
}

/** Model details from the services, by written id. */
function knownFacts(
  { isDemo, origin, services }: Connection,
  catalog: ModelCatalog,
): ReadonlyMap<string, ModelFacts> {
  if (origin === undefined) return new Map();
  if (isDemo) return catalog.facts(origin);
  const origins = [origin, ...services.others.map((other) => other.origin)];
  return new Map(
    origins.flatMap((service) =>
      [...catalog.facts(service)].map(
        ([id, facts]) => [services.written(service, id), facts] as const,
      ),
    ),
  );
}
