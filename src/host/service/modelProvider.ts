import * as vscode from 'vscode';
import { abortError, raceAbort, withSignal } from '../../core/support/async.ts';
import type { Clock } from '../../core/support/clock.ts';
import { requestOnce } from '../../core/turn/replyEvents.ts';
import { bareId, describeModel, type ServiceModel } from './modelList.ts';
import type { ServiceAccess } from './serviceAccess.ts';
import { settingsOfModel, type ModelSettings } from '../platform/settingValues.ts';
import type { CurrentSettings } from '../platform/settings.ts';
import type { RunningRequests } from '../usage/runningRequests.ts';
import { charactersOfGiven, GivenCallIds, modelRequest, textsOfRequest } from './modelRequest.ts';
import type { TurnError } from '../../core/conversation/conversation.ts';
import { UserError } from '../platform/errors.ts';
import type { TurnEnd, TurnEvent } from '../../core/conversation/events.ts';
import { shortModelName } from '../../core/conversation/usage.ts';
import { isObject, parseJson } from '../../core/support/json.ts';
import { canChat } from '../../core/service/wire.ts';
import { background, report } from '../../core/support/background.ts';
import type { ConnectionParts, ConnectionUi } from './connectionUi.ts';
import type { ErrorReporter } from '../platform/errorText.ts';
import * as z from 'zod/mini';
import type { Consents } from '../approval/consents.ts';

/** A model that other extensions may select now. */
export interface OfferedModel extends ServiceModel {
  /** The host of its service; undefined for the demo. */
  readonly host: string | undefined;
}

interface ProviderWindow {
  readonly settings: CurrentSettings;
  readonly errors: Pick<ErrorReporter, 'show'>;
}

type Information = vscode.LanguageModelChatInformation;
type Progress = vscode.Progress<vscode.LanguageModelResponsePart>;

/** The unchecked request of another extension. */
interface ProviderRequest {
  readonly model: string;
  readonly messages: unknown;
  readonly options: unknown;
  readonly progress: Progress;
}

/** The models of the connected services, for VS Code's own chat and for other extensions. */
export class ModelProvider implements vscode.LanguageModelChatProvider {
  readonly #service: ServiceAccess;
  readonly #settings: CurrentSettings;
  readonly #ui: Pick<ConnectionUi, 'connect'>;
  readonly #parts: ConnectionParts;
  readonly #errors: Pick<ErrorReporter, 'show'>;
  readonly #approval: CallerApproval;
  readonly #running: RunningRequests;
  readonly #clock: Clock;
  readonly #callIds = new GivenCallIds();

  constructor(
    { settings, errors }: ProviderWindow,
    service: ServiceAccess,
    ui: Pick<ConnectionUi, 'connect'>,
    parts: ConnectionParts,
    approval: CallerApproval,
    running: RunningRequests,
    clock: Clock,
  ) {
    this.#settings = settings;
    this.#errors = errors;
    this.#service = service;
    this.#ui = ui;
    this.#parts = parts;
    this.#approval = approval;
    this.#running = running;
    this.#clock = clock;
  }

  /** Lists the models that were read last, without a question or a request, if `silent`. */
  async provideLanguageModelChatInformation({
    silent,
  }: vscode.PrepareLanguageModelChatModelOptions): Promise<Information[]> {
    if (!silent) await this.#update();
    const values = this.#settings.current();
    const models = await listedModels(this.#parts);
    const { id: current } = this.#parts.choice.current();
    // VS Code's chat preselects the first one.
    const rankOf = ({ id }: OfferedModel): number => (id === current ? 0 : 1);
    const sorted = models.toSorted((a, b) => rankOf(a) - rankOf(b));
    return sorted.map((model) =>
      modelInformation(model, settingsOfModel(values, model.id), values.currency),
    );
  }

  async provideLanguageModelChatResponse(
    { id: model }: Information,
    messages: unknown,
    options: unknown,
    progress: Progress,
    token: vscode.CancellationToken,
  ): Promise<void> {
    await withSignal(token, (canceled) =>
      this.#running.run(canceled, async (signal) => {
        try {
          await this.#stream({ model, messages, options, progress }, signal);
        } catch (error) {
          if (signal.aborted) throw new vscode.CancellationError();
          throw languageModelError(error, this.#service.describe(error, model));
        }
      }),
    );
  }

