import * as vscode from 'vscode';
import { ServiceError } from '../../core/service/errors.ts';
import {
  estimatedMoney,
  formatTokens,
  type Price,
  shortModelName,
} from '../../core/conversation/usage.ts';
import { canChat } from '../../core/service/wire.ts';
import { background } from '../../core/support/background.ts';
import { counted } from '../../core/support/counted.ts';
import { settingsOfModel, takesEffort, type SettingValues } from '../platform/settingValues.ts';
import { answerOf } from '../platform/dialogs.ts';
import type { Settings } from '../platform/settings.ts';
import type { ErrorReporter } from '../platform/errorText.ts';
import type { ServiceEndpoint } from './connection.ts';
import type { ConnectionParts, ConnectionUi } from './connectionUi.ts';
import { showModelDetails } from './modelDetails.ts';
import type { ModelCatalog, ModelList } from './modelCatalog.ts';
import {
  describeList,
  describeModel,
  effortName,
  groupModels,
  groupTitle,
  type ListedModel,
  modelLabel,
  OfferedModels,
  type OfferedService,
  type ServiceModel,
} from './modelList.ts';
import { systemClock } from '../../core/support/clock.ts';
import { toDisposable } from '../../core/support/event.ts';
import { effortLevels } from '../../protocol/rpc.ts';

export type PickerSettings = Pick<
  Settings,
  'current' | 'setModel' | 'effortOf' | 'setEffort' | 'ofPerson'
>;

/** Tokens and cost of sending a message to one or several models, without the replies. */
export interface SendEstimate {
  readonly tokens: number;
  /** In the currency of the settings; undefined if the price of a model is unknown. */
  readonly cost?: number | undefined;
}

/** Estimates sending the next message to a model that has nothing of the chat in its cache. */
export type EstimateSend = (model: string) => SendEstimate;

interface FurtherModel extends vscode.QuickPickItem {
  /** Undefined for a heading. */
  readonly model?: string;
}

export class ModelPicker {
  readonly #ui: Pick<ConnectionUi, 'connect' | 'setApiKey'>;
  readonly #parts: ConnectionParts;
  readonly #settings: PickerSettings;
  readonly #errors: Pick<ErrorReporter, 'text' | 'show'>;

  constructor(
    ui: Pick<ConnectionUi, 'connect' | 'setApiKey'>,
    parts: ConnectionParts,
    settings: PickerSettings,
    errors: Pick<ErrorReporter, 'text' | 'show'>,
  ) {
    this.#ui = ui;
    this.#parts = parts;
    this.#settings = settings;
    this.#errors = errors;
  }

