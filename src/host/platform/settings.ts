import * as vscode from 'vscode';
import type { RequestOptions } from '../../core/conversation/conversation.ts';
import type { Price } from '../../core/conversation/usage.ts';
import type { ModelFacts } from '../../core/service/modelFacts.ts';
import { modelKeys, type ServiceNames } from '../../core/service/modelReference.ts';
import { disposeAll, Emitter, type Disposable } from '../../core/support/event.ts';
import { isObject } from '../../core/support/json.ts';
import type { EffortChoice } from '../../protocol/messages.ts';
import { settingIds } from '../contributions.ts';
import {
  refusedOptions,
  requestOptions,
  takesEffort,
  withFacts,
  settingsOfModel,
  inspectionsOf,
  readSettings,
  type BudgetSettings,
  type ModelSettings,
  type SettingValues,
} from './settingValues.ts';

/** Reads the settings as they are now. */
export interface CurrentSettings {
  current(): SettingValues;
  requestOptions(model?: string): RequestOptions;
  refusedOptions(model?: string): readonly (keyof RequestOptions)[];
  /** How much a model is to think; undefined if it doesn't take that. */
  effortOf(model?: string): EffortChoice | undefined;
}

/** The settings as one typed value, with an event for its changes. */
export class Settings implements CurrentSettings, Disposable {
  readonly #log: (problem: string) => void;
  readonly #reported = new Set<string>();
  readonly #changed = new Emitter<SettingValues>();
  readonly #disposables: Disposable[];
  #facts: ReadonlyMap<string, ModelFacts> = new Map();
  #services: ServiceNames | undefined;
  #values: SettingValues;
  /** The settings without details from services. */
  #windowValues: SettingValues;
  #writes: Promise<unknown> = Promise.resolve();

  readonly onDidChange = this.#changed.event;

  /** @param log called once with a message for each invalid value */
  constructor(log: (problem: string) => void) {
    this.#log = log;
    this.#windowValues = this.#readOwn();
    this.#values = this.#read();
    this.#disposables = [
      this.#changed,
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('aside')) this.#refresh();
      }),
    ];
  }

  current(): SettingValues {
    return this.#values;
  }

  requestOptions(model = this.#values.model): RequestOptions {
    return requestOptions(this.#values, model);
  }

  /** The person's own settings of a model, without details from its service. */
  ofPerson(model: string): Partial<ModelSettings> {
    return settingsOfModel(withFacts(this.#windowValues, new Map(), this.#services), model);
  }

  refusedOptions(model = this.#values.model): readonly (keyof RequestOptions)[] {
    return refusedOptions(this.#values, model);
  }

  setBaseUrl(baseUrl: string): Promise<void> {
    return this.#write(settingIds.baseUrl, baseUrl, vscode.ConfigurationTarget.Global);
  }

  setConsoleUrl(consoleUrl: string): Promise<void> {
    return this.#write(settingIds.consoleUrl, consoleUrl, vscode.ConfigurationTarget.Global);
  }

  /**
   * Resolves when all that was set is in effect, or could not be written. A message may be sent right
   * after a choice, before VS Code has written it.
   */
  async written(): Promise<void> {
    await this.#writes;
  }

  /**
   * Sets details from services about models, by written id. The person's settings come first.
   */
  setFacts(facts: ReadonlyMap<string, ModelFacts>, services?: ServiceNames): void {
    this.#facts = facts;
    this.#services = services;
    this.#update();
  }

  /** Writes to the workspace's settings if the model is set there, else to the user's. */
  setModel(model: string): Promise<void> {
    const target = this.#values.modelFromWorkspace
      ? vscode.ConfigurationTarget.Workspace
      : vscode.ConfigurationTarget.Global;
    return this.#write(settingIds.model, model, target);
  }

  /** Writes to the user's settings, the only ones that can limit something. */
  setBudget(budget: BudgetSettings): Promise<void> {
    return this.#write(settingIds.budget, budget, vscode.ConfigurationTarget.Global);
  }

  effortOf(model = this.#values.model): EffortChoice | undefined {
    const entry = settingsOfModel(this.#values, model);
    return takesEffort(entry) ? { effort: entry.reasoningEffort } : undefined;
  }

  /** @param effort undefined for the default of the service */
  setEffort(model: string, effort: string | undefined): Promise<void> {
    return this.#setOfModel(model, { reasoningEffort: effort });
  }

  setPrice(model: string, price: Price): Promise<void> {
    return this.#setOfModel(model, { price });
  }

  /**
   * Changes the entry of a model in the user's settings, if several services are connected that of its
   * service alone.
   */
  #setOfModel(model: string, change: object): Promise<void> {
    const configuration = vscode.workspace.getConfiguration();
    const stored: unknown = configuration.inspect(settingIds.models)?.globalValue;
    const models = isObject(stored) ? stored : {};
    const { own, general } = modelKeys(model, this.#services);
    const hasOthers = this.#services !== undefined && this.#services.others.length > 0;
    const key = hasOthers || Object.hasOwn(models, own) ? own : general;
    const [before, hidden] = [models[key], key === general ? undefined : models[general]];
    const entry = { ...(isObject(before) ? before : {}) };
    for (const [name, value] of Object.entries<unknown>({ ...change })) {
      // Without the value in this entry, the general one would hold.
      const unset = isObject(hidden) && Object.hasOwn(hidden, name) ? null : undefined;
      entry[name] = value ?? unset;
    }
    const set = Object.fromEntries(
      Object.entries(entry).filter(([, value]) => value !== undefined),
    );
    const next = { ...models, [key]: set };
    return this.#write(settingIds.models, next, vscode.ConfigurationTarget.Global);
  }

  dispose(): void {
    disposeAll(this.#disposables);
  }

  async #write(
    id: string,
    value: string | BudgetSettings | Readonly<Record<string, unknown>>,
    target: vscode.ConfigurationTarget,
  ): Promise<void> {
    const update = vscode.workspace.getConfiguration().update(id, value, target);
    // The event may come after the promise, but the caller must see the new value.
    const writing = Promise.resolve(update).then(() => this.#refresh());
    this.#writes = Promise.allSettled([this.#writes, writing]);
    await writing;
  }

  #refresh(): void {
    this.#windowValues = this.#readOwn();
    this.#update();
  }

  #read(): SettingValues {
    return withFacts(this.#windowValues, this.#facts, this.#services);
  }

  #update(): void {
    const values = this.#read();
    if (JSON.stringify(values) === JSON.stringify(this.#values)) return;
    this.#values = values;
    this.#changed.fire(values);
  }

  #readOwn(): SettingValues {
    const inspect = inspectionsOf(vscode.workspace.getConfiguration());
    return readSettings(inspect, (id, value, problem) => {
      const once = JSON.stringify([id, value]);
      if (this.#reported.has(once)) return;
      this.#reported.add(once);
      this.#log(vscode.l10n.t('Ignored invalid value of {0}: {1}', id, problem));
    });
  }
}
