import * as vscode from 'vscode';
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

interface ChoiceSettings {
  current(): Pick<SettingValues, 'model' | 'modelFromWorkspace' | 'modelFor'>;
  readonly onDidChange: Event<unknown>;
}

export class ModelChoice implements Disposable {
  /** Models of the demo. The first is the default if the settings contain none of them. */
  readonly demoModels: readonly string[];
  readonly #settings: ChoiceSettings;
  readonly #connection: Connection;
  readonly #catalog: ModelCatalog;
  readonly #changed = new Emitter<ModelState>();
  readonly #listening: Disposable[];

  readonly onDidChange = this.#changed.event;

  constructor(
    settings: ChoiceSettings,
    connection: Connection,
    catalog: ModelCatalog,
    demoModels: readonly string[],
  ) {
    this.demoModels = demoModels;
    this.#settings = settings;
    this.#connection = connection;
    this.#catalog = catalog;
    const fireChange = (): void => this.#changed.fire(this.current());
    this.#listening = [settings, connection, catalog].map((source) =>
      source.onDidChange(fireChange),
    );
  }

  /** The model in the settings. The demo must not change settings, so it doesn't need one. */
  current(): ModelState {
    const { model: text, modelFromWorkspace: fromWorkspace } = this.#settings.current();
    if (this.#connection.isDemo && !this.demoModels.includes(text)) {
      return { id: this.demoModels[0] ?? '', fromWorkspace: false, missing: false };
    }
    const { id, service } = this.#connection.placeOf(text);
    const missing = id !== '' && service !== undefined && this.#catalog.lacks(service, id);
    return { id: this.#connection.written(text), fromWorkspace, missing };
  }

  /**
   * The model that the settings assign to a purpose; undefined for the chosen one. The demo has its own
   * models. An id alone is a model of the current service, or else of the one whose list has it, since
   * that may have been the current one when the id was written.
   */
  of(purpose: ModelPurpose): string | undefined {
    const [connection, catalog] = [this.#connection, this.#catalog];
    const text = this.#settings.current().modelFor[purpose];
    if (text === undefined || connection.isDemo) return undefined;
    const { id, service } = connection.placeOf(text);
    if (id !== text || (service !== undefined && !catalog.lacks(service, id))) return text;
    const { services } = connection;
    const owner = services.others.find((other) => catalog.has(other.id, id));
    return owner === undefined ? text : services.written(owner.id, id);
  }

  /** True for a model that its service is known not to have. */
  readonly lacks = (model: string): boolean => {
    if (this.#connection.isDemo) return !this.demoModels.includes(model);
    const { id, service } = this.#connection.placeOf(model);
    return service !== undefined && this.#catalog.lacks(service, id);
  };

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

/** The models of the next requests, for which the person may have to connect and choose. */
export class Models {
  readonly #settings: Pick<Settings, 'written'>;
  readonly #connection: Connection;
  readonly #choice: ModelChoice;
  readonly #ratios: TokenRatios;
  readonly #ui: Pick<ConnectionUi, 'connect' | 'selectModel'>;

  constructor(
    settings: Pick<Settings, 'written'>,
    connection: Connection,
    choice: ModelChoice,
    ratios: TokenRatios,
    ui: Pick<ConnectionUi, 'connect' | 'selectModel'>,
  ) {
    this.#settings = settings;
    this.#connection = connection;
    this.#choice = choice;
    this.#ratios = ratios;
    this.#ui = ui;
  }

  /**
   * The model for the next request. If there is none, asks the person to connect and choose one.
   *
   * @throws {UserError} if the person cancels
   */
  readonly requireModel = async (): Promise<string> => {
    const [choice, ui] = [this.#choice, this.#ui];
    await this.#settings.written();
    const isUnconnected = (): boolean =>
      this.#connection.stateOf(choice.current().id).kind === 'none';
    if (isUnconnected()) await ui.connect();
    if (isUnconnected()) {
      throw new UserError(vscode.l10n.t('Connect to a service, or try the demo, then send again.'));
    }
    if (choice.current().id === '') await ui.selectModel();
    const { id } = choice.current();
    if (id === '') throw new UserError(vscode.l10n.t('Select a model, then send again.'));
    return id;
  };

  /** Like {@link requireModel}, for a purpose that may have a different model. */
  async requireFor(purpose: ModelPurpose): Promise<string> {
    // The person has to be connected.
    const model = await this.requireModel();
    return this.#choice.of(purpose) ?? model;
  }

  /** Estimates the tokens of a number of characters for the selected model. */
  readonly tokensOf = (characters: number): number =>
    this.#ratios.estimate(this.#choice.current().id, characters, 'prompt');
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
    settings.setFacts(knownFacts(connection, catalog), connection.names);
    background(listDemo());
  };
  update();
  return anyEvent<unknown>(catalog.onDidChange, connection.onDidChange)(update);
}

/** Model details from all services, by written id. */
export function knownFacts(
  { isDemo, service: current, services }: Connection,
  catalog: ModelCatalog,
): ReadonlyMap<string, ModelFacts> {
  if (isDemo && current !== undefined) return catalog.facts(current);
  const others = services.others.map(({ id }) => id);
  const all = current === undefined ? others : [current, ...others];
  return new Map(
    all.flatMap((service) =>
      [...catalog.facts(service)].map(
        ([id, facts]) => [services.written(service, id), facts] as const,
      ),
    ),
  );
}
