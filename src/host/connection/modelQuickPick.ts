import * as vscode from 'vscode';
import type { Price } from '../../core/conversation/usage.ts';
import { background } from '../../core/support/background.ts';
import { systemClock } from '../../core/support/clock.ts';
import { toDisposable } from '../../core/support/event.ts';
import { settingsOfModel, takesEffort } from '../modelSettings.ts';
import type { SettingValues } from '../settingValues.ts';
import type { ModelCatalog, ModelList } from './modelCatalog.ts';
import {
  describeList,
  describeModel,
  groupTitle,
  groupModels,
  modelLabel,
  type ListedModel,
  type ServiceModel,
} from './modelList.ts';
import type { OfferedModels } from './offeredModels.ts';
import { answerOf } from '../quickInput.ts';

interface ModelQuickPickOptions {
  readonly models: OfferedModels;
  readonly catalog: ModelCatalog;
  readonly settings: SettingValues;
  readonly current: string;
  /** Name of the service of the model in use; undefined for the current one. */
  readonly service: string | undefined;
  readonly onError: (error: unknown) => void;
}

/** A model that the person chose, or whose details or effort they want to see. */
interface PickedModel {
  readonly model: string;
  readonly action: 'choose' | 'details' | 'effort';
}

interface ModelItem extends vscode.QuickPickItem {
  /** Undefined for a heading. */
  readonly model?: string;
}

/** Age in milliseconds after which a list is read again while visible. */
const freshFor = 10 * 60_000;

/** The model list while visible. VS Code hides the headings during typing. */
export class ModelQuickPick {
  readonly #options: ModelQuickPickOptions;
  readonly #pick = vscode.window.createQuickPick<ModelItem>();
  readonly #abort = new AbortController();
  readonly #refreshButton: vscode.QuickInputButton;
  readonly #sortButton: vscode.QuickInputButton;
  readonly #detailsButton: vscode.QuickInputButton;
  readonly #effortButton: vscode.QuickInputButton;
  #isSorted = false;
  #keepsActive = false;
  #list: ModelList<ServiceModel> | undefined;

