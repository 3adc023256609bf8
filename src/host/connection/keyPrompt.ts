import * as vscode from 'vscode';
import { bareText, type ServiceAddress } from '../../core/service/address.ts';
import type { Model } from '../../core/service/wire.ts';
import type { Dialogs, ValidationMessage } from '../dialogs.ts';
import type { ErrorText } from '../errorText.ts';
import {
  isWrongAddress,
  judgeService,
  validateKey,
  type ServiceVerdict,
} from './inputValidation.ts';
import type { Keys } from './keys.ts';
import type { ReadModels } from './modelCatalog.ts';

export interface KeyPromptOptions {
  readonly dialogs: Dialogs;
  readonly keys: Keys;
  readonly readModels: ReadModels;
  readonly fetch: typeof fetch;
  readonly errorText: (error: unknown) => ErrorText;
}

/** A key that may be stored, with the models if the service returned them. */
export interface ApprovedKey {
  readonly key: string;
  /** The address that responded: the typed one, or `/v1` below it. */
  readonly address: ServiceAddress;
  readonly models?: readonly Model[] | undefined;
  readonly notice?: string | undefined;
}

/** The person should correct the address; the key is kept for it. */
export interface AddressCorrection {
  readonly problem: string;
  readonly key: string;
}

export interface KeyPromptRequest {
  /** The stored key for this address, which an empty input keeps. */
  readonly known?: string | undefined;
  /** The service in texts; by default its host. */
  readonly label?: string | undefined;
  /** A key that was just typed for this origin, so that it isn't asked for again. */
  readonly typed?: string | undefined;
  /**
   * `typed`: if no service is found there, the person may correct the address immediately;
   * `confirmed`: only on request, since some services have no model list.
   */
  readonly address?: 'typed' | 'confirmed' | undefined;
}

type Decision = ApprovedKey | AddressCorrection | 'another-key' | 'cancelled';

/**
 * Asks for a key until one is valid or the person cancels. The input is masked, and the service
 * checks the key. Stores nothing.
 */
export class KeyPrompt {
  readonly #options: KeyPromptOptions;

  constructor(options: KeyPromptOptions) {
    this.#options = options;
  }

  async ask(
    address: ServiceAddress,
    request: KeyPromptRequest = {},
  ): Promise<ApprovedKey | AddressCorrection | undefined> {
    let { typed } = request;
    for (;;) {
      const key = typed ?? (await this.#askOnce(address.host, request));
      if (key === undefined) return undefined;
      typed = undefined;
      this.#options.keys.guard(key);
      const decision = await this.#check(address, key, request);
      if (decision === 'cancelled') return undefined;
      if (decision !== 'another-key') return decision;
    }
  }

  async #askOnce(
    host: string,
    { known, label = host }: KeyPromptRequest,
  ): Promise<string | undefined> {
    const { dialogs } = this.#options;
    const text = await dialogs.prompt({
      // A key besides a known one may be that of another account.
      title: vscode.l10n.t('API Key for {0}', known === undefined ? label : host),
      prompt:
        known === undefined
          ? vscode.l10n.t('The key is sent only to {0} and is kept in secret storage.', host)
          : vscode.l10n.t('Leave empty to keep the stored key for {0}.', label),
      placeholder: 'sk-…',
      secret: true,
      check: (typed): ValidationMessage | undefined =>
        bareText(typed) === '' && known !== undefined ? undefined : validateKey(typed),
    });
    const key = text === undefined ? undefined : bareText(text);
    return key === '' ? known : key;
  }

  async #check(address: ServiceAddress, key: string, request: KeyPromptRequest): Promise<Decision> {
    for (;;) {
      const verdict = await this.#judge(address, key);
      if (verdict === undefined) return 'cancelled';
      const decision = await this.#decide(key, verdict, request);
      if (decision !== 'try-again') return decision;
    }
  }

  /** Undefined if the person canceled the check. */
  async #judge(address: ServiceAddress, apiKey: string): Promise<ServiceVerdict | undefined> {
    const { dialogs, fetch, readModels } = this.#options;
    const endpoint = { ...address, apiKey, fetch, demo: false };
    const title = vscode.l10n.t('Checking the key with {0}…', address.host);
    return dialogs.progress(title, async (signal) => {
      try {
        return await judgeService(endpoint, readModels, signal);
      } catch {
        return undefined;
      }
    });
  }

  async #decide(
    key: string,
    { address, verdict }: ServiceVerdict,
    request: KeyPromptRequest,
  ): Promise<Decision | 'try-again'> {
    const { errorText } = this.#options;
    switch (verdict.kind) {
      case 'accepted':
        return { key, address, models: verdict.models };
      case 'accepted-with-error':
        return { key, address, notice: errorText(verdict.error).message };
      case 'refused':
        return this.#refuse(verdict.error);
      case 'unknown': {
        const problem = errorText(verdict.error).message;
        const isAddressAsked = request.address === 'typed' && isWrongAddress(verdict);
        if (isAddressAsked) return { key, problem };
        return this.#askWithoutCheck({ key, address }, problem, request);
      }
    }
  }

  async #refuse(error: unknown): Promise<Decision> {
    const { dialogs, errorText } = this.#options;
    const button = vscode.l10n.t('Set API Key');
    const answer = await dialogs.showError(errorText(error).message, button);
    return answer === button ? 'another-key' : 'cancelled';
  }

  async #askWithoutCheck(
    unchecked: ApprovedKey,
    problem: string,
    request: KeyPromptRequest,
  ): Promise<Decision | 'try-again'> {
    const { dialogs } = this.#options;
    const tryAgain = vscode.l10n.t('Try Again');
    const store = vscode.l10n.t('Store Without Checking');
    const change = vscode.l10n.t('Change Address…');
    const answer = await dialogs.choose({
      message: vscode.l10n.t("The key couldn't be checked."),
      detail: problem,
      buttons: [tryAgain, store, ...(request.address === undefined ? [] : [change])],
    });
    if (answer === tryAgain) return 'try-again';
    if (answer === change) return { key: unchecked.key, problem };
    return answer === store ? unchecked : 'cancelled';
  }
}
