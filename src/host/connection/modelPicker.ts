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
  modelLabel,
  type ListedModel,
  type ServiceModel,
} from './modelList.ts';
import { OfferedModels, type OfferedService } from './offeredModels.ts';

interface ModelPickerOptions {
  readonly settings: Pick<Settings, 'current' | 'setModel'>;
  readonly connection: Pick<
    Connection,
    'state' | 'endpoint' | 'otherEndpoints' | 'place' | 'services'
  >;
  readonly catalog: ModelCatalog;
  readonly choice: Pick<ModelChoice, 'current'>;
  /** Shows what is known of a model; resolves with whether the person wants to go back. */
  readonly showDetails: (model: string) => Promise<boolean>;
  /** An error in words for the person. */
  readonly describe: (error: unknown) => string;
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
    if (await this.#isUnconnected()) return this.#options.connect(leadOn);
    const models = await this.#offered(() => this.selectModel(leadOn));
    return models !== undefined && this.#selectFrom(models, leadOn);
  }

  /** The same after connecting, with the list that was read then; leads on also without a choice. */
  async offerModels(leadOn: () => unknown): Promise<void> {
    const models = this.#modelsOf([offeredOf(await this.#options.connection.endpoint())]);
    if (!(await this.#selectFrom(models, leadOn))) await leadOn();
  }

  /** Writes the choice of a model to the settings. */
  async choose(model: string, leadOn: () => unknown): Promise<void> {
    const { catalog, settings } = this.#options;
    // Not after saving: by then the person may be elsewhere.
    await Promise.all([leadOn(), catalog.noteChoice(model), settings.setModel(model)]);
  }

  /** Chooses a model for one request; undefined when the person cancels. */
  async pickModel(): Promise<string | undefined> {
    if (await this.#isUnconnected()) {
      await this.#options.connect();
      return undefined;
    }
    const models = await this.#offered(() => this.pickModel());
    if (models === undefined) return undefined;
    const model = await this.#pickFrom(models);
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
    const models = await this.#offered(() => undefined);
    if (models === undefined) return undefined;
    const pick = new ComparedModelsPick({
      models,
      catalog,
      settings: settings.current(),
      current: choice.current().id,
      service: this.#serviceInUse,
      estimate,
      onError: (error) => void showError(error, 'Reading the model list', () => undefined),
    });
    const picked = await pick.show();
    if (picked !== undefined) await catalog.noteCompared(picked);
    return picked;
  }

  async #isUnconnected(): Promise<boolean> {
    const { connection } = this.#options;
    return connection.state.kind === 'none' && (await connection.otherEndpoints()).length === 0;
  }

  /** The name of the service of the model in use; undefined for the current one. */
  get #serviceInUse(): string | undefined {
    const { choice, connection } = this.#options;
    return connection.place(choice.current().id).other?.name;
  }

  async #selectFrom(models: OfferedModels, leadOn = (): unknown => undefined): Promise<boolean> {
    const model = await this.#pickFrom(models);
    if (model === undefined) return false;
    await this.choose(model, leadOn);
    return true;
  }

  async #pickFrom(models: OfferedModels): Promise<string | undefined> {
    const { catalog, choice, settings, showDetails, showError } = this.#options;
    for (;;) {
      const pick = new ModelQuickPick({
        models,
        catalog,
        settings: settings.current(),
        current: choice.current().id,
        service: this.#serviceInUse,
        onError: (error) => {
          void showError(error, 'Reading the model list', () => this.selectModel());
        },
      });
      const picked = await pick.show();
      if (picked?.isForDetails !== true) return picked?.model;
      if (!(await showDetails(picked.model))) return undefined;
    }
  }

  /** The models of all services that have a key. */
  async #offered(tryAgain: () => unknown): Promise<OfferedModels | undefined> {
    const { connection, describe } = this.#options;
    const others = await connection.otherEndpoints();
    if (others.length === 0) {
      const endpoint = await this.#endpoint(tryAgain);
      return endpoint && this.#modelsOf([offeredOf(endpoint)]);
    }
    const current = await connection.endpoint().then(offeredOf, (error: unknown) => {
      const service = connection.services.current;
      return service && { ...service, name: undefined, problem: describe(error) };
    });
    const services = others.map(({ name, ...endpoint }) => offeredOf(endpoint, name));
    return this.#modelsOf(current === undefined ? services : [current, ...services]);
  }

  #modelsOf(services: readonly OfferedService[]): OfferedModels {
    const { catalog, connection, describe } = this.#options;
    const written = (origin: string, id: string): string => connection.services.written(origin, id);
    return new OfferedModels({ services, catalog, written, describe });
  }

  /** The current service; asks the person to enter a key where that is missing. */
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