  constructor(options: ModelQuickPickOptions) {
    this.#options = options;
    this.#refreshButton = {
      iconPath: new vscode.ThemeIcon('refresh'),
      tooltip: vscode.l10n.t('Refresh Models'),
    };
    this.#pick.title = vscode.l10n.t('Select Model');
    this.#pick.matchOnDescription = true;
    this.#pick.keepScrollPosition = true;
    this.#sortButton = {
      iconPath: new vscode.ThemeIcon('sort-precedence'),
      tooltip: vscode.l10n.t('Sort by Price or Provider'),
    };
    this.#detailsButton = {
      iconPath: new vscode.ThemeIcon('info'),
      tooltip: vscode.l10n.t('Show Details'),
    };
    this.#effortButton = {
      iconPath: new vscode.ThemeIcon('lightbulb'),
      tooltip: vscode.l10n.t('Set Effort…'),
    };
    this.#pick.buttons = [this.#refreshButton, this.#sortButton];
  }

  /** Resolves with the model; undefined if the person cancels. */
  show(): Promise<PickedModel | undefined> {
    const choice = answerOf<PickedModel>(this.#pick, (answer) => {
      const pick = (model: string | undefined, action: PickedModel['action']): void => {
        if (model !== undefined) answer({ model, action });
      };
      return [
        this.#pick.onDidChangeValue(() => this.#findActive()),
        this.#pick.onDidAccept(() => pick(this.#pick.selectedItems[0]?.model, 'choose')),
        this.#pick.onDidTriggerButton((button) => {
          if (button === this.#sortButton) this.#sort();
          else background(this.#refresh());
        }),
        this.#pick.onDidTriggerItemButton(({ item: { model }, button }) => {
          if (button === this.#detailsButton) pick(model, 'details');
          else if (button === this.#effortButton) pick(model, 'effort');
          else background(this.#togglePin(model));
        }),
        toDisposable(() => this.#abort.abort()),
      ];
    });
    this.#open();
    return choice;
  }

  #open(): void {
    const { models } = this.#options;
    this.#drawList();
    this.#pick.show();
    const oldest = systemClock.wall() - freshFor;
    if (models.isOlder(oldest)) background(this.#refresh(oldest));
  }

  /** @param than limits the refresh to lists that were read before this time */
  async #refresh(than?: number): Promise<void> {
    const { models, onError } = this.#options;
    this.#pick.busy = true;
    if (this.#list === undefined) {
      this.#pick.placeholder = vscode.l10n.t('Loading models from {0}…', this.#hosts);
    }
    try {
      await models.refresh(this.#abort.signal, () => this.#drawList(), than);
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      // The person can still choose from an old list; without one there is nothing to show.
      if (this.#list === undefined) this.#pick.hide();
      onError(error);
    } finally {
      this.#pick.busy = false;
    }
  }

  #sort(): void {
    this.#isSorted = !this.#isSorted;
    if (this.#list !== undefined) this.#draw(this.#list);
  }

  async #togglePin(model: string | undefined): Promise<void> {
    if (model === undefined || this.#list === undefined) return;
    await this.#options.catalog.togglePin(model);
    this.#draw(this.#list);
  }

  get #hosts(): string {
    return this.#options.models.hosts.join(', ');
  }

  /** Draws the list, unless there is neither a list nor a problem yet. */
  #drawList(): void {
    const { models } = this.#options;
    const nothing = { models: [], readAt: systemClock.wall() };
    const list = models.list ?? (models.problems.length > 0 ? nothing : undefined);
    if (list !== undefined) this.#draw(list);
  }

  #draw(list: ModelList<ServiceModel>): void {
    this.#list = list;
    const context = {
      host: this.#hosts,
      now: systemClock.wall(),
      language: vscode.env.language,
    };
    this.#pick.placeholder = describeList(list, context);
    const active = this.#pick.activeItems[0]?.model;
    this.#pick.items = this.#items(list);
    const same = this.#pick.items.find((item) => item.model !== undefined && item.model === active);
    this.#keepsActive = same !== undefined;
    if (same !== undefined) this.#pick.activeItems = [same];
  }

  /**
   * Restores the active item. If it doesn't match the typed text, no item would be active, and
   * Enter would do nothing; new items make the first match active.
   */
  #findActive(): void {
    if (this.#keepsActive) this.#pick.items = [...this.#pick.items];
    this.#keepsActive = false;
  }

  #items(list: ModelList<ServiceModel>): ModelItem[] {
    const { catalog, current, service, settings } = this.#options;
    const priceOf = (model: string): Price | undefined => settingsOfModel(settings, model).price;
    const order = this.#isSorted ? { priceOf } : {};
    const pinned = catalog.pinned();
    const recent = catalog.recent();
    const isPinned = new Set(pinned);
    const choices = { models: list.models, current, service, recent, pinned, ...order };
    const items = groupModels(choices).flatMap((group) => [
      { label: groupTitle(group), kind: vscode.QuickPickItemKind.Separator },
      ...group.models.map((model) => this.#item(model, isPinned.has(model.id))),
    ]);
    return [...items, ...this.#options.models.problems.flatMap(problemItems)];
  }

  #item(model: ListedModel, pinned: boolean): ModelItem {
    const { settings } = this.#options;
    const modelSettings = settingsOfModel(settings, model.id);
    const button = {
      iconPath: new vscode.ThemeIcon(pinned ? 'pinned' : 'pin'),
      tooltip: pinned ? vscode.l10n.t('Unpin') : vscode.l10n.t('Pin to the Top'),
    };
    return {
      model: model.id,
      label: modelLabel(model),
      description: describeModel(model, modelSettings, settings.currency),
      buttons: [
        button,
        ...(takesEffort(modelSettings) ? [this.#effortButton] : []),
        this.#detailsButton,
      ],
    };
  }
}

/** Explains why a service has no models in the list, or old ones. */
function problemItems([service, problem]: readonly [string, string]): ModelItem[] {
  return [
    { label: service, kind: vscode.QuickPickItemKind.Separator },
    {
      label: `$(warning) ${vscode.l10n.t("Can't read the models")}`,
      detail: problem.replaceAll('$(', '$ ('),
    },
  ];
}
