import { Emitter } from '../../../../src/core/support/event.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { Connection } from '../../../../src/host/service/connection.ts';
import { KeyPrompt } from '../../../../src/host/service/keyPrompt.ts';
import { Keys } from '../../../../src/host/service/keys.ts';
import { ModelCatalog, type ReadModels } from '../../../../src/host/service/modelCatalog.ts';
import type { SettingValues } from '../../../../src/host/platform/settingValues.ts';
import { errorText } from '../../../../src/host/platform/errorText.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { FakeDialogs, FakeMemento, FakeSecrets } from '../fakes.ts';
import { ConnectionCommands } from '../../../../src/host/service/connectionUi.ts';

type Values = Pick<
  SettingValues,
  'baseUrl' | 'consoleUrl' | 'model' | 'modelFromWorkspace' | 'modelFor'
>;

class FakeSettings {
  readonly #changed = new Emitter<undefined>();
  readonly onDidChange = this.#changed.event;
  values: Values = {
    baseUrl: '',
    consoleUrl: '',
    model: '',
    modelFromWorkspace: false,
    modelFor: {},
  };

  current(): Values {
    return this.values;
  }

  set(values: Partial<Values>): void {
    this.values = { ...this.values, ...values };
    this.#changed.fire(undefined);
  }

  setBaseUrl(baseUrl: string): Promise<void> {
    this.set({ baseUrl });
    return Promise.resolve();
  }

  setConsoleUrl(consoleUrl: string): Promise<void> {
    this.set({ consoleUrl });
    return Promise.resolve();
  }
}

export const demo = {
  baseUrl: 'https://demo.invalid/v1',
  apiKey: 'sk-demo',
  fetch: () => Promise.reject(new Error('not in this test')),
};

export const origin = 'https://api.example.com';
export const baseUrl = `${origin}/v1`;

/** Everything that connecting needs, with a person who gives these answers. */
export class ConnectionRig {
  readonly state = new FakeMemento();
  readonly secrets = new FakeSecrets();
  readonly settings = new FakeSettings();
  readonly redactor = createRedactor();
  readonly clock = new ManualClock();
  readonly keys = new Keys(this.secrets, this.redactor);
  readonly opened: string[] = [];
  readonly dialogs: FakeDialogs;
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  readonly commands: ConnectionCommands;
  offered = 0;

  constructor(readModels: ReadModels, ...answers: ConstructorParameters<typeof FakeDialogs>) {
    const { clock, keys, settings, state } = this;
    this.dialogs = new FakeDialogs(...answers);
    this.connection = new Connection({ settings, keys, state, demo, fetch });
    const names = () => this.connection.names;
    this.catalog = new ModelCatalog({ state, readModels, clock, names });
    const keyPrompt = new KeyPrompt({
      dialogs: this.dialogs,
      keys,
      readModels,
      fetch,
      errorText: (error) =>
        errorText(error, { redact: this.redactor.redactError, now: 0, language: 'en' }),
    });
    this.commands = new ConnectionCommands({
      dialogs: this.dialogs,
      settings,
      keys,
      keyPrompt,
      connection: this.connection,
      catalog: this.catalog,
      offerModels: (leadOn) => {
        this.offered++;
        return Promise.resolve(leadOn());
      },
      chooseModel: (model, leadOn) => {
        this.settings.set({ model });
        return Promise.resolve(leadOn());
      },
      openExternal: (address) => Promise.resolve(this.opened.push(address)),
    });
  }

  /** Everything that is stored on disk. */
  get stored(): string {
    return JSON.stringify([[...this.secrets.stored], [...this.state.stored], this.settings.values]);
  }
}
