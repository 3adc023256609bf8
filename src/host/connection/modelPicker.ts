import * as vscode from 'vscode';
import type { Price } from '../../core/conversation/usage.ts';
import { ServiceError } from '../../core/service/errors.ts';
import { systemClock } from '../../core/support/clock.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { commands } from '../contributions.ts';
import { settingsOfModel, type SettingValues } from '../settingValues.ts';
import type { Settings } from '../settings.ts';
import { ComparedModelsPick, type ComparedModelsPickOptions } from './comparedModelsPick.ts';
import type { Connection, Endpoint } from './connection.ts';
import type { ModelCatalog, ModelList } from './modelCatalog.ts';
import type { ModelChoice } from './modelChoice.ts';
import {
  describeList,
  describeModel,
  groupTitle,
  groupModels,
  type ListedModel,
} from './modelList.ts';

interface ModelPickerOptions {
  readonly settings: Pick<Settings, 'current' | 'setModel'>;
  readonly connection: Pick<Connection, 'state' | 'endpoint'>;
  readonly catalog: ModelCatalog;
  readonly choice: Pick<ModelChoice, 'current'>;
  /** `aside.connect` and `aside.setApiKey`: resolve with whether they succeeded. */
  readonly connect: (leadOn?: () => unknown) => Promise<boolean>;
  readonly setApiKey: () => Promise<boolean>;
  readonly showError: (error: unknown, what: string, tryAgain: () => unknown) => Promise<void>;
}

/** Lets the person choose a model of the service. */
export class ModelPicker {
  readonly #options: ModelPickerOptions;

  constructor(options: ModelPickerOptions) {
    this.#options = options;
  }

  /**
   * `aside.selectModel`: writes the choice to the settings. Resolves with whether there is one.
   *
   * @param leadOn leads the person to where they go on, as soon as they have chosen
   */
  async selectModel(leadOn = (): unknown => undefined): Promise<boolean> {
    // Connecting lets the person choose a model itself.
    if (this.#isUnconnected) return this.#options.connect(leadOn);
    const endpoint = await this.#endpoint(() => this.selectModel(leadOn));
    return endpoint !== undefined && this.#selectFrom(endpoint, leadOn);
  }

  /** The same after connecting, with the list that was read then; leads on also without a choice. */
  async offerModels(leadOn: () => unknown): Promise<void> {
    const endpoint = await this.#options.connection.endpoint();
    if (!(await this.#selectFrom(endpoint, leadOn))) await leadOn();
  }

  /** Chooses a model for one request; undefined when the person cancels. */
  async pickModel(): Promise<string | undefined> {
    if (this.#isUnconnected) {
      await this.#options.connect();
      return undefined;
    }
    const endpoint = await this.#endpoint(() => this.pickModel());
    if (endpoint === undefined) return undefined;
    const model = await this.#pickFrom(endpoint);
    if (model !== undefined) await this.#options.catalog.noteChoice(model);
    return model;
  }

  /**
   * Chooses two or three models for one message; undefined when the person cancels.
   *
   * @param estimate what it takes to send the message to models
   */
  async pickModels(
    estimate: ComparedModelsPickOptions['estimate'],
  ): Promise<readonly string[] | undefined> {
    const { catalog, choice, settings, showError } = this.#options;
    const endpoint = await this.#endpoint(() => undefined);
    if (endpoint === undefined) return undefined;
    const pick = new ComparedModelsPick({
      endpoint,
      catalog,
      settings: settings.current(),
      current: choice.current().id,
      estimate,
      onError: (error) => void showError(error, 'Reading the model list', () => undefined),
    });
    const models = await pick.show();
    if (models !== undefined) await catalog.noteCompared(models);
    return models;
  }

  get #isUnconnected(): boolean {
    return this.#options.connection.state.kind === 'none';
  }

  async #selectFrom(endpoint: Endpoint, leadOn = (): unknown => undefined): Promise<boolean> {
    const { catalog, settings } = this.#options;
    const model = await this.#pickFrom(endpoint);
    if (model === undefined) return false;
    // Not after saving: by then the person may be elsewhere.
    await Promise.all([leadOn(), catalog.noteChoice(model), settings.setModel(model)]);
    return true;
  }

  #pickFrom(endpoint: Endpoint): Promise<string | undefined> {
    const { catalog, choice, settings, showError } = this.#options;
    const pick = new ModelQuickPick({
      endpoint,
      catalog,
      settings: settings.current(),
      current: choice.current().id,
      host: endpoint.demo ? vscode.l10n.t('the demo service') : endpoint.host,
      onError: (error) => {
        void showError(error, 'Reading the model list', () => this.selectModel());
      },
    });
    return pick.show();
  }

  /** The service of the models; asks the person to enter a key where that is missing. */
  async #endpoint(tryAgain: () => unknown): Promise<Endpoint | undefined> {
    const { connection, setApiKey, showError } = this.#options;
    try {
      return await connection.endpoint();
    } catch (error) {
      const keyMissing = error instanceof ServiceError && error.kind === 'missing-key';
      if (keyMissing) return (await setApiKey()) ? connection.endpoint() : undefined;
      await showError(error, 'Reading the model list', tryAgain);
      return undefined;
    }
  }
}

interface ModelQuickPickOptions {
  readonly endpoint: Endpoint;
  readonly catalog: ModelCatalog;
  readonly settings: SettingValues;
  readonly current: string;
  /** The service of the models. */
  readonly host: string;
  readonly onError: (error: unknown) => void;
}

interface ModelItem extends vscode.QuickPickItem {
  /** Absent for a heading. */
  readonly model?: string;
}

