import { l10n } from 'vscode';
import { ModelsWithoutTools } from '../host/tools/toolAccess.ts';
import { lazy, type Lazy } from '../core/support/async.ts';
import { browserFetch } from '../core/service/browserFetch.ts';
import type { ModelFacts } from '../core/service/modelFacts.ts';
import { systemClock } from '../core/support/clock.ts';
import { anyEvent, type Disposable } from '../core/support/event.ts';
import { Connection } from '../host/connection/connection.ts';
import { createModelReader, ModelCatalog } from '../host/connection/modelCatalog.ts';
import { ModelChoice, requireModel } from '../host/connection/modelChoice.ts';
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
  const { settings, errors, keys, log, redactor } = base;
  const { globalState: state } = base.context;
  const demo = createDemo();
  const fetch = fetchOf(base);
  const connection = new Connection({ settings, keys, state, demo, fetch });
  const readModels = createModelReader(() => settings.current().requestTimeoutSeconds);
  const written = (model: string): string => connection.written(model);
  const catalog = new ModelCatalog({ state, readModels, written, clock: systemClock });
  const choice = new ModelChoice({ settings, connection, catalog, demoModels: demo.models });
  const tellFacts = (): void => {
    const { isDemo, services } = connection;
    settings.setFacts(knownFacts(connection, catalog), isDemo ? undefined : services.names);
  };
  const learning = anyEvent<unknown>(catalog.onDidChange, connection.onDidChange)(tellFacts);
  tellFacts();
  const ledger = createLedger(base, (origin, id) => connection.services.written(origin, id));
  const running = new RunningRequests();
  const ratios = new TokenRatios(state);
  const ui = lazy(async () => {
    const { createConnectionUi } = await import('./connectionUi.ts');
    const given = { settings, errors, keys, connection, catalog, choice, fetch, readModels };
    return createConnectionUi({ ...given, withoutTools: new ModelsWithoutTools(state) });
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

/** In a browser, with the origin of the page in whose worker this runs, which a service sees. */
function fetchOf({ node }: Base): typeof fetch {
  if (node !== undefined) return fetch;
  const origin: unknown = Reflect.get(globalThis, 'origin');
  return browserFetch(fetch, String(origin));
}

/** What a chat has used, and where its requests count. */
export function accountOf(open: () => OpenChat): ChatAccount {
  return {
    id: () => open().chat.conversation.id,
    usage: () => paidUsage(open().chat.conversation),
    saved: () => open().store.flush(),
  };
}

/** What requests ask of the catalog, and tell it. */
function modelKnowledge(catalog: ModelCatalog) {
  return {
    noteError: (...given) => void catalog.noteError(...given),
    noteRefused: (...given) => void catalog.noteRefused(...given),
    lacks: (...given) => catalog.lacks(...given),
  } satisfies Partial<Parameters<typeof createServiceAccess>[0]>;
}

/** What the services say about their models, by the written ids of these. */
function knownFacts(
  { isDemo, origin, services }: Connection,
  catalog: ModelCatalog,
): ReadonlyMap<string, ModelFacts> {
  if (origin === undefined) return new Map();
  if (isDemo) return catalog.facts(origin);
  const origins = [origin, ...services.others.map((service) => service.origin)];
  return new Map(
    origins.flatMap((one) =>
      [...catalog.facts(one)].map(([id, facts]) => [services.written(one, id), facts] as const),
    ),
  );
}
