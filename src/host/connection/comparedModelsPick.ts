import * as vscode from 'vscode';
import { formatMoney, formatTokens } from '../../core/conversation/usage.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { settingsOfModel, type SettingValues } from '../settingValues.ts';
import type { Endpoint } from './connection.ts';
import type { ModelCatalog, ModelList } from './modelCatalog.ts';
import { describeModel, groupModels, groupTitle, type ListedModel } from './modelList.ts';

/** How many models a message can be sent to at once. */
export const comparedModels = { min: 2, max: 3 } as const;

/** What it takes to send a message to several models, without the replies. */
export interface SendEstimate {
  readonly tokens: number;
  /** In the currency of the settings; absent where the price of a model is not known. */
  readonly cost?: number | undefined;
}

export interface ComparedModelsPickOptions {
  readonly endpoint: Endpoint;
  readonly catalog: ModelCatalog;
  readonly settings: SettingValues;
  /** The model in use. */
  readonly current: string;
  readonly estimate: (models: readonly string[]) => SendEstimate;
  readonly onError: (error: unknown) => void;
}

interface ComparedModelItem extends vscode.QuickPickItem {
  /** Absent for a heading. */
  readonly model?: string;
}

/** The list in which the person selects the models to compare, with what sending to them costs. */
export class ComparedModelsPick {
  readonly #options: ComparedModelsPickOptions;
  readonly #pick = vscode.window.createQuickPick<ComparedModelItem>();
  readonly #abort = new AbortController();

  constructor(options: ComparedModelsPickOptions) {
    this.#options = options;
    this.#pick.canSelectMany = true;
    this.#pick.matchOnDescription = true;
    this.#pick.keepScrollPosition = true;
    this.#pick.placeholder = vscode.l10n.t('Select two or three models to compare');
  }

  /** Resolves with the ids of the models, the one in use first; undefined if the person cancels. */
  show(): Promise<readonly string[] | undefined> {
    return new Promise((resolve) => {
      const disposables: Disposable[] = [
        this.#pick,
        this.#pick.onDidChangeSelection(() => this.#describe()),
        this.#pick.onDidAccept(() => {
          if (!this.#check()) return;
          resolve(this.#selected);
          this.#pick.hide();
        }),
        this.#pick.onDidHide(() => {
          resolve(undefined);
          this.#abort.abort();
          disposeAll(disposables);
        }),
      ];
      void this.#open();
    });
  }

  get #selected(): readonly string[] {
    const ids = this.#pick.selectedItems.flatMap(({ model }) => model ?? []);
    const isCurrent = (id: string): boolean => id === this.#options.current;
    return [...ids.filter(isCurrent), ...ids.filter((id) => !isCurrent(id))];
  }

  async #open(): Promise<void> {
    const { catalog, endpoint, onError } = this.#options;
    const known = catalog.list(endpoint.origin);
    if (known !== undefined) this.#draw(known);
    this.#pick.busy = known === undefined;
    this.#pick.show();
    if (known !== undefined) return;
    try {
      const list = await catalog.refresh(endpoint, this.#abort.signal);
      if (!this.#abort.signal.aborted) this.#draw(list);
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#pick.hide();
      onError(error);
    } finally {
      this.#pick.busy = false;
    }
  }

  #draw(list: ModelList): void {
    const { catalog, current } = this.#options;
    const wanted = [current, ...catalog.compared()].slice(0, comparedModels.max);
    const groups = groupModels({
      models: list.models,
      current,
      recent: catalog.recent(),
      pinned: catalog.pinned(),
    });
    const items = groups.flatMap((group): ComparedModelItem[] => [
      { label: groupTitle(group, vscode.l10n), kind: vscode.QuickPickItemKind.Separator },
      ...group.models.map((model) => this.#item(model)),
    ]);
    this.#pick.items = items;
    this.#pick.selectedItems = items.filter(
      ({ model }) => model !== undefined && wanted.includes(model),
    );
    this.#describe();
  }

  #item(model: ListedModel): ComparedModelItem {
    const { settings } = this.#options;
    const own = settingsOfModel(settings, model.id);
    return {
      model: model.id,
      // The id comes from the service and must not become an icon.
      label: (model.missing ? '$(warning) ' : '') + model.id.replaceAll('$(', '$ ('),
      description: describeModel(model, own, settings.currency, vscode.l10n),
    };
  }

  /** Says what is missing, or what it costs to send the message to all selected models. */
  #describe(): void {
    const text = this.#problem ?? this.#costText;
    this.#pick.title = vscode.l10n.t('Compare Models: {0}', text);
  }

  get #problem(): string | undefined {
    const { length } = this.#selected;
    if (length < comparedModels.min) return vscode.l10n.t('Select two or three models.');
    return length > comparedModels.max ? vscode.l10n.t('Select at most three models.') : undefined;
  }

  get #costText(): string {
    const { tokens, cost } = this.#options.estimate(this.#selected);
    const count = formatTokens(tokens, true);
    if (cost === undefined) return vscode.l10n.t('{0} tokens to send', count);
    const money = formatMoney(cost, this.#options.settings.currency, vscode.env.language);
    return vscode.l10n.t(
      '{0} tokens to send, {1}',
      count,
      money.startsWith('<') ? money : `≈${money}`,
    );
  }

  #check(): boolean {
    const problem = this.#problem;
    if (problem !== undefined) void vscode.window.showWarningMessage(problem);
    return problem === undefined;
  }
}
