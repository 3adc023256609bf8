import * as vscode from 'vscode';
import type { TurnError } from '../../core/conversation/conversation.ts';
import type { ModelFacts } from '../../core/service/modelFacts.ts';
import { background } from '../../core/support/background.ts';
import { anyEvent, type Disposable, type Event } from '../../core/support/event.ts';
import type { ToolObstacle } from '../../protocol/messages.ts';
import type { Log } from '../log.ts';
import { settingsOfModel, type ModelPurpose } from '../settingValues.ts';
import type { Settings } from '../settings.ts';
import type { TokenRatios } from '../usage/tokenRatios.ts';
import type { Connection } from './connection.ts';
import type { ConnectionUi } from './connectionUi.ts';
import type { ModelCatalog } from './modelCatalog.ts';
import { type ModelChoice, requireModel } from './modelChoice.ts';
import type { ServiceAccess } from './serviceAccess.ts';

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

  /** The model of the next request. Asks the person to connect and select one if there is none. */
  readonly requireModel = (): Promise<string> => {
    const { settings, connection, choice, ui } = this.#options;
    return requireModel({
      settings,
      connection,
      choice,
      connect: ui.connect,
      selectModel: ui.selectModel,
    });
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
