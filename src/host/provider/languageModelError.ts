import * as vscode from 'vscode';
import type { TurnError } from '../../core/conversation/conversation.ts';
import { UserError } from '../errors.ts';
import { CallerNotAllowed } from './callers.ts';

/** The model of a request isn't one of the connected services. */
export class ModelNotOffered extends UserError {}

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
export function languageModelError(error: unknown, described: TurnError): Error {
  const code = codeOf(error, described);
  return code === undefined
    ? new Error(described.message)
    : vscode.LanguageModelError[code](described.message);
}

function codeOf(
  error: unknown,
  { kind, remedy }: TurnError,
): 'NotFound' | 'NoPermissions' | 'Blocked' | undefined {
  if (error instanceof CallerNotAllowed) return 'NoPermissions';
  if (error instanceof ModelNotOffered) return 'NotFound';
  if (kind === 'refused') return remediesOfBudget.has(remedy) ? 'Blocked' : undefined;
  return known.get(kind);
}
