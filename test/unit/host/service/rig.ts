import assert from 'node:assert/strict';
import { parseAddress, type ServiceAddress } from '../../../../src/core/service/address.ts';
import { Emitter } from '../../../../src/core/support/event.ts';
import { createRedactor } from '../../../../src/core/support/redact.ts';
import { Connection } from '../../../../src/host/service/connection.ts';
import { Keys } from '../../../../src/host/service/keys.ts';
import { ModelCatalog, type ReadModels } from '../../../../src/host/service/modelCatalog.ts';
import { ModelChoice } from '../../../../src/host/service/models.ts';
import { readSettings, type SettingValues } from '../../../../src/host/platform/settingValues.ts';
import { errorText } from '../../../../src/host/platform/errorText.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { demoKey } from '../../../../src/local/service.ts';
import { FakeDialogs, FakeMemento, FakeSecrets } from '../fakes.ts';
import { noon } from '../usage/usageRig.ts';
import { ConnectionUi } from '../../../../src/host/service/connectionUi.ts';

class FakeSettings {
  readonly #changed = new Emitter<undefined>();
  readonly onDidChange = this.#changed.event;
  values: SettingValues = readSettings(
    () => ({}),
    (id) => assert.fail(id),
  );

  current(): SettingValues {
    return this.values;
  }

  set(values: Partial<SettingValues>): void {
    this.values = { ...this.values, ...values };
    this.#changed.fire(undefined);
  }

  #write(values: Partial<SettingValues>): Promise<void> {
    this.set(values);
    return Promise.resolve();
  }

  readonly setBaseUrl = (baseUrl: string) => this.#write({ baseUrl });
  readonly setConsoleUrl = (consoleUrl: string) => this.#write({ consoleUrl });
  readonly setModel = (model: string) => this.#write({ model });

  effortOf(): undefined {
    return undefined;
  }

  setEffort(): Promise<never> {
    return assert.fail('not in this test');
  }

  ofPerson(): object {
    return {};
  }
}

export const demoBaseUrl = 'https://demo.invalid/v1';

export const origin = 'https://api.example.com';
export const baseUrl = `${origin}/v1`;
export const demoModels = ['demo/guide', 'demo/b', 'mistral/mistral-small'];

/** The commands, without the list of models. */
class FakeUi extends ConnectionUi {
  /** How often models were offered. */
  offered = 0;

  override async offerModels(leadOn: () => unknown): Promise<void> {
    this.offered++;
    await leadOn();
  }
}

/** Everything that connecting needs, with a person who gives these answers. */
export class ConnectionRig {
  /** Answers all requests, those to the demo too. */
  answer: typeof fetch = () => Promise.reject(new Error('not in this test'));
  readonly fetch: typeof fetch = (...request) => this.answer(...request);
  readonly demo = { baseUrl: demoBaseUrl, apiKey: demoKey, fetch: this.fetch };
  readonly state = new FakeMemento();
  readonly secrets = new FakeSecrets();
  readonly settings = new FakeSettings();
  readonly redactor = createRedactor();
  readonly clock = new ManualClock(noon);
  readonly keys = new Keys(this.secrets, this.redactor);
  readonly errors = {
    text: (error: unknown) =>
      errorText(error, { redact: this.redactor.redactError, now: 0, language: 'en' }),
    show: (error: unknown) => Promise.reject(new Error(String(error))),
  };
  readonly dialogs: FakeDialogs;
  readonly connection: Connection;
  readonly catalog: ModelCatalog;
  readonly choice: ModelChoice;
  readonly commands: FakeUi;

  constructor(
    readModels: ReadModels = () => Promise.resolve([]),
    ...answers: ConstructorParameters<typeof FakeDialogs>
  ) {
    const { clock, demo, errors, fetch, keys, settings, state } = this;
    this.dialogs = new FakeDialogs(...answers);
    this.connection = new Connection(settings, keys, state, demo, fetch);
    this.catalog = new ModelCatalog(state, readModels, clock, () => this.connection.names);
    this.choice = new ModelChoice(settings, this.connection, this.catalog, demoModels);
    const parts = { ...this.parts, readModels: readModels };
    this.commands = new FakeUi(settings, errors, parts, this.dialogs);
  }

  /** Connects a service without a key, whose list has these models. */
  async connect(host: string, ids: readonly string[] = []): Promise<ServiceAddress> {
    const { services } = this.connection;
    const address = parseAddress(`https://${host}/v1`);
    await services.remember(services.at(address));
    if (ids.length > 0)
      await this.catalog.remember(
        address.origin,
        ids.map((id) => ({ id, ownedBy: '' })),
      );
    return address;
  }

  get parts() {
    const { keys, connection, catalog, choice, fetch } = this;
    return { keys, connection, catalog, choice, readModels: () => Promise.resolve([]), fetch };
  }

  /** Everything that is stored on disk. */
  get stored(): string {
    return JSON.stringify([[...this.secrets.stored], [...this.state.stored], this.settings.values]);
  }
}
