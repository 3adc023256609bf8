import * as vscode from 'vscode';
import { UserError } from '../errors.ts';

/** The error for a file whose text is no longer the one that a change was made for. */
export function fileChangedError(label: string): UserError {
  return new UserError(vscode.l10n.t('{0} has changed meanwhile. Try again.', label));
}
