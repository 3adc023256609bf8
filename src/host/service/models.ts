import * as vscode from 'vscode';
import type { TurnError } from '../../core/conversation/conversation.ts';
import type { ModelFacts } from '../../core/service/modelFacts.ts';
import { background } from '../../core/support/background.ts';
import {
  anyEvent,
  disposeAll,
  Emitter,
  type Disposable,
  type Event,
} from '../../core/support/event.ts';
import type { ModelState, ToolObstacle } from '../../protocol/messages.ts';
import { UserError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import {
  settingsOfModel,
  type ModelPurpose,
  type SettingValues,
} from '../platform/settingValues.ts';
import type { Settings } from '../platform/settings.ts';
import type { TokenRatios } from '../usage/tokenRatios.ts';
import type { Connection } from './connection.ts';
import type { ConnectionUi } from './connectionUi.ts';
import type { ModelCatalog } from './modelCatalog.ts';
import type { ServiceAccess } from './serviceAccess.ts';

interface ModelChoiceOptions {
  readonly settings: {
    current(): Pick<SettingValues, 'model' | 'modelFromWorkspace' | 'modelFor'>;
    readonly onDidChange: Event<unknown>;
  };
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  /** Models of the demo. The first is the default if the settings contain none of them. */
  readonly demoModels: readonly string[];
}

export class ModelChoice implements Disposable {
  readonly #options: ModelChoiceOptions;
  readonly #changed = new Emitter<ModelState>();
  readonly #listening: Disposable[];

  readonly onDidChange = this.#changed.event;

  constructor(options: ModelChoiceOptions) {
    this.#options = options;
    const fireChange = (): void => this.#changed.fire(this.current());
    this.#listening = [
      options.settings.onDidChange(fireChange),
      options.connection.onDidChange(fireChange),
      options.catalog.onDidChange(fireChange),
    ];
  }

  /** The model in the settings. The demo must not change settings, so it doesn't need one. */
  current(): ModelState {
    const { catalog, connection, demoModels, settings } = this.#options;
    const { model: text, modelFromWorkspace: fromWorkspace } = settings.current();
    if (connection.isDemo && !demoModels.includes(text)) {
      return { id: demoModels[0] ?? '', fromWorkspace: false, missing: false };
    }
    const { id, service } = connection.placeOf(text);
    const missing = id !== '' && service !== undefined && catalog.lacks(service, id);
    return { id: connection.written(text), fromWorkspace, missing };
  }

  /**
   * The model that the settings assign to a purpose; undefined for the chosen one. The demo has its own
   * models. An id alone is a model of the current service, or else of the one whose list has it, since
   * that may have been the current one when the id was written.
   */
  of(purpose: ModelPurpose): string | undefined {
    const { catalog, connection, settings } = this.#options;
    const text = settings.current().modelFor[purpose];
    if (text === undefined || connection.isDemo) return undefined;
    const { id, service } = connection.placeOf(text);
    if (id !== text || (service !== undefined && !catalog.lacks(service, id))) return text;
    const { services } = connection;
    const owner = services.others.find((other) => catalog.has(other.id, id));
    return owner === undefined ? text : services.written(owner.id, id);
  }

  dispose(): void {
    disposeAll(this.#listening);
    this.#changed.dispose();
  }
}

/**
 * Fires when requests may go to another service: the current one changed, or the chosen model is
 * from another one.
 */
export function serviceChanges(connection: Connection, choice: ModelChoice): Event<unknown> {
  const serviceInUse = (): string | undefined => connection.placeOf(choice.current().id).service;
  return (listener) => {
    let last = serviceInUse();
    const listening = [
      connection.onDidChange(listener),
      choice.onDidChange(() => {
        const service = serviceInUse();
        if (service === last) return;
        last = service;
        listener(service);
      }),
    ];
    return { dispose: () => disposeAll(listening) };
  };
}

interface RequireModelOptions {
  readonly settings: { written(): Promise<void> };
  readonly connection: Connection;
  readonly choice: ModelChoice;
  readonly connect: () => Promise<unknown>;
  readonly selectModel: () => Promise<unknown>;
}

/**
 * The model for the next request. If there is none, asks the person to connect and choose one.
 *
 * @throws {UserError} if the person cancels
 */
export async function requireModel(options: RequireModelOptions): Promise<string> {
  const { settings, connection, choice, connect, selectModel } = options;
  await settings.written();
  const isUnconnected = (): boolean => connection.stateOf(choice.current().id).kind === 'none';
  if (isUnconnected()) await connect();
  if (isUnconnected()) {
    throw new UserError(vscode.l10n.t('Connect to a service, or try the demo, then send again.'));
  }
  if (choice.current().id === '') await selectModel();
  const { id } = choice.current();
  if (id === '') throw new UserError(vscode.l10n.t('Select a model, then send again.'));
  return id;
}

interface ModelsOptions {
  readonly settings: Settings;
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  readonly choice: ModelChoice;
  readonly ratios: TokenRatios;
  readonly service: ServiceAccess;
  readonly ui: ConnectionUi;
  /** Ids of the models of the demo. */
  readonly demoModels: readonly string[];
}

/** The models of requests: which one is used, what it costs in tokens, and what its errors say. */
export class Models {
  readonly #options: ModelsOptions;

  constructor(options: ModelsOptions) {
    this.#options = options;
  }

  /** The model of the next request, see {@link requireModel}. */
  readonly requireModel = (): Promise<string> => {
    const { settings, connection, choice, ui } = this.#options;
    const { connect, selectModel } = ui;
    return requireModel({ settings, connection, choice, connect, selectModel });
  };

  /** Like {@link requireModel}, for a purpose that may have a different model. */
  async requireFor(purpose: ModelPurpose): Promise<string> {
    // The person has to be connected.
    const model = await this.requireModel();
    return this.#options.choice.of(purpose) ?? model;
  }

  /** True for a model that its service is known not to have. */
  readonly lacks = (model: string): boolean => {
    const { connection, catalog, demoModels } = this.#options;
    if (connection.isDemo) return !demoModels.includes(model);
    const { id, service } = connection.placeOf(model);
    return service !== undefined && catalog.lacks(service, id);
  };

  /** Estimates the tokens of a number of characters for the selected model. */
  readonly tokensOf = (characters: number): number =>
    this.#options.ratios.estimate(this.#options.choice.current().id, characters, 'prompt');

  /** Logs an error of a request, learns from it about the model, and returns its text. */
  readonly describe = (error: unknown, model: string): TurnError => {
    const { connection, catalog, service } = this.#options;
    const { id, service: its } = connection.placeOf(model);
    if (its !== undefined) background(catalog.noteError(its, id, error));
    return service.describe(error, model);
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

export function createToolAccess(
  settings: Settings,
  connection: Connection,
  { learned }: ModelCatalog,
): ToolAccess {
  return {
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
      const { service = '', id } = connection.placeOf(model);
      return learned.details(service, id).withoutTools === true ? 'refused' : undefined;
    },
    tryAgain(model) {
      const { service = '', id } = connection.placeOf(model);
      return learned.learn(service, id, { withoutTools: false });
    },
    onDidChange: learned.onDidChange,
  };
}

/** Passes model details to the settings, initially and on changes. */
export function followModelFacts(
  settings: Settings,
  log: Log,
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
