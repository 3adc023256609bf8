import * as vscode from 'vscode';
import type { TurnError } from '../../core/conversation/conversation.ts';
import { adaptRequest } from '../../core/service/adaptations.ts';
import { CoolDowns } from '../../core/service/retry.ts';
import { ServiceClient, type Client } from '../../core/service/client.ts';
import type { LearnedFacts } from '../../core/service/learnedFacts.ts';
import { unknownService } from '../../core/service/modelReference.ts';
import { withExtras } from '../../core/service/requestExtras.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import type { Clock } from '../../core/support/clock.ts';
import { background } from '../../core/support/background.ts';
import { Emitter } from '../../core/support/event.ts';
import type { Redactor } from '../../core/support/redact.ts';
import { maxRequestCharacters } from '../../core/support/text.ts';
import type { TokenMeter } from '../../core/service/requestUsage.ts';
import type { ErrorReporter } from '../platform/errorText.ts';
import { UserError } from '../platform/errors.ts';
import type { ErrorLog } from '../platform/log.ts';
import {
  refusedUnlessSet,
  settingsOfModel,
  type ModelSettings,
} from '../platform/settingValues.ts';
import type { CurrentSettings } from '../platform/settings.ts';
import type { Ledger } from '../usage/ledger.ts';
import { RequestAdmission, type BudgetLeft, type ChatAccount } from '../usage/requestAdmission.ts';
import type { TokenRatios } from '../usage/tokenRatios.ts';
import type { RequestPurpose } from '../usage/usageRecord.ts';
import type { UnpricedModels } from '../usage/budgetUi.ts';
import type { UsedBudget } from '../../core/service/budget.ts';
import type { ConnectionParts } from './connectionUi.ts';
import type { Connection } from './connection.ts';
import type { Keys } from './keys.ts';
import type { ModelCatalog } from './modelCatalog.ts';

/** What the window has that requests need. */
interface AccessWindow {
  readonly settings: CurrentSettings;
  readonly errors: Pick<ErrorReporter, 'text'>;
  readonly log: ErrorLog;
  readonly redactor: Redactor;
}

/** Access to the services for all requests: the client, budgets, and texts of errors. */
export class ServiceAccess {
  readonly meter: TokenMeter;
  readonly #window: AccessWindow;
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #catalog: ModelCatalog;
  readonly #admission: RequestAdmission;
  readonly #clock: Clock;
  readonly #coolDowns: CoolDowns;
  readonly #exceeded = new Emitter<unknown>();

  /** Fires when an error says that a budget is used up. */
  readonly onDidExceedBudget = this.#exceeded.event;