/** Milliseconds; an older list is read again while it is shown. */
const freshFor = 10 * 60_000;

/** The model list while it is shown. VS Code hides the headings during typing. */
class ModelQuickPick {
  readonly #options: ModelQuickPickOptions;
  readonly #pick = vscode.window.createQuickPick<ModelItem>();
  readonly #abort = new AbortController();
  readonly #refreshButton: vscode.QuickInputButton;
  readonly #compareButton: vscode.QuickInputButton;
  readonly #sortButton: vscode.QuickInputButton;
  #isSorted = false;
  #list: ModelList | undefined;

  constructor(options: ModelQuickPickOptions) {
    this.#options = options;
    this.#refreshButton = {
      iconPath: new vscode.ThemeIcon('refresh'),
      tooltip: vscode.l10n.t('Refresh Models'),
    };
    this.#pick.title = vscode.l10n.t('Select Model');
    this.#pick.matchOnDescription = true;
    this.#pick.keepScrollPosition = true;
    this.#compareButton = {
      iconPath: new vscode.ThemeIcon('split-horizontal'),
      tooltip: vscode.l10n.t('Compare Models…'),
    };
    this.#sortButton = {
      iconPath: new vscode.ThemeIcon('sort-precedence'),
      tooltip: vscode.l10n.t('Sort by Price or Provider'),
    };
    this.#pick.buttons = [this.#refreshButton, this.#sortButton, this.#compareButton];
  }

  /** Resolves with the id of the chosen model; undefined when the person cancels. */
  show(): Promise<string | undefined> {
    return new Promise((resolve) => {
      const disposables: Disposable[] = [
        this.#pick,
        this.#pick.onDidAccept(() => {
          const model = this.#pick.selectedItems[0]?.model;
          if (model === undefined) return;
          resolve(model);
          this.#pick.hide();
        }),
        this.#pick.onDidTriggerButton((button) => {
          if (button === this.#compareButton) this.#compare();
          else if (button === this.#sortButton) this.#sort();
          else void this.#refresh();
        }),
        this.#pick.onDidTriggerItemButton(({ item }) => void this.#togglePin(item.model)),
        this.#pick.onDidHide(() => {
          resolve(undefined);
          this.#abort.abort();
          disposeAll(disposables);
        }),
      ];
      this.#open();
    });
  }

  #open(): void {
    const { catalog, endpoint } = this.#options;
    const list = catalog.list(endpoint.origin);
    if (list !== undefined) this.#draw(list);
    this.#pick.show();
    if (list === undefined || systemClock.wall() - list.readAt > freshFor) void this.#refresh();
  }

  async #refresh(): Promise<void> {
    const { catalog, endpoint, host, onError } = this.#options;
    this.#pick.busy = true;
    if (this.#list === undefined) {
      this.#pick.placeholder = vscode.l10n.t('Loading models from {0}…', host);
    }
    try {
      const list = await catalog.refresh(endpoint, this.#abort.signal);
      if (!this.#abort.signal.aborted) this.#draw(list);
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      // The person can still choose from an old list; without one there is nothing to show.
      if (this.#list === undefined) this.#pick.hide();
      onError(error);
    } finally {
      this.#pick.busy = false;
    }
  }

  /** Shows the cheapest models first, or goes back to the groups. */
  #sort(): void {
    this.#isSorted = !this.#isSorted;
    if (this.#list !== undefined) this.#draw(this.#list);
  }

  /** Leaves the choice of one model for that of several. */
  #compare(): void {
    this.#pick.hide();
    void vscode.commands.executeCommand(commands.compare);
  }

  async #togglePin(model: string | undefined): Promise<void> {
    if (model === undefined || this.#list === undefined) return;
    await this.#options.catalog.togglePin(model);
    this.#draw(this.#list);
  }

  #draw(list: ModelList): void {
    this.#list = list;
    const context = {
      host: this.#options.host,
      now: systemClock.wall(),
      language: vscode.env.language,
    };
    this.#pick.placeholder = describeList(list, context, vscode.l10n);
    const active = this.#pick.activeItems[0]?.model;
    this.#pick.items = this.#items(list);
    const same = this.#pick.items.find((item) => item.model !== undefined && item.model === active);
    if (same !== undefined) this.#pick.activeItems = [same];
  }

  #items(list: ModelList): ModelItem[] {
    const { catalog, current, settings } = this.#options;
    const priceOf = (model: string): Price | undefined => settingsOfModel(settings, model).price;
    const order = this.#isSorted ? { priceOf } : {};
    const pinned = catalog.pinned();
    const recent = catalog.recent();
    const isPinned = new Set(pinned);
    return groupModels({ models: list.models, current, recent, pinned, ...order }).flatMap(
      (group) => [
        { label: groupTitle(group, vscode.l10n), kind: vscode.QuickPickItemKind.Separator },
        ...group.models.map((model) => this.#item(model, isPinned.has(model.id))),
      ],
    );
  }

  #item(model: ListedModel, pinned: boolean): ModelItem {
    const { settings } = this.#options;
    const own = settingsOfModel(settings, model.id);
    const button = {
      iconPath: new vscode.ThemeIcon(pinned ? 'pinned' : 'pin'),
      tooltip: pinned ? vscode.l10n.t('Unpin') : vscode.l10n.t('Pin to the Top'),
    };
    return {
      model: model.id,
      // The id comes from the service and must not become an icon.
      label: (model.missing ? '$(warning) ' : '') + model.id.replaceAll('$(', '$ ('),
      description: describeModel(model, own, settings.currency, vscode.l10n),
      buttons: [button],
    };
  }
}
