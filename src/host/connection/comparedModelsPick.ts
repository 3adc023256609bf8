import { toDisposable } from '../../core/support/event.ts';
import * as vscode from 'vscode';
import { formatMoney, formatTokens } from '../../core/conversation/usage.ts';
import { background } from '../../core/support/background.ts';
import { settingsOfModel } from '../modelSettings.ts';
import type { SettingValues } from '../settingValues.ts';
import type { ModelCatalog, ModelList } from './modelCatalog.ts';
import {
  describeModel,
  groupModels,
  groupTitle,
  modelLabel,
  type ListedModel,
  type ServiceModel,
} from './modelList.ts';
import type { OfferedModels } from './offeredModels.ts';
import { notify } from '../dialogs.ts';
import { answerOf } from '../quickInput.ts';

/** Number of models that can be compared. */
export const comparedModels = { min: 2, max: 3 } as const;

/** Tokens and cost of sending a message to several models, without the replies. */
export interface SendEstimate {
  readonly tokens: number;
  /** In the currency of the settings; undefined if the price of a model is unknown. */
  readonly cost?: number | undefined;
}

export interface ComparedModelsPickOptions {
  readonly models: OfferedModels;
  readonly catalog: ModelCatalog;
  readonly settings: SettingValues;
  readonly current: string;
  /** Name of its service; undefined for the current one. */
  readonly service?: string | undefined;
  readonly estimate: (models: readonly string[]) => SendEstimate;
  readonly onError: (error: unknown) => void;
}

interface ComparedModelItem extends vscode.QuickPickItem {
  /** Undefined for a heading. */
  readonly model?: string;
}

/** The list for selecting models to compare. It shows the cost of sending to them. */
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
    const answer = answerOf<readonly string[]>(this.#pick, (accept) => [
      this.#pick.onDidChangeSelection(() => this.#describe()),
      this.#pick.onDidAccept(() => {
        if (this.#check()) accept(this.#selected);
      }),
      toDisposable(() => this.#abort.abort()),
    ]);
    background(this.#open());
    return answer;
  }

  get #selected(): readonly string[] {
    const ids = this.#pick.selectedItems.flatMap(({ model }) => model ?? []);
    const isCurrent = (id: string): boolean => id === this.#options.current;
    return [...ids.filter(isCurrent), ...ids.filter((id) => !isCurrent(id))];
  }

  async #open(): Promise<void> {
    const { models, onError } = this.#options;
    const draw = (): void => {
      if (models.list !== undefined) this.#draw(models.list);
    };
    draw();
    this.#pick.busy = models.isOlder(0);
    this.#pick.show();
    if (!this.#pick.busy) return;
    try {
      await models.refresh(this.#abort.signal, () => undefined, 0);
      if (!this.#abort.signal.aborted) draw();
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#pick.hide();
      onError(error);
    } finally {
      this.#pick.busy = false;
    }
  }

  #draw(list: ModelList<ServiceModel>): void {
    const { catalog, current, service } = this.#options;
    const known = new Set(this.#pick.items.map(({ model }) => model));
    const wanted = [current, ...catalog.compared()].filter((model) => !known.has(model));
    const selected = [...this.#selected, ...wanted].slice(0, comparedModels.max);
    const groups = groupModels({
      models: list.models,
      current,
      service,
      recent: catalog.recent(),
      pinned: catalog.pinned(),
    });
    const items = groups.flatMap((group): ComparedModelItem[] => [
      { label: groupTitle(group), kind: vscode.QuickPickItemKind.Separator },
      ...group.models.map((model) => this.#item(model)),
    ]);
    this.#pick.items = items;
    this.#pick.selectedItems = items.filter(
      ({ model }) => model !== undefined && selected.includes(model),
    );
    this.#describe();
  }

  #item(model: ListedModel): ComparedModelItem {
    const { settings } = this.#options;
    const modelSettings = settingsOfModel(settings, model.id);
    return {
      model: model.id,
      label: modelLabel(model),
      description: describeModel(model, modelSettings, settings.currency),
    };
  }

  /** Shows how many models are missing, or the cost of sending to all selected ones. */
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
    if (problem !== undefined) background(notify('warning', problem));
    return problem === undefined;
  }
}
