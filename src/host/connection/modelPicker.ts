import * as vscode from 'vscode';
import { ServiceError } from '../../core/service/errors.ts';
import type { Settings } from '../settings.ts';
import type { Connection, Endpoint } from './connection.ts';
import type { ModelCatalog } from './modelCatalog.ts';
import type { ModelChoice } from './modelChoice.ts';
import { ModelQuickPick } from './modelQuickPick.ts';

export interface ModelPickerOptions {
  readonly settings: Settings;
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  readonly choice: ModelChoice;
  /** `aside.connect` and `aside.setApiKey`: resolve with whether they led somewhere. */
  readonly connect: () => Promise<boolean>;
  readonly setApiKey: () => Promise<boolean>;
  readonly showError: (error: unknown, what: string, tryAgain: () => unknown) => Promise<void>;
}

/** Lets the person choose a model of the service. */
export class ModelPicker {
  readonly #options: ModelPickerOptions;

  constructor(options: ModelPickerOptions) {
    this.#options = options;
  }

  /** `aside.selectModel`: writes the choice to the settings. */
  async selectModel(): Promise<void> {
    const endpoint = await this.#endpoint(() => this.selectModel());
    if (endpoint !== undefined) await this.#selectFrom(endpoint);
  }

  /** The same for whoever has just connected, over the list that was read then. */
  async offerModels(): Promise<void> {
    await this.#selectFrom(await this.#options.connection.endpoint());
  }

  /** A model for this once; undefined when the person cancels. */
  async pickModel(): Promise<string | undefined> {
    const endpoint = await this.#endpoint(() => this.pickModel());
    return endpoint === undefined ? undefined : this.#pickFrom(endpoint);
  }

  async #selectFrom(endpoint: Endpoint): Promise<void> {
    const model = await this.#pickFrom(endpoint);
    if (model !== undefined) await this.#options.settings.setModel(model);
  }

  async #pickFrom(endpoint: Endpoint): Promise<string | undefined> {
    const { catalog, choice, settings, showError } = this.#options;
    const pick = new ModelQuickPick({
      endpoint,
      catalog,
      settings: settings.current(),
      current: choice.current().id,
      host: endpoint.demo ? vscode.l10n.t('the demo service') : endpoint.host,
      onError: (error) => {
        const again = (): Promise<void> => this.selectModel();
        void showError(error, 'Reading the model list', again);
      },
    });
    const model = await pick.show();
    if (model !== undefined) await catalog.noteChoice(model);
    return model;
  }

  /** Where the models are; leads to what is missing first. */
  async #endpoint(tryAgain: () => unknown): Promise<Endpoint | undefined> {
    const { connect, connection, setApiKey, showError } = this.#options;
    // Connecting offers the models itself.
    if (connection.state.kind === 'none') {
      await connect();
      return undefined;
    }
    try {
      return await connection.endpoint();
    } catch (error) {
      const keyMissing = error instanceof ServiceError && error.kind === 'missing-key';
      if (keyMissing) return (await setApiKey()) ? connection.endpoint() : undefined;
      await showError(error, 'Reading the model list', tryAgain);
      return undefined;
    }
  }
}
