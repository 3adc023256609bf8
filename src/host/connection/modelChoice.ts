import * as vscode from 'vscode';
import { disposeAll, Emitter, type Disposable, type Event } from '../../core/support/event.ts';
import type { ModelState } from '../../protocol/messages.ts';
import { UserError } from '../errors.ts';
import type { ModelPurpose, SettingValues } from '../settingValues.ts';
import type { Connection } from './connection.ts';
import type { ModelCatalog } from './modelCatalog.ts';

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
    const followModel = (): void => {
      const service = serviceInUse();
      if (service === last) return;
      last = service;
      listener(service);
    };
    const listening = [connection.onDidChange(listener), choice.onDidChange(followModel)];
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
