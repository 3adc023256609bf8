import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Memento } from '../memento.ts';
import { settingsOfModel, type SettingValues } from '../settingValues.ts';

interface ToolAccessOptions {
  readonly settings: { current(): SettingValues };
  /** Where requests go; undefined while there is no service. */
  readonly origin: () => string | undefined;
  readonly withoutTools: ModelsWithoutTools;
}

/** Decides, for each turn anew, whether its model gets tools at all. */
export class ToolAccess {
  readonly #options: ToolAccessOptions;

  constructor(options: ToolAccessOptions) {
    this.#options = options;
  }

  /** Nothing of a workspace that nobody trusts is offered to a model. */
  allows(model: string): boolean {
    const values = this.#options.settings.current();
    if (!values.tools.enabled || !vscode.workspace.isTrusted || !hasSomethingToRead()) return false;
    const own = settingsOfModel(values, model).tools;
    return own ?? !this.#options.withoutTools.has(this.#origin, model);
  }

  /** Remembers a model that answered without tools, after it had refused a request with them. */
  refused(model: string): Promise<void> {
    return this.#options.withoutTools.add(this.#origin, model);
  }

  get #origin(): string {
    return this.#options.origin() ?? '';
  }
}

/** Without a folder and a file the tools would only cost. */
function hasSomethingToRead(): boolean {
  const { workspaceFolders = [] } = vscode.workspace;
  return workspaceFolders.length > 0 || vscode.window.visibleTextEditors.length > 0;
}

const key = 'aside.modelsWithoutTools';
const list = z.array(z.string());

/** So many are remembered; the oldest go first. */
const maxEntries = 200;

/** The models that refused a request with tools and answered the same without. */
export class ModelsWithoutTools {
  readonly #state: Memento;

  /** @param state that of the user, for all windows */
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

  /** Gives every model its tools again. */
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
