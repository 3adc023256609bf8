import * as vscode from 'vscode';
import type { LearnedFactStore } from '../../core/service/learnedFacts.ts';
import { settingsOfModel } from '../modelSettings.ts';
import type { SettingValues } from '../settingValues.ts';

interface ToolAccessOptions {
  readonly settings: { current(): SettingValues };
  /** The origin of a model's service, undefined while not connected, and the model's id there. */
  readonly placeOf: (model: string) => { readonly origin: string | undefined; readonly id: string };
  readonly learned: LearnedFactStore;
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
    return this.#options.learned.details(origin, id).withoutTools !== true;
  }

  /** Records a model that replied without tools after it had refused a request with them. */
  refused(model: string): Promise<void> {
    const { origin = '', id } = this.#options.placeOf(model);
    return this.#options.learned.learn(origin, id, { withoutTools: true });
  }
}

/** Without a folder or file, tools would only cost tokens. */
function hasSomethingToRead(): boolean {
  const { workspaceFolders = [] } = vscode.workspace;
  return workspaceFolders.length > 0 || vscode.window.visibleTextEditors.length > 0;
}