  /**
   * `aside.selectModel`: writes the choice to the settings. Resolves with true if a model is
   * chosen.
   *
   * @param leadOn moves the focus to the next step, right after the choice
   * @param estimateSend shows what the next message would cost with each other model
   */
  async selectModel(
    leadOn = (): unknown => undefined,
    estimateSend?: EstimateSend,
  ): Promise<boolean> {
    // Connecting includes the choice of a model.
    if (await this.#isUnconnected()) return this.#ui.connect(leadOn);
    const models = await this.#offered(() => this.selectModel(leadOn, estimateSend));
    return models !== undefined && this.#selectFrom(models, leadOn, estimateSend);
  }

  /**
   * Like `selectModel`, with the list read while connecting. Calls `leadOn` even without a choice.
   */
  async offerModels(leadOn: () => unknown): Promise<void> {
    const models = this.#modelsOf([this.#offeredOf(await this.#parts.connection.endpoint())]);
    if (!(await this.#selectFrom(models, leadOn))) await leadOn();
  }

  async choose(model: string, leadOn: () => unknown): Promise<void> {
    const { catalog } = this.#parts;
    // Called before the choice is saved: afterwards the person may be elsewhere.
    await Promise.all([leadOn(), catalog.noteChoice(model), this.#settings.setModel(model)]);
  }

  async pickModel(): Promise<string | undefined> {
    if (await this.#isUnconnected()) {
      await this.#ui.connect();
      return undefined;
    }
    const models = await this.#offered(() => this.pickModel());
    if (models === undefined) return undefined;
    const model = await this.#pickFrom(models);
    if (model !== undefined) await this.#parts.catalog.noteChoice(model);
    return model;
  }

  /**
   * Chooses one or two models besides the one in use; undefined if the person cancels.
   *
   * @param estimate returns the tokens and cost of sending to the one in use and to these
   */
  async pickFurther(
    inUse: string,
    estimate: (further: readonly string[]) => SendEstimate,
  ): Promise<readonly string[] | undefined> {
    const { catalog } = this.#parts;
    const offered = await this.#offered(() => undefined);
    if (offered === undefined) return undefined;
    if (offered.list === undefined)
      await offered.refresh(new AbortController().signal, () => undefined);
    const values = this.#settings.current();
    const pick = vscode.window.createQuickPick<FurtherModel>();
    const selected = (): readonly string[] =>
      pick.selectedItems.flatMap(({ model }) => model ?? []);
    const isEnough = (): boolean => [1, 2].includes(selected().length);
    const showCost = (): void => {
      pick.title = vscode.l10n.t('Compare Models');
      if (!isEnough()) return;
      const text = sendText(estimate(selected()), values.currency);
      pick.title = vscode.l10n.t('Compare Models: {0}', text);
    };
    pick.canSelectMany = true;
    pick.matchOnDescription = true;
    pick.placeholder = vscode.l10n.t(
      'Select one or two models to compare with {0}',
      shortModelName(inUse),
    );
    const models = (offered.list?.models ?? []).filter(
      (model) => model.id !== inUse && canChat(model),
    );
    const [recent, pinned] = [catalog.recent(), catalog.pinned()];
    pick.items = groupModels({ models, current: '', recent, pinned }).flatMap((group) => [
      { label: groupTitle(group), kind: vscode.QuickPickItemKind.Separator },
      ...group.models.map((model) => ({
        model: model.id,
        label: modelLabel(model),
        description: describeModel(model, settingsOfModel(values, model.id), values.currency),
      })),
    ]);
    showCost();
    const answer = answerOf<readonly string[]>(pick, (accept) => [
      pick.onDidChangeSelection(showCost),
      pick.onDidAccept(() => {
        if (isEnough()) accept(selected());
      }),
    ]);
    pick.show();
    return answer;
  }

  async #isUnconnected(): Promise<boolean> {
    const { connection } = this.#parts;
    return connection.state.kind === 'none' && (await connection.otherEndpoints()).length === 0;
  }

  async #selectFrom(
    models: OfferedModels,
    leadOn: () => unknown,
    estimateSend?: EstimateSend,
  ): Promise<boolean> {
    const model = await this.#pickFrom(models, estimateSend);
    if (model === undefined) return false;
    await this.choose(model, leadOn);
    return true;
  }

  async #pickFrom(models: OfferedModels, estimateSend?: EstimateSend): Promise<string | undefined> {
    const { catalog, connection } = this.#parts;
    const settings = this.#settings;
    for (;;) {
      const values = settings.current();
      const onError = (error: unknown): void =>
        background(this.#showError(error, () => this.selectModel()));
      const pick = new ModelQuickPick(models, this.#parts, values, estimateSend, onError);
      const picked = await pick.show();
      if (picked === undefined || picked.action === 'choose') return picked?.model;
      const { model } = picked;
      if (picked.action === 'effort') {
        const effort = await pickEffort(model, settings.effortOf(model)?.effort);
        if (effort !== undefined) await settings.setEffort(model, effort.effort);
        continue;
      }
      const { id, service: its = '' } = connection.placeOf(model);
      const known = {
        settings: settings.ofPerson(model),
        listed: catalog.listedFacts(its, id),
        learned: catalog.learned.details(its, id),
        currency: values.currency,
      };
      const goesBack = await showModelDetails(id, known, () => catalog.learned.forget(its, id));
      if (!goesBack) return undefined;
    }
  }

  #showError(error: unknown, tryAgain: () => unknown): Promise<void> {
    return this.#errors.show(error, 'Reading the model list', tryAgain);
  }

  async #offered(tryAgain: () => unknown): Promise<OfferedModels | undefined> {
    const { connection } = this.#parts;
    const others = await connection.otherEndpoints();
    if (others.length === 0) {
      const endpoint = await this.#endpoint(tryAgain);
      return endpoint && this.#modelsOf([this.#offeredOf(endpoint)]);
    }
    const { services: connected } = connection;
    const current = await connection.endpoint().then(
      (endpoint) => this.#offeredOf(endpoint),
      (error: unknown) => {
        const { current: service } = connected;
        const problem = this.#errors.text(error).message;
        return (
          service && { id: service.id, host: connected.label(service), name: undefined, problem }
        );
      },
    );
    const services = others.map(({ name, ...endpoint }) => this.#offeredOf(endpoint, name));
    return this.#modelsOf(current === undefined ? services : [current, ...services]);
  }

  #modelsOf(services: readonly OfferedService[]): OfferedModels {
    const { catalog, connection } = this.#parts;
    return new OfferedModels(
      services,
      catalog,
      (service, id) => connection.services.written(service, id),
      (error) => this.#errors.text(error).message,
    );
  }

  #offeredOf(endpoint: ServiceEndpoint, name?: string): OfferedService {
    const { services } = this.#parts.connection;
    const host = endpoint.demo ? vscode.l10n.t('the demo service') : services.label(endpoint);
    return { name, id: endpoint.id, host, endpoint };
  }

  /** The current service. Asks the person for a missing key. */
  async #endpoint(tryAgain: () => unknown): Promise<ServiceEndpoint | undefined> {
    const { connection } = this.#parts;
    try {
      return await connection.endpoint();
    } catch (error) {
      const keyMissing = error instanceof ServiceError && error.kind === 'missing-key';
      if (keyMissing) {
        const isSet = await this.#ui.setApiKey(undefined, connection.services.current);
        return isSet ? connection.endpoint() : undefined;
      }
      await this.#showError(error, tryAgain);
      return undefined;
    }
  }
}

