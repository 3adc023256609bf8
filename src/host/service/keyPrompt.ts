import * as vscode from 'vscode';
import { ServiceError } from '../../core/service/errors.ts';
import {
  addressProblem,
  bareText,
  completeAddress,
  parseAddress,
  withVersion,
  type ServiceAddress,
} from '../../core/service/address.ts';
import { isServiceName } from '../../core/service/modelReference.ts';
import type { Model } from '../../core/service/wire.ts';
import type { Dialogs, ValidationMessage } from '../platform/dialogs.ts';
import type { ErrorReporter } from '../platform/errorText.ts';
import type { Endpoint } from './connection.ts';
import type { Keys } from './keys.ts';
import type { ReadModels } from './modelCatalog.ts';
import { orUndefined } from '../../core/support/background.ts';

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
  readonly #dialogs: Dialogs;
  readonly #keys: Keys;
  readonly #readModels: ReadModels;
  readonly #fetch: typeof fetch;
  readonly #errors: Pick<ErrorReporter, 'text'>;

  constructor(
    dialogs: Dialogs,
    keys: Keys,
    readModels: ReadModels,
    fetch: typeof globalThis.fetch,
    errors: Pick<ErrorReporter, 'text'>,
  ) {
    this.#dialogs = dialogs;
    this.#keys = keys;
    this.#readModels = readModels;
    this.#fetch = fetch;
    this.#errors = errors;
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
      this.#keys.guard(key);
      const endpoint = { ...address, apiKey: key, fetch: this.#fetch, demo: false };
      const title = vscode.l10n.t('Checking the key with {0}…', address.host);
      let decision: Decision | 'try-again' = 'try-again';
      while (decision === 'try-again') {
        const verdict = await this.#dialogs.progress(title, (signal) =>
          orUndefined(judgeService(endpoint, this.#readModels, signal)),
        );
        // There is no verdict if the person canceled the check.
        decision = verdict === undefined ? 'cancelled' : await this.#decide(key, verdict, request);
      }
      if (decision === 'cancelled') return undefined;
      if (decision !== 'another-key') return decision;
    }
  }

  async #askOnce(
    host: string,
    { known, label = host }: KeyPromptRequest,
  ): Promise<string | undefined> {
    const text = await this.#dialogs.prompt({
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

  async #decide(
    key: string,
    { address, verdict }: ServiceVerdict,
    request: KeyPromptRequest,
  ): Promise<Decision | 'try-again'> {
    if (verdict.kind === 'accepted') return { key, address, models: verdict.models };
    const problem = this.#errors.text(verdict.error).message;
    if (verdict.kind === 'accepted-with-error') return { key, address, notice: problem };
    if (verdict.kind === 'refused') {
      const button = vscode.l10n.t('Set API Key');
      const answer = await this.#dialogs.showError(problem, button);
      return answer === button ? 'another-key' : 'cancelled';
    }
    if (request.address === 'typed' && isWrongAddress(verdict)) return { key, problem };
    const tryAgain = vscode.l10n.t('Try Again');
    const store = vscode.l10n.t('Store Without Checking');
    const change = vscode.l10n.t('Change Address…');
    const answer = await this.#dialogs.choose({
      message: vscode.l10n.t("The key couldn't be checked."),
      detail: problem,
      buttons: [tryAgain, store, ...(request.address === undefined ? [] : [change])],
    });
    if (answer === tryAgain) return 'try-again';
    if (answer === change) return { key, problem };
    return answer === store ? { key, address } : 'cancelled';
  }
}

/** Validates a base URL while it is typed. The scheme is optional. */
export function validateBaseUrl(text: string): ValidationMessage | undefined {
  const complete = completeAddress(text);
  switch (addressProblem(complete)) {
    case undefined:
      if (complete !== bareText(text))
        return { text: vscode.l10n.t('Connects to {0}', complete), severity: 'information' };
      return parseAddress(text).baseUrl.startsWith('http:')
        ? {
            text: vscode.l10n.t('http:// is fine for a service on this machine.'),
            severity: 'warning',
          }
        : undefined;
    case 'not-a-url':
      return error(vscode.l10n.t('Enter a base URL like https://api.example.com/v1.'));
    case 'insecure':
      return error(
        vscode.l10n.t(
          "http:// would send your key unencrypted. It's allowed only for localhost. Use https://.",
        ),
      );
    case 'credentials':
      return error(
        vscode.l10n.t("Leave out the user name and password. You'll enter the key next."),
      );
    case 'query':
      return error(vscode.l10n.t('Leave out everything after the path, from ? or # on.'));
  }
}

