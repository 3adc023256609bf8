import * as vscode from 'vscode';
import { abortError, raceAbort } from '../../core/support/async.ts';
import { withSignal } from '../../core/support/async.ts';
import type { Clock } from '../../core/support/clock.ts';
import { requestOnce } from '../../core/turn/replyEvents.ts';
import type { ServiceModel } from '../connection/modelList.ts';
import type { ServiceAccess } from '../connection/serviceAccess.ts';
import { settingsOfModel } from '../modelSettings.ts';
import type { CurrentSettings } from '../settings.ts';
import type { RunningRequests } from '../usage/runningRequests.ts';
import { callerOf, type CallerApproval } from './callers.ts';
import { languageModelError, ModelNotOffered } from './languageModelError.ts';
import { modelInformation } from './modelInformation.ts';
import { modelRequest, textsOfRequest } from './modelRequest.ts';
import { ReplyParts } from './replyParts.ts';
import { charactersOfGiven } from './requestMessages.ts';

/** A model that other extensions may select now. */
export interface OfferedModel extends ServiceModel {
  /** The host of its service; undefined for the demo. */
  readonly host: string | undefined;
}

export interface ModelProviderOptions {
  readonly service: ServiceAccess;
  readonly settings: CurrentSettings;
  readonly clock: Clock;
  readonly approval: CallerApproval;
  readonly running: RunningRequests;
  /** The models of all connected services. Sends nothing. */
  readonly offered: () => Promise<readonly OfferedModel[]>;
  /**
   * Id of the model in use, which is listed first, since VS Code's chat preselects the first one.
   */
  readonly current: () => string;
  /** Lets the person connect, or reads the models of the connected services again. */
  readonly update: () => Promise<void>;
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
  readonly #options: ModelProviderOptions;

  constructor(options: ModelProviderOptions) {
    this.#options = options;
  }

  /** Lists the models that were read last, without a question or a request, if `silent`. */
  async provideLanguageModelChatInformation({
    silent,
  }: vscode.PrepareLanguageModelChatModelOptions): Promise<Information[]> {
    const { current, offered, settings, update } = this.#options;
    if (!silent) await update();
    const { currency } = settings.current();
    const settingsOf = (id: string) => settingsOfModel(settings.current(), id);
    const context = { settingsOf, currency };
    const models = await offered();
    const rankOf = ({ id }: OfferedModel): number => (id === current() ? 0 : 1);
    const sorted = models.toSorted((a, b) => rankOf(a) - rankOf(b));
    return sorted.map((model) => modelInformation(model, { ...context, host: model.host }));
  }

  async provideLanguageModelChatResponse(
    { id: model }: Information,
    messages: unknown,
    options: unknown,
    progress: Progress,
    token: vscode.CancellationToken,
  ): Promise<void> {
    await withSignal(token, (canceled) =>
      this.#options.running.run(canceled, (signal) =>
        this.#respond({ model, messages, options, progress }, signal),
      ),
    );
  }

  provideTokenCount({ id }: Information, text: unknown): Promise<number> {
    const { meter } = this.#options.service;
    return Promise.resolve(meter.estimate(id, charactersOfGiven(text), 'prompt'));
  }

  async #respond(request: ProviderRequest, signal: AbortSignal): Promise<void> {
    const { service } = this.#options;
    try {
      await this.#stream(request, signal);
    } catch (error) {
      if (signal.aborted) throw new vscode.CancellationError();
      throw languageModelError(error, service.describe(error, request.model));
    }
  }

  async #stream(
    { model, messages, options, progress }: ProviderRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const { service, settings, clock } = this.#options;
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
    const { client } = await raceAbort(service.connect(`provider:${caller}`, model), signal);
    const reply = new ReplyParts(progress);
    let failure: unknown;
    const describe = (error: unknown): { readonly kind: string; readonly message: string } => {
      failure = error;
      return { kind: '', message: '' };
    };
    for await (const event of requestOnce(request, { client, clock, signal, describe })) {
      if (event.type !== 'turn-end') reply.add(event);
      else if (event.status === 'stopped') throw abortError(signal);
      else if (event.status === 'finished') reply.end(event);
      else throw failure;
    }
  }

  /** @throws {ModelNotOffered | CallerNotAllowed} if the model or the caller isn't allowed */
  async #allow(caller: string, model: string): Promise<void> {
    const { approval, offered } = this.#options;
    const match = (await offered()).find(({ id }) => id === model);
    // The messages may have been written for a service that was connected before.
    if (match === undefined)
      throw new ModelNotOffered(
        vscode.l10n.t('Not sent: no connected service has the model {0}.', model),
      );
    // The demo sends nothing and costs nothing.
    if (match.host !== undefined) await approval.approve(caller, match.host);
  }
}
