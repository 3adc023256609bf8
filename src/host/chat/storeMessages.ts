import * as vscode from 'vscode';
import { background } from '../../core/support/background.ts';
import { notify } from '../platform/dialogs.ts';
import { UserError } from '../platform/errors.ts';

/** Replaces the text of a message that could not be read. */
export function lostMessage(): string {
  return vscode.l10n.t("(This message couldn't be read.)");
}

/** The error of a turn that was running when its window closed. */
export function interrupted(): string {
  return vscode.l10n.t('The window was closed or reloaded during the reply.');
}

/** The error of a turn that another window runs, which is shown as far as it was read. */
export function unfinished(): string {
  return vscode.l10n.t("This reply wasn't finished yet when the chat was read.");
}

export function notSaved(location: string): string {
  return vscode.l10n.t("This chat can't be saved in {0} right now. It's kept in memory.", location);
}

export async function showUnreadError(tryAgain: () => void): Promise<void> {
  const message = vscode.l10n.t("The last chat couldn't be read. The saved data was kept.");
  const again = vscode.l10n.t('Try Again');
  if ((await notify('error', message, again)) === again) tryAgain();
}

export function showCopied(): void {
  const message = vscode.l10n.t(
    'This chat was opened in another window. It continues here as a copy.',
  );
  background(notify('warning', message));
}

export function replyRuns(): UserError {
  return new UserError(vscode.l10n.t('Wait for the reply, or stop it first.'));
}

export function messageIsGone(): UserError {
  return new UserError(vscode.l10n.t('This message no longer exists.'));
}

export function chatIsGone(): UserError {
  return new UserError(vscode.l10n.t('This chat is no longer saved.'));
}

export function chatIsElsewhere(): UserError {
  return new UserError(vscode.l10n.t('This chat is open in another window.'));
}