/** Validates the address of the console while it is typed. */
export function validateConsoleUrl(text: string): ValidationMessage | undefined {
  const url = URL.parse(text.trim());
  return url?.protocol === 'https:' && url.username === '' && url.password === ''
    ? undefined
    : error(vscode.l10n.t('The console address must start with https://.'));
}

/** Validates a key while it is typed. Ignores pasted text around it. */
export function validateKey(text: string): ValidationMessage | undefined {
  const key = bareText(text);
  if (key === '') return error(vscode.l10n.t('Paste the key. It looks like sk-…'));
  if (/^bearer\b/i.test(key)) {
    return error(vscode.l10n.t('Leave out “Bearer”. Only the key itself is needed.'));
  }
  if (/\s/.test(key)) {
    return error(vscode.l10n.t("A key can't contain spaces or line breaks. Copy it again."));
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    return error(
      vscode.l10n.t('A key can contain only ASCII letters, digits, and symbols. Copy it again.'),
    );
  }
  if (key.startsWith('sk-')) return undefined;
  return {
    text: vscode.l10n.t("This key doesn't start with sk-. Check that it's the right one."),
    severity: 'information',
  };
}

/** The name of an account in a typed text: names of services have no capitals. */
export function accountNameIn(text: string): string {
  return text.trim().toLowerCase();
}

/** @param usedNames names of the connected services and accounts */
export function validateAccountName(
  text: string,
  usedNames: readonly string[],
): ValidationMessage | undefined {
  const name = accountNameIn(text);
  if (!isServiceName(name))
    return error(vscode.l10n.t('Use only letters a–z, digits, dots, and hyphens.'));
  return usedNames.includes(name)
    ? error(vscode.l10n.t('{0} is already the name of a service.', name))
    : undefined;
}

function error(text: string): ValidationMessage {
  return { text, severity: 'error' };
}

/** The result of GET /models with an address and a key. */
type KeyVerdict =
  | { readonly kind: 'accepted'; readonly models: readonly Model[] }
  /** The service accepts the key, but rejects the request for another reason. */
  | { readonly kind: 'accepted-with-error'; readonly error: ServiceError }
  | { readonly kind: 'refused'; readonly error: ServiceError }
  /** The response reveals nothing about the key. */
  | { readonly kind: 'unknown'; readonly error: unknown };

/** Checks a key with the service. Rejects only when the signal aborts. */
async function judgeKey(
  endpoint: Endpoint,
  readModels: ReadModels,
  signal: AbortSignal,
): Promise<KeyVerdict> {
  try {
    return { kind: 'accepted', models: await readModels(endpoint, signal) };
  } catch (error) {
    if (signal.aborted) throw error;
    if (!(error instanceof ServiceError)) return { kind: 'unknown', error };
    switch (error.kind) {
      case 'unauthorized':
      case 'forbidden':
        return { kind: 'refused', error };
      case 'insufficient-balance':
      case 'rate-limited':
        return { kind: 'accepted-with-error', error };
      default:
        return { kind: 'unknown', error };
    }
  }
}

interface ServiceVerdict {
  /** The typed address, or the one below it that responded. */
  readonly address: ServiceAddress;
  readonly verdict: KeyVerdict;
}

/**
 * Checks a key with the service. If there is no service at the address, also tries `/v1` below it.
 * Rejects only when the signal aborts.
 */
async function judgeService(
  endpoint: Endpoint,
  readModels: ReadModels,
  signal: AbortSignal,
): Promise<ServiceVerdict> {
  const verdict = await judgeKey(endpoint, readModels, signal);
  const below = isWrongAddress(verdict) ? withVersion(endpoint) : undefined;
  if (below === undefined) return { address: endpoint, verdict };
  const second = await judgeKey({ ...endpoint, ...below }, readModels, signal);
  return isWrongAddress(second)
    ? { address: endpoint, verdict }
    : { address: below, verdict: second };
}

/** True if there is no service at the address. */
function isWrongAddress(verdict: KeyVerdict): boolean {
  if (verdict.kind !== 'unknown' || !(verdict.error instanceof ServiceError)) return false;
  return ['not-found', 'redirected', 'unexpected-reply'].includes(verdict.error.kind);
}