  /** @param unpriced asks about models without a price */
  constructor(
    window: AccessWindow,
    { connection, keys, catalog }: Pick<ConnectionParts, 'connection' | 'keys' | 'catalog'>,
    ledger: Ledger,
    ratios: TokenRatios,
    clock: Clock,
    unpriced?: UnpricedModels,
  ) {
    this.meter = ratios;
    this.#window = window;
    this.#connection = connection;
    this.#keys = keys;
    this.#catalog = catalog;
    this.#clock = clock;
    this.#coolDowns = new CoolDowns(clock);
    this.#admission = new RequestAdmission({
      ledger,
      settings: window.settings,
      nameOf: (id) => connection.services.all.find((service) => service.id === id)?.name,
      meter: ratios,
      unpriced,
      learned: catalog.learned,
    });
  }

  /**
   * The client of a model's service, with its id; rejects if there is none. It removes known keys from replies,
   * counts requests and keeps them within the budgets. The key is read for each attempt.
   *
   * @param model written id, as in requests to the client; the client sends the bare id
   */
  async connect(
    purpose: RequestPurpose,
    model: string,
    chat?: ChatAccount,
  ): Promise<{ readonly client: Client; readonly demo: boolean; readonly service: string }> {
    const { settings, redactor } = this.#window;
    const [connection, keys, admission] = [this.#connection, this.#keys, this.#admission];
    // The redactor must know every stored key before anything is sent or stored.
    await keys.learned();
    this.#refuseUnknownService(model);
    const { changes } = keys;
    const { id, other } = connection.placeOf(model);
    const endpoint = await connection.endpoint(other);
    const { demo, id: service } = endpoint;
    const sender = { purpose, chat, service, model: id, demo };
    const client = new ServiceClient({
      ...endpoint,
      service,
      model: id,
      // Reading a key takes longer than all else before a request, so it is read once.
      apiKey: () =>
        keys.changes === changes
          ? Promise.resolve(endpoint.apiKey)
          : connection.currentKey(endpoint),
      clock: this.#clock,
      silenceLimit: settings.current().requestTimeoutSeconds * 1000,
      extrasOf: (written) => this.#settingsOf(written),
      learned: this.#catalog.learned,
      factsOf: (facts, written) => (demo ? {} : appliedFacts(facts, this.#settingsOf(written))),
      coolDowns: this.#coolDowns,
      // Another extension may depend on the tools of its request.
      keepsTools: purpose.startsWith('provider:'),
      redactor,
      meter: this.meter,
      priceOf: (written) => (demo ? undefined : admission.priceOf(written)),
      admit: (request, used, signal) => admission.admit(request, used, sender, signal),
    });
    return { client, demo, service };
  }

  /** Returns a request as its model's service would get it. */
  asSent(original: CompletionRequest, chat: ChatAccount): CompletionRequest {
    const { id, service } = this.#connection.placeOf(original.model);
    const settings = this.#settingsOf(original.model);
    const request = withExtras(original, settings);
    if (this.#connection.isDemo || service === undefined) return { ...request, model: id };
    const limited = this.#admission.preview(request, chat, { service, model: id });
    const facts = appliedFacts(this.#catalog.learned.of(service, id), settings);
    return { ...adaptRequest(limited, facts), model: id };
  }

  /** The remainder of the tightest budget of a chat; undefined without a budget. */
  budgetLeft(chat: ChatAccount, model: string): BudgetLeft | undefined {
    if (this.#connection.isDemo) return undefined;
    return this.#admission.budgetLeft(chat, model, this.#connection.placeOf(model).service ?? '');
  }

  /** The budgets of the chat with their usage; empty for the demo, which is free. */
  usedBudgets(chat: ChatAccount): readonly UsedBudget[] {
    return this.#connection.isDemo ? [] : this.#admission.used(chat);
  }

  /** Logs an error of a request, learns from it about the model, and returns its text. */
  describe(error: unknown, model: string): TurnError {
    const { errors, log } = this.#window;
    const { id, service } = this.#connection.placeOf(model);
    if (service !== undefined) background(this.#catalog.noteError(service, id, error));
    log.error('A request failed', error);
    this.#connection.noteError(model, error);
    const text = errors.text(error, model);
    const { remedy } = text;
    if (remedy === 'raise-budget' || remedy === 'raise-chat-budget') this.#exceeded.fire(undefined);
    return text;
  }

  /** @throws {UserError} if one of these texts must not be sent */
  async check(texts: readonly string[]): Promise<void> {
    if (texts.reduce((sum, { length }) => sum + length, 0) > maxRequestCharacters)
      throw new UserError(vscode.l10n.t('Not sent: the request is too large.'));
    await this.#keys.learned();
    // An API key belongs in the header of a request, and never in a conversation.
    if (texts.some((text) => this.#window.redactor.redact(text) !== text))
      throw new UserError(
        vscode.l10n.t(
          'This message or an attachment contains your API key. Remove it, then send again.',
        ),
      );
  }

  #settingsOf(model: string): Partial<ModelSettings> {
    return settingsOfModel(this.#window.settings.current(), model);
  }

  /** @throws {UserError} if the id names a service that is no longer connected */
  #refuseUnknownService(model: string): void {
    const { isDemo, services } = this.#connection;
    const { current } = services;
    const name = isDemo ? undefined : unknownService(model, services.names);
    if (name === undefined || current === undefined || !this.#catalog.lacks(current.id, model))
      return;
    throw new UserError(
      vscode.l10n.t(
        'Not sent: no connected service is named {0}, and {1} has no model {2}. Select another model, or connect to the service again.',
        name,
        services.label(current),
        model,
      ),
      'select-model',
    );
  }
}

/** The facts that apply to a request, without options that the person set for its model. */
function appliedFacts(
  { usage, trace, refused = [] }: LearnedFacts,
  settings: Partial<ModelSettings>,
): LearnedFacts {
  // The settings don't have yet what another window has just learned.
  const learned = refusedUnlessSet(refused, settings);
  return { usage, trace, refused: [...(settings.refused ?? []), ...learned] };
}
