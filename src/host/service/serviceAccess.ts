import * as vscode from 'vscode';
import type { TurnError } from '../../core/conversation/conversation.ts';
import { adaptRequest } from '../../core/service/adaptations.ts';
import { CoolDowns } from '../../core/service/retry.ts';
import { ServiceClient, type Client } from '../../core/service/client.ts';
import type { LearnedFacts, LearnedFactStore } from '../../core/service/learnedFacts.ts';
import { unknownService } from '../../core/service/modelReference.ts';
import { withExtras } from '../../core/service/requestExtras.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import type { Clock } from '../../core/support/clock.ts';
import { Emitter, type Event } from '../../core/support/event.ts';
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
import type { Connection } from './connection.ts';
import type { Keys } from './keys.ts';

/** Access to the services for all requests: the client, budgets, and texts of errors. */
export interface ServiceAccess {
  /**
   * The client of a model's service, with its id; rejects if there is none. It removes known keys from replies,
   * counts requests and keeps them within the budgets. The key is read for each attempt.
   *
   * @param model written id, as in requests to the client; the client sends the bare id
   */
  readonly connect: (
    purpose: RequestPurpose,
    model: string,
    chat?: ChatAccount,
  ) => Promise<{ readonly client: Client; readonly demo: boolean; readonly service: string }>;
  /** Returns a request as its model's service would get it. */
  readonly asSent: (request: CompletionRequest, chat: ChatAccount) => CompletionRequest;
  /** The remainder of the tightest budget of a chat; undefined without a budget. */
  readonly budgetLeft: (chat: ChatAccount, model: string) => BudgetLeft | undefined;
  /** The budgets of the chat with their usage; empty for the demo, which is free. */
  readonly usedBudgets: (chat: ChatAccount) => readonly UsedBudget[];
  /** Fires when an error says that a budget is used up. */
  readonly onDidExceedBudget: Event<unknown>;
  readonly meter: TokenMeter;
  readonly describe: (error: unknown, model: string) => TurnError;
  /** @throws {UserError} if one of these texts must not be sent */
  readonly check: (texts: readonly string[]) => Promise<void>;
}

interface ServiceAccessOptions {
  readonly connection: Connection;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly settings: CurrentSettings;
  readonly errors: Pick<ErrorReporter, 'text'>;
  readonly ledger: Ledger;
  readonly ratios: TokenRatios;
  readonly log: ErrorLog;
  readonly redactor: Redactor;
  /** Asks about models without a price. */
  readonly unpriced?: UnpricedModels | undefined;
  /** True if the list of a service is known and lacks a model. */
  readonly lacks?: ((service: string, id: string) => boolean) | undefined;
  readonly learned: LearnedFactStore;
}

export function createServiceAccess(options: ServiceAccessOptions): ServiceAccess {
  const { connection, keys, settings, ratios, redactor, ledger, learned } = options;
  const coolDowns = new CoolDowns(options.clock);
  const exceeded = new Emitter<unknown>();
  const modelSettings = (model: string): Partial<ModelSettings> =>
    settingsOfModel(settings.current(), model);
  const admission = new RequestAdmission({
    ledger,
    settings,
    nameOf: (id) => connection.services.all.find((service) => service.id === id)?.name,
    meter: ratios,
    unpriced: options.unpriced,
    learned,
  });
  return {
    async connect(purpose, model, chat) {
      // The redactor must know every stored key before anything is sent or stored.
      await keys.learned();
      refuseUnknownService(model, options);
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
        clock: options.clock,
        silenceLimit: settings.current().requestTimeoutSeconds * 1000,
        extrasOf: modelSettings,
        learned,
        factsOf: (facts, written) => (demo ? {} : appliedFacts(facts, modelSettings(written))),
        coolDowns,
        // Another extension may depend on the tools of its request.
        keepsTools: purpose.startsWith('provider:'),
        redactor,
        meter: ratios,
        priceOf: (written) => (demo ? undefined : admission.priceOf(written)),
        admit: (request, used, signal) => admission.admit(request, used, sender, signal),
      });
      return { client, demo, service };
    },
    asSent(original, chat) {
      const { id, service } = connection.placeOf(original.model);
      const itsSettings = modelSettings(original.model);
      const request = withExtras(original, itsSettings);
      if (connection.isDemo || service === undefined) return { ...request, model: id };
      const limited = admission.preview(request, chat, { service, model: id });
      const facts = appliedFacts(learned.of(service, id), itsSettings);
      return { ...adaptRequest(limited, facts), model: id };
    },
    budgetLeft(chat, model) {
      if (connection.isDemo) return undefined;
      return admission.budgetLeft(chat, model, connection.placeOf(model).service ?? '');
    },
    usedBudgets: (chat) => (connection.isDemo ? [] : admission.used(chat)),
    onDidExceedBudget: exceeded.event,
    meter: ratios,
    describe(error, model) {
      options.log.error('A request failed', error);
      connection.noteError(model, error);
      const text = options.errors.text(error, model);
      const { remedy } = text;
      if (remedy === 'raise-budget' || remedy === 'raise-chat-budget') exceeded.fire(undefined);
      return text;
    },
    async check(texts) {
      if (texts.reduce((sum, { length }) => sum + length, 0) > maxRequestCharacters)
        throw new UserError(vscode.l10n.t('Not sent: the request is too large.'));
      await keys.learned();
      // An API key belongs in the header of a request, and never in a conversation.
      if (texts.some((text) => redactor.redact(text) !== text))
        throw new UserError(
          vscode.l10n.t(
            'This message or an attachment contains your API key. Remove it, then send again.',
          ),
        );
    },
  };
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

/** @throws {UserError} if the id names a service that is no longer connected */
function refuseUnknownService(model: string, { connection, lacks }: ServiceAccessOptions): void {
  const { isDemo, services } = connection;
  const { current } = services;
  const name = isDemo ? undefined : unknownService(model, services.names);
  if (name === undefined || current === undefined || lacks?.(current.id, model) !== true) return;
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