/** Lets the person choose how much a model thinks; undefined if they cancel. */
async function pickEffort(
  model: string,
  current: string | undefined,
): Promise<{ readonly effort: string | undefined } | undefined> {
  const items = [undefined, ...effortLevels].map((effort) => ({
    label: effortName(effort),
    description: effort === current ? vscode.l10n.t('current') : '',
    effort,
  }));
  return vscode.window.showQuickPick(items, {
    title: model,
    placeHolder: vscode.l10n.t('How much the model thinks before it replies'),
  });
}

function sendText({ tokens, cost }: SendEstimate, currency: string): string {
  const count = formatTokens(tokens, true);
  return cost === undefined
    ? vscode.l10n.t('{0} tokens to send', count)
    : vscode.l10n.t(
        '{0} tokens to send, {1}',
        count,
        estimatedMoney(cost, currency, vscode.env.language),
      );
}

/** A model that the person chose, or whose details or effort they want to see. */
interface PickedModel {
  readonly model: string;
  readonly action: 'choose' | 'details' | 'effort';
}

interface ModelItem extends vscode.QuickPickItem {
  /** Undefined for a heading. */
  readonly model?: string;
  /** True for the item that also lists models that can't chat. */
  readonly showsAll?: true;
}

/** Age in milliseconds after which a list is read again while visible. */
const freshFor = 10 * 60_000;

