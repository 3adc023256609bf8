import * as vscode from 'vscode';
import { ownSettings, type SettingValues } from '../settingValues.ts';
import type { ModelsWithoutTools } from './modelsWithoutTools.ts';

export interface ToolAccessOptions {
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
    const own = ownSettings(values, model).tools;
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
