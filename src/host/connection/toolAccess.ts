import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Memento } from '../memento.ts';
import { settingsOfModel, type SettingValues } from '../settingValues.ts';

const key = 'aside.modelsWithoutTools';
const list = z.array(z.string());

/** Maximum number of stored entries; the oldest are dropped first. */
const maxEntries = 200;

interface ToolAccessOptions {
  readonly settings: { current(): SettingValues };
  /** The origin of a model's service, undefined while not connected, and the model's id there. */
  readonly placeOf: (model: string) => { readonly origin: string | undefined; readonly id: string };
  readonly withoutTools: ModelsWithoutTools;
}

/** Decides for each turn whether its model gets any tools. */
export class ToolAccess {
  readonly #options: ToolAccessOptions;

  constructor(options: ToolAccessOptions) {
    this.#options = options;
  }

  /** Models get no tools in an untrusted workspace. */
  allows(model: string): boolean {
    const values = this.#options.settings.current();
    if (!values.tools.enabled || !vscode.workspace.isTrusted || !hasSomethingToRead()) return false;
    const modelSetting = settingsOfModel(values, model).tools;
    if (modelSetting !== undefined) return modelSetting;
    const { origin = '', id } = this.#options.placeOf(model);
    return !this.#options.withoutTools.has(origin, id);
  }

  /** Records a model that replied without tools after it had refused a request with them. */
  refused(model: string): Promise<void> {
    const { origin = '', id } = this.#options.placeOf(model);
    return this.#options.withoutTools.add(origin, id);
  }
}

/** Without a folder or file the tools would only cost tokens. */
function hasSomethingToRead(): boolean {
  const { workspaceFolders = [] } = vscode.workspace;
  return workspaceFolders.length > 0 || vscode.window.visibleTextEditors.length > 0;
}

/** The models that refused a request with tools and replied to the same request without. */
export class ModelsWithoutTools {
  readonly #state: Memento;

  /** @param state the user's state, shared by all windows */
  constructor(state: Memento) {
    this.#state = state;
  }

  has(origin: string, model: string): boolean {
    return this.#read().includes(entryOf(origin, model));
  }

  async add(origin: string, model: string): Promise<void> {
    const entry = entryOf(origin, model);
    const others = this.#read().filter((other) => other !== entry);
    await this.#state.update(key, [...others, entry].slice(-maxEntries));
  }

  /** Allows tools for a model again. */
  async remove(origin: string, model: string): Promise<void> {
    const entry = entryOf(origin, model);
    await this.#state.update(
      key,
      this.#read().filter((other) => other !== entry),
    );
  }

  /** Allows tools for every model again. */
  async clear(): Promise<void> {
    await this.#state.update(key, undefined);
  }

  #read(): readonly string[] {
    return list.safeParse(this.#state.get(key)).data ?? [];
  }
}

function entryOf(origin: string, model: string): string {
  return `${origin} ${model}`;
}