function offeredOf(endpoint: Endpoint, name?: string): OfferedService {
  const host = endpoint.demo ? vscode.l10n.t('the demo service') : endpoint.host;
  return { name, origin: endpoint.origin, host, endpoint };
}

interface ModelQuickPickOptions {
  readonly models: OfferedModels;
  readonly catalog: ModelCatalog;
  readonly settings: SettingValues;
  readonly current: string;
  /** The name of the service of the model in use; undefined for the current one. */
  readonly service: string | undefined;
  readonly onError: (error: unknown) => void;
}

/** A model that the person chose, or wants to know more about. */
interface PickedModel {
  readonly model: string;
  readonly isForDetails: boolean;
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
  readonly #detailsButton: vscode.QuickInputButton;
  #isSorted = false;
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
    this.#compareButton = {
      iconPath: new vscode.ThemeIcon('split-horizontal'),
      tooltip: vscode.l10n.t('Compare Models…'),
    };
    this.#sortButton = {
      iconPath: new vscode.ThemeIcon('sort-precedence'),
      tooltip: vscode.l10n.t('Sort by Price or Provider'),
    };
    this.#detailsButton = {
      iconPath: new vscode.ThemeIcon('info'),
      tooltip: vscode.l10n.t('Show Details'),
    };
    this.#pick.buttons = [this.#refreshButton, this.#sortButton, this.#compareButton];
  }

  /** Resolves with the model; undefined when the person cancels. */
  show(): Promise<PickedModel | undefined> {
    return new Promise((resolve) => {
      const pick = (model: string | undefined, isForDetails: boolean): void => {
        if (model === undefined) return;
        resolve({ model, isForDetails });
        this.#pick.hide();
      };
      const disposables: Disposable[] = [
        this.#pick,
        this.#pick.onDidAccept(() => pick(this.#pick.selectedItems[0]?.model, false)),
        this.#pick.onDidTriggerButton((button) => {
          if (button === this.#compareButton) this.#compare();
          else if (button === this.#sortButton) this.#sort();
          else void this.#refresh();
        }),
        this.#pick.onDidTriggerItemButton(({ item: { model }, button }) => {
          if (button === this.#detailsButton) pick(model, true);
          else void this.#togglePin(model);
        }),
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
    const { models } = this.#options;
    this.#drawList();
    this.#pick.show();
    const oldest = systemClock.wall() - freshFor;
    if (models.isOlder(oldest)) void this.#refresh(oldest);
  }

  /** @param than only the lists that were read before this time */
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

  get #hosts(): string {
    return this.#options.models.hosts.join(', ');
  }

  /** Nothing is drawn before something is known. */
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
    this.#pick.placeholder = describeList(list, context, vscode.l10n);
    const active = this.#pick.activeItems[0]?.model;
    this.#pick.items = this.#items(list);
    const same = this.#pick.items.find((item) => item.model !== undefined && item.model === active);
    if (same !== undefined) this.#pick.activeItems = [same];
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
      { label: groupTitle(group, vscode.l10n), kind: vscode.QuickPickItemKind.Separator },
      ...group.models.map((model) => this.#item(model, isPinned.has(model.id))),
    ]);
    return [...items, ...this.#options.models.problems.flatMap(problemItems)];
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
      label: modelLabel(model),
      description: describeModel(model, own, settings.currency, vscode.l10n),
      buttons: [button, this.#detailsButton],
    };
  }
}

/** Says why a service has no models in the list, or old ones. */
function problemItems([service, problem]: readonly [string, string]): ModelItem[] {
  return [
    { label: service, kind: vscode.QuickPickItemKind.Separator },
    {
      label: `$(warning) ${vscode.l10n.t("Can't read the models")}`,
      detail: problem.replaceAll('$(', '$ ('),
    },
  ];
}