/** The model list while visible. VS Code hides the headings during typing. */
class ModelQuickPick {
  readonly #models: OfferedModels;
  readonly #catalog: ModelCatalog;
  readonly #settings: SettingValues;
  /** The model in use. */
  readonly #current: string;
  /** Name of its service; undefined for the current one. */
  readonly #service: string | undefined;
  readonly #estimateSend: EstimateSend | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #pick = vscode.window.createQuickPick<ModelItem>();
  readonly #abort = new AbortController();
  readonly #refreshButton = buttonOf('refresh', vscode.l10n.t('Refresh Models'));
  readonly #sortButton = buttonOf('sort-precedence', vscode.l10n.t('Sort by Price or Provider'));
  readonly #detailsButton = buttonOf('info', vscode.l10n.t('Show Details'));
  readonly #effortButton = buttonOf('lightbulb', vscode.l10n.t('Set Effort…'));
  /** Texts by estimate: formatting money takes longer than all else about an item. */
  readonly #sendTexts = new Map<string, string>();
  #isSorted = false;
  #showsAll = false;
  #keepsActive = false;
  #list: ModelList<ServiceModel> | undefined;

  constructor(
    models: OfferedModels,
    { catalog, choice, connection }: ConnectionParts,
    settings: SettingValues,
    estimateSend: EstimateSend | undefined,
    onError: (error: unknown) => void,
  ) {
    this.#models = models;
    this.#catalog = catalog;
    this.#settings = settings;
    this.#current = choice.current().id;
    this.#service = connection.placeOf(this.#current).other?.name;
    this.#estimateSend = estimateSend;
    this.#onError = onError;
    this.#pick.title = vscode.l10n.t('Select Model');
    this.#pick.matchOnDescription = true;
    this.#pick.keepScrollPosition = true;
    this.#pick.buttons = [this.#refreshButton, this.#sortButton];
  }