  provideTokenCount({ id }: Information, text: unknown): Promise<number> {
    const { meter } = this.#service;
    return Promise.resolve(meter.estimate(id, charactersOfGiven(text), 'prompt'));
  }

  async #stream(
    { model, messages, options, progress }: ProviderRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const [service, settings, clock] = [this.#service, this.#settings, this.#clock];
    const current = settings.current();
    const request = modelRequest(messages, options, {
      model,
      tools: settingsOfModel(current, model).tools ?? true,
      images: settingsOfModel(current, model).images ?? false,
      stream: current.stream,
      userOptions: settings.requestOptions(model),
    });
    const caller = callerOf(options);
    await raceAbort(this.#allow(caller, model), signal);
    await raceAbort(service.check(textsOfRequest(request)), signal);
    const connected = await raceAbort(service.connect(`provider:${caller}`, model), signal);
    const { client } = connected;
    const recipient = `${connected.service} ${model}`;
    const sent = {
      ...request,
      messages: [...this.#callIds.replaceIn(request.messages, recipient)],
    };
    const reply = new ReplyParts(progress);
    let failure: unknown;
    const describe = (error: unknown): { readonly kind: string; readonly message: string } => {
      failure = error;
      return { kind: '', message: '' };
    };
    for await (const event of requestOnce(sent, { client, clock, signal, describe })) {
      if (event.type === 'tool-call-end') this.#callIds.add(event.call.id, recipient);
      if (event.type !== 'turn-end') reply.add(event);
      else if (event.status === 'stopped') throw abortError(signal);
      else if (event.status === 'finished') reply.end(event);
      else throw failure;
    }
  }

  /** Lets the person connect, or reads the models of the connected services again. */
  async #update(): Promise<void> {
    const { catalog, connection } = this.#parts;
    const others = await connection.otherEndpoints();
    if (connection.state.kind === 'none' && others.length === 0) {
      await this.#ui.connect();
      return;
    }
    const { signal } = new AbortController();
    const current = connection.state.kind === 'none' ? [] : [connection.endpoint()];
    const reading = [...current, ...others].map(async (endpoint) =>
      catalog.refresh(await endpoint, signal),
    );
    for (const read of await Promise.allSettled(reading))
      if (read.status === 'rejected')
        background(this.#errors.show(read.reason, 'Reading the models'));
  }

  /** @throws {ModelNotOffered | CallerNotAllowed} if the model or the caller isn't allowed */
  async #allow(caller: string, model: string): Promise<void> {
    const match = (await listedModels(this.#parts)).find(({ id }) => id === model);
    // The messages may have been written for a service that was connected before.
    if (match === undefined)
      throw new ModelNotOffered(
        vscode.l10n.t('Not sent: no connected service has the model {0}.', model),
      );
    // The demo sends nothing and costs nothing.
    if (match.host !== undefined) await this.#approval.approve(caller, match.host);
  }
}

/** The model of a request isn't one of the connected services. */
class ModelNotOffered extends UserError {}

/** The kinds of errors that VS Code has a word for; a quota that is used up counts as blocked. */
const known: ReadonlyMap<string, 'NotFound' | 'NoPermissions' | 'Blocked'> = new Map([
  ['not-found', 'NotFound'],
  ['missing-model', 'NotFound'],
  ['invalid-address', 'NotFound'],
  ['missing-key', 'NoPermissions'],
  ['unauthorized', 'NoPermissions'],
  ['forbidden', 'NoPermissions'],
  ['insufficient-balance', 'Blocked'],
  ['rate-limited', 'Blocked'],
]);

/** Remedies of a budget refusal: a larger budget, or a model with a known price. */
const remediesOfBudget: ReadonlySet<TurnError['remedy']> = new Set([
  'raise-budget',
  'raise-chat-budget',
  'select-model',
]);

/**
 * An error in VS Code's own form, with the displayed text only.
 *
 * @param described the text of the error, without secrets
 */
function languageModelError(error: unknown, { kind, message, remedy }: TurnError): Error {
  const isOfBudget = kind === 'refused' && remediesOfBudget.has(remedy);
  if (error instanceof CallerNotAllowed) return vscode.LanguageModelError.NoPermissions(message);
  if (error instanceof ModelNotOffered) return vscode.LanguageModelError.NotFound(message);
  const code = isOfBudget ? 'Blocked' : known.get(kind);
  return code === undefined ? new Error(message) : vscode.LanguageModelError[code](message);
}

/** Type of the part with the usage of a reply, whose names VS Code's own chat reads. */
const usageType = 'usage';

type Call = Extract<TurnEvent, { type: 'tool-call-end' }>['call'];

/**
 * Reports a reply to the requesting extension as it arrives. Reasoning is omitted, since VS Code
 * has no part for it yet. Calls are reported when the reply is complete.
 */
class ReplyParts {
  readonly #progress: vscode.Progress<vscode.LanguageModelResponsePart>;
  readonly #calls: Call[] = [];

  constructor(progress: vscode.Progress<vscode.LanguageModelResponsePart>) {
    this.#progress = progress;
  }

  add(event: TurnEvent): void {
    if (event.type === 'text-delta')
      this.#progress.report(new vscode.LanguageModelTextPart(event.text));
    else if (event.type === 'usage') {
      const { prompt_tokens, completion_tokens, total_tokens, cached_tokens, estimated } =
        event.usage;
      const usage = {
        prompt_tokens,
        completion_tokens,
        total_tokens,
        prompt_tokens_details: { cached_tokens },
        ...(estimated ? { estimated } : {}),
      };
      this.#progress.report(vscode.LanguageModelDataPart.json(usage, usageType));
    } else if (event.type === 'tool-call-end') this.#calls.push(event.call);
  }

  /**
   * Called when the reply was read to its end.
   *
   * @throws {UserError} if a part of it is missing, so that its calls aren't what the model
   * intended
   */
  end({ finishReason, malformedEvents = 0 }: TurnEnd): void {
    if (finishReason === 'content_filter')
      throw new UserError(vscode.l10n.t('The content filter of the service stopped the reply.'));
    if (malformedEvents > 0)
      throw new UserError(vscode.l10n.t('The reply was cut off. Try again.'));
    if (finishReason === 'length' && this.#calls.length > 0)
      throw new UserError(vscode.l10n.t('The reply reached the maximum length.'));
    const parts = this.#calls.map(({ id, name, arguments: json }) => {
      const input = json.trim() === '' ? {} : parseJson(json);
      if (isObject(input)) return new vscode.LanguageModelToolCallPart(id, name, input);
      throw new UserError(
        vscode.l10n.t(
          "The model called {0} with arguments that aren't valid JSON. Try again.",
          name,
        ),
      );
    });
    for (const part of parts) this.#progress.report(part);
  }
}

/** Default tokens of a request with its reply, which most current models accept. */
const usualWindow = 128_000;
const usualOutput = 16_000;

export function modelInformation(
  { host, ...model }: OfferedModel,
  settings: Partial<ModelSettings>,
  currency: string,
): vscode.LanguageModelChatInformation {
  const facts = describeModel({ ...model, missing: false }, settings, currency);
  const destination =
    host ?? vscode.l10n.t('Demo mode: scripted replies in English. Nothing is sent.');
  const bare = bareId(model);
  const unknown =
    settings.contextWindow === undefined ? [vscode.l10n.t("The context window isn't known.")] : [];
  return {
    id: model.id,
    name: model.id,
    family: shortModelName(bare),
    version: bare,
    detail: host === undefined ? vscode.l10n.t('Demo') : facts === '' ? host : facts,
    tooltip: [model.id, destination, facts, ...unknown].filter((line) => line !== '').join('\n'),
    ...tokenLimits(settings),
    capabilities: { toolCalling: settings.tools ?? true, imageInput: settings.images ?? false },
  };
}

/**
 * Maximum tokens of a request and of its reply, which together fill the context window. VS Code
 * needs numbers even if none are known.
 */
export function tokenLimits({
  contextWindow = usualWindow,
  maxOutput,
}: Partial<ModelSettings>): Pick<
  vscode.LanguageModelChatInformation,
  'maxInputTokens' | 'maxOutputTokens'
> {
  const half = Math.max(1, Math.floor(contextWindow / 2));
  const maxOutputTokens = Math.min(maxOutput ?? Math.min(usualOutput, half / 2), half);
  const output = Math.max(1, Math.floor(maxOutputTokens));
  return { maxInputTokens: Math.max(1, contextWindow - output), maxOutputTokens: output };
}

type Listing = Pick<ConnectionParts, 'catalog' | 'choice' | 'connection'>;

/** The models that were read last; without a list, the model in use. */
export async function listedModels(parts: Listing): Promise<readonly OfferedModel[]> {
  const { connection, choice } = parts;
  const { service, services, state } = connection;
  const others = await connection.otherEndpoints();
  const ofOthers = others.flatMap(({ name, ...other }) =>
    modelsOf(other.id, parts).map((model) => ({
      ...model,
      host: services.label(other),
      service: name,
    })),
  );
  if (state.kind === 'none' || service === undefined) return ofOthers;
  const { id } = choice.current();
  const isOfCurrent = id !== '' && connection.placeOf(id).other === undefined;
  const known = state.kind === 'demo' ? choice.demoModels : isOfCurrent ? [id] : [];
  const listed = modelsOf(service, parts);
  const current = listed.length > 0 ? listed : known.map((model) => ({ id: model, ownedBy: '' }));
  const host = state.kind === 'demo' ? undefined : state.host;
  return [...current.map((model) => ({ ...model, host })), ...ofOthers];
}

/** The models of a service that can chat, by written id. */
function modelsOf(service: string, { catalog, connection }: Listing): readonly ServiceModel[] {
  const { models = [] } = catalog.list(service) ?? {};
  return models
    .filter(canChat)
    .map((model) => ({ ...model, id: connection.services.written(service, model.id) }));
}

/** The initiator of a request that VS Code itself sends. */
const vsCodeItself = 'core';

const initiated = z.object({
  requestInitiator: z.string().check(z.regex(/^[\w.-]{1,200}$/)),
});

/**
 * Sender of a request: the id of an extension in lower case, `core` for VS Code itself, or
 * `unknown`. VS Code passes it in a field that isn't in its types.
 *
 * @param options `ProvideLanguageModelChatResponseOptions`, not validated yet
 */
export function callerOf(options: unknown): string {
  return initiated.safeParse(options).data?.requestInitiator ?? 'unknown';
}

/** The person did not let a caller use the service. */
export class CallerNotAllowed extends UserError {}

/** Asks once per window whether a caller may use a paid service. */
export class CallerApproval {
  readonly #consents: Consents;

  constructor(consents: Consents) {
    this.#consents = consents;
  }

  /**
   * Resolves if the person allows it. Concurrent requests wait for the same answer.
   *
   * @param host of the service
   * @throws {CallerNotAllowed}
   */
  async approve(caller: string, host: string): Promise<void> {
    const name =
      caller === vsCodeItself
        ? 'VS Code'
        : caller === 'unknown'
          ? vscode.l10n.t('another extension')
          : vscode.l10n.t('the extension {0}', caller);
    const subject = { kind: 'caller', path: `${host} ${caller}`, hash: '' } as const;
    const question = {
      message: vscode.l10n.t('Allow {0} to use the models of {1}?', name, host),
      detail: vscode.l10n.t(
        'Requests use your API key and count toward your budget. This applies until the window is closed or reloaded.',
      ),
      yes: vscode.l10n.t('Allow'),
      no: vscode.l10n.t('Deny'),
      isClosingNo: true,
    };
    let isAllowed: boolean | undefined;
    try {
      isAllowed = await this.#consents.allows(subject, question);
    } catch (error) {
      report(error);
    }
    if (isAllowed === true) return;
    throw new CallerNotAllowed(
      vscode.l10n.t(
        "Not sent: {0} isn't allowed to use {1}. Reload the window to be asked again.",
        name,
        host,
      ),
    );
  }
}
