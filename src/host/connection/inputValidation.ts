import * as vscode from 'vscode';
import {
  addressProblem,
  bareText,
  completeAddress,
  parseAddress,
  withVersion,
  type ServiceAddress,
} from '../../core/service/address.ts';
import { ServiceError } from '../../core/reply/errors.ts';
import { isServiceName } from '../../core/service/modelReference.ts';
import type { Model } from '../../core/service/wire.ts';
import type { ValidationMessage } from '../dialogs.ts';
import type { Endpoint } from './connection.ts';
import type { ReadModels } from './modelCatalog.ts';

/** Validates a base URL while it is typed. The scheme is optional. */
export function validateBaseUrl(text: string): ValidationMessage | undefined {
  const complete = completeAddress(text);
  switch (addressProblem(complete)) {
    case undefined:
      return complete === bareText(text)
        ? validateLoopback(text)
        : { text: vscode.l10n.t('Connects to {0}', complete), severity: 'information' };
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

function validateLoopback(text: string): ValidationMessage | undefined {
  const { baseUrl } = parseAddress(text);
  if (!baseUrl.startsWith('http:')) return undefined;
  return {
    text: vscode.l10n.t('http:// is fine for a service on this machine.'),
    severity: 'warning',
  };
}

function error(text: string): ValidationMessage {
  return { text, severity: 'error' };
}

/** The result of GET /models with an address and a key. */
export type KeyVerdict =
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
    return judgeError(error);
  }
}

export interface ServiceVerdict {
  /** The typed address, or the one below it that responded. */
  readonly address: ServiceAddress;
  readonly verdict: KeyVerdict;
}

/**
 * Checks a key with the service. If there is no service at the address, also tries `/v1` below it.
 * Rejects only when the signal aborts.
 */
export async function judgeService(
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
export function isWrongAddress(verdict: KeyVerdict): boolean {
  if (verdict.kind !== 'unknown' || !(verdict.error instanceof ServiceError)) return false;
  return ['not-found', 'redirected', 'unexpected-reply'].includes(verdict.error.kind);
}

function judgeError(error: ServiceError): KeyVerdict {
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