  /** Resolves with the model; undefined if the person cancels. */
  show(): Promise<PickedModel | undefined> {
    const choice = answerOf<PickedModel>(this.#pick, (answer) => {
      const pick = (model: string | undefined, action: PickedModel['action']): void => {
        if (model !== undefined) answer({ model, action });
      };
      return [
        this.#pick.onDidChangeValue(() => {
          // Lists a model that can't chat once its whole id is typed.
          const typed = this.#pick.value.trim();
          const isListed = this.#pick.items.some(({ model }) => model === typed);
          if (!isListed && this.#list?.models.some(({ id }) => id === typed) === true) this.#draw();
          // Restores the active item. If it doesn't match the typed text, no item would be active,
          // and Enter would do nothing; new items make the first match active.
          if (this.#keepsActive) this.#pick.items = [...this.#pick.items];
          this.#keepsActive = false;
        }),
        this.#pick.onDidAccept(() => {
          const [item] = this.#pick.selectedItems;
          if (item?.showsAll === true) {
            this.#showsAll = true;
            this.#draw();
          } else pick(item?.model, 'choose');
        }),
        this.#pick.onDidTriggerButton((button) => {
          if (button === this.#sortButton) {
            this.#isSorted = !this.#isSorted;
            this.#draw();
          } else background(this.#refresh());
        }),
        this.#pick.onDidTriggerItemButton(({ item: { model }, button }) => {
          if (button === this.#detailsButton) pick(model, 'details');
          else if (button === this.#effortButton) pick(model, 'effort');
          else if (model !== undefined)
            background(this.#catalog.togglePin(model).then(() => this.#draw()));
        }),
        toDisposable(() => this.#abort.abort()),
      ];
    });
    this.#drawList();
    this.#pick.show();
    const oldest = systemClock.wall() - freshFor;
    if (this.#models.isOlder(oldest)) background(this.#refresh(oldest));
    return choice;
  }

  /** @param than limits the refresh to lists that were read before this time */
  async #refresh(than?: number): Promise<void> {
    this.#pick.busy = true;
    if (this.#list === undefined) {
      this.#pick.placeholder = vscode.l10n.t('Loading models from {0}…', this.#hosts);
    }
    try {
      await this.#models.refresh(this.#abort.signal, () => this.#drawList(), than);
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      // The person can still choose from an old list; without one there is nothing to show.
      if (this.#list === undefined) this.#pick.hide();
      this.#onError(error);
    } finally {
      this.#pick.busy = false;
    }
  }

  get #hosts(): string {
    return this.#models.hosts.join(', ');
  }

  /** Draws the list, unless there is neither a list nor a problem yet. */
  #drawList(): void {
    const models = this.#models;
    const nothing = { models: [], readAt: systemClock.wall() };
    this.#list = models.list ?? (models.problems.length > 0 ? nothing : this.#list);
    this.#draw();
  }

  #draw(): void {
    const list = this.#list;
    if (list === undefined) return;
    // Models that can't chat are left out, except the one in use and one whose id is typed.
    const named = [this.#current, this.#pick.value.trim()];
    const models = list.models.filter(
      (model) => this.#showsAll || canChat(model) || named.includes(model.id),
    );
    const context = {
      host: this.#hosts,
      now: systemClock.wall(),
      language: vscode.env.language,
    };
    this.#pick.placeholder = describeList({ ...list, models }, context);
    const active = this.#pick.activeItems[0]?.model;
    this.#pick.items = [
      ...this.#items(models),
      ...this.#models.problems.flatMap(problemItems),
      ...showAllItems(list.models.length - models.length),
    ];
    const same = this.#pick.items.find((item) => item.model !== undefined && item.model === active);
    this.#keepsActive = same !== undefined;
    if (same !== undefined) this.#pick.activeItems = [same];
  }

  #items(models: readonly ServiceModel[]): ModelItem[] {
    const priceOf = (model: string): Price | undefined =>
      settingsOfModel(this.#settings, model).price;
    const order = this.#isSorted ? { priceOf } : {};
    const [pinned, recent] = [this.#catalog.pinned(), this.#catalog.recent()];
    const isPinned = new Set(pinned);
    const inUse = { current: this.#current, service: this.#service };
    const choices = { models, ...inUse, recent, pinned, ...order };
    return groupModels(choices).flatMap((group) => [
      { label: groupTitle(group), kind: vscode.QuickPickItemKind.Separator },
      ...group.models.map((model) => this.#item(model, isPinned.has(model.id))),
    ]);
  }

  #item(model: ListedModel, pinned: boolean): ModelItem {
    const modelSettings = settingsOfModel(this.#settings, model.id);
    const button = pinned
      ? buttonOf('pinned', vscode.l10n.t('Unpin'))
      : buttonOf('pin', vscode.l10n.t('Pin to the Top'));
    return {
      model: model.id,
      label: modelLabel(model),
      description: describeModel(model, modelSettings, this.#settings.currency),
      ...this.#sendDetail(model.id),
      buttons: [
        button,
        ...(takesEffort(modelSettings) ? [this.#effortButton] : []),
        this.#detailsButton,
      ],
    };
  }

  /** What the next message would cost with another model, whose cache has nothing of the chat. */
  #sendDetail(model: string): { readonly detail?: string } {
    const estimate = model === this.#current ? undefined : this.#estimateSend?.(model);
    if (estimate === undefined) return {};
    const key = `${estimate.tokens} ${estimate.cost}`;
    const detail = this.#sendTexts.get(key) ?? sendText(estimate, this.#settings.currency);
    this.#sendTexts.set(key, detail);
    return { detail };
  }
}

function buttonOf(icon: string, tooltip: string): vscode.QuickInputButton {
  return { iconPath: new vscode.ThemeIcon(icon), tooltip };
}

/** The item that lists the models that were omitted. */
function showAllItems(omitted: number): ModelItem[] {
  if (omitted === 0) return [];
  const description =
    omitted === 1
      ? vscode.l10n.t("1 model that can't chat")
      : counted(vscode.l10n.t("{0} models that can't chat"), omitted, vscode.env.language);
  return [
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label: vscode.l10n.t('Show All'), description, alwaysShow: true, showsAll: true },
  ];
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
