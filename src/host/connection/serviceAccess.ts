import * as vscode from 'vscode';
import type { TurnError } from '../../core/conversation/conversation.ts';
import { adaptRequest } from '../../core/service/adaptations.ts';
import { CoolDowns } from '../../core/service/coolDowns.ts';
import { createClient, type Client } from '../../core/service/client.ts';
import type { LearnedFacts, LearnedFactStore } from '../../core/service/learnedFacts.ts';
import { meteredClient } from '../../core/service/meteredClient.ts';
import { unknownService } from '../../core/service/modelReference.ts';
import { redactedClient } from '../../core/service/redactedClient.ts';
import { withExtras } from '../../core/service/requestExtras.ts';
import type { CompletionRequest } from '../../core/service/wire.ts';
import { background } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { Emitter, type Event } from '../../core/support/event.ts';
import type { Redactor } from '../../core/support/redact.ts';
import { maxRequestCharacters } from '../../core/support/text.ts';
import type { TokenMeter } from '../../core/service/requestUsage.ts';
import type { ErrorReporter } from '../errorText.ts';
import { UserError } from '../errors.ts';
import type { ErrorLog } from '../log.ts';
import { refusedUnlessSet, settingsOfModel, type ModelSettings } from '../settingValues.ts';
import type { CurrentSettings } from '../settings.ts';
import { Budgets, type ChatAccount, type UsedBudget } from '../usage/budgets.ts';
import type { Ledger } from '../usage/ledger.ts';
import { RequestAdmission, type BudgetLeft } from '../usage/requestAdmission.ts';
import type { TokenRatios } from '../usage/tokenRatios.ts';
import type { RequestPurpose } from '../usage/usageRecord.ts';
import type { UnpricedModels } from '../usage/unpricedModels.ts';
import type { UsageContext } from '../usage/usageTable.ts';
import type { Connection, ServiceEndpoint } from './connection.ts';
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
  readonly usage: () => UsageContext;
  /** Asks about models without a price. */
  readonly unpriced?: UnpricedModels | undefined;
  /** True if the list of a service is known and lacks a model. */
  readonly lacks?: ((service: string, id: string) => boolean) | undefined;
  readonly learned: LearnedFactStore;
}

export function createServiceAccess(options: ServiceAccessOptions): ServiceAccess {
  const { connection, keys, settings, ratios, redactor, learned } = options;
  const coolDowns = new CoolDowns(options.clock);
  const exceeded = new Emitter<unknown>();
  const admission = createAdmission(options);
  const factsOf = (service: string, id: string, model: string): LearnedFacts =>
    appliedFacts(learned.of(service, id), settingsOfModel(settings.current(), model));
  const complete = (request: CompletionRequest): CompletionRequest =>
    withExtras(request, settingsOfModel(settings.current(), request.model));
  return {
    async connect(purpose, model, chat) {
      // The redactor must know every stored key before anything is sent or stored.
      await keys.learned();
      refuseUnknownService(model, options);
      const { changes } = keys;
      const { id, other } = connection.placeOf(model);
      const endpoint = await connection.endpoint(other);
      const { demo, id: service } = endpoint;
      const clientOptions = requestSettings(endpoint, changes, model, options);
      const client = bareClient(createClient({ ...clientOptions, learned, coolDowns }), id);
      const account = { purpose, chat, service, model: id, demo };
      const metered = meteredClient(redactedClient(client, redactor), {
        meter: ratios,
        admit: (request, used, signal) => admission.admit(request, used, account, signal),
        priceOf: (written) => (demo ? undefined : admission.priceOf(written)),
        // Another extension may depend on the tools of its request.
        keepsTools: purpose.startsWith('provider:'),
        facts: (request) => (demo ? {} : factsOf(service, id, request.model)),
        onLearned: (facts) => background(learned.learn(service, id, facts)),
      });
      return {
        client: {
          ...metered,
          stream: (request, signal) => metered.stream(complete(request), signal),
        },
        demo,
        service,
      };
    },
    asSent(original, chat) {
      const { id, service } = connection.placeOf(original.model);
      const request = complete(original);
      if (connection.isDemo || service === undefined) return { ...request, model: id };
      const limited = admission.preview(request, chat, { service, model: id });
      return { ...adaptRequest(limited, factsOf(service, id, request.model)), model: id };
    },
    budgetLeft(chat, model) {
      if (connection.isDemo) return undefined;
      return admission.budgetLeft(chat, model, connection.placeOf(model).service ?? '');
    },
    usedBudgets: (chat) => (connection.isDemo ? [] : admission.used(chat)),
    onDidExceedBudget: exceeded.event,
    meter: ratios,
    describe: (error, model) => describeError(error, model, { ...options, exceeded }),
    async check(texts) {
      refuseLength(texts);
      await keys.learned();
      refuseSecrets(texts, redactor);
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

function describeError(
  error: unknown,
  model: string,
  options: ServiceAccessOptions & { readonly exceeded: Emitter<unknown> },
): TurnError {
  const { connection, errors, exceeded, log } = options;
  log.error('A request failed', error);
  connection.noteError(model, error);
  const text = errors.text(error, model);
  const { remedy } = text;
  if (remedy === 'raise-budget' || remedy === 'raise-chat-budget') exceeded.fire(undefined);
  return text;
}

function createAdmission(options: ServiceAccessOptions): RequestAdmission {
  const { connection, settings, ledger, ratios, unpriced, learned, usage } = options;
  return new RequestAdmission({
    ledger,
    budgets: new Budgets({
      log: ledger.log,
      settings: () => settings.current().budget,
      nameOf: (id) => connection.services.all.find((service) => service.id === id)?.name,
      context: usage,
    }),
    meter: ratios,
    context: usage,
    settingsOf: (model) => settingsOfModel(settings.current(), model),
    unpriced,
    learned,
  });
}

/** Lets requests to a client contain the written id of the model. */
function bareClient(client: Client, model: string): Client {
  return {
    ...client,
    stream: (request, ...options) => client.stream({ ...request, model }, ...options),
  };
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

/** @param changes number of key changes when the endpoint was read; after more, the key is read again */
function requestSettings(
  endpoint: ServiceEndpoint,
  changes: number,
  model: string,
  { connection, keys, settings, clock }: ServiceAccessOptions,
): Parameters<typeof createClient>[0] {
  const values = settings.current();
  return {
    ...endpoint,
    service: endpoint.id,
    apiKey: () =>
      keys.changes === changes ? Promise.resolve(endpoint.apiKey) : connection.currentKey(endpoint),
    clock,
    silenceLimit: values.requestTimeoutSeconds * 1000,
    extraHeaders: () => settingsOfModel(values, model).extraHeaders ?? {},
  };
}

function refuseLength(texts: readonly string[]): void {
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (characters <= maxRequestCharacters) return;
  throw new UserError(vscode.l10n.t('Not sent: the request is too large.'));
}

/** An API key belongs in the header of a request, and never in a conversation. */
function refuseSecrets(texts: readonly string[], redactor: Redactor): void {
  if (texts.every((text) => redactor.redact(text) === text)) return;
  throw new UserError(
    vscode.l10n.t(
      'This message or an attachment contains your API key. Remove it, then send again.',
    ),
  );
}
