import * as vscode from 'vscode';
import { background } from '../../core/support/background.ts';
import { notify, windowDialogs } from '../dialogs.ts';
import { UserError } from '../errors.ts';

/** Texts for turns and chats that could not be written or read. */
export function storeTexts(location: string) {
  return {
    interrupted: vscode.l10n.t('The window was closed or reloaded during the reply.'),
    leftRunning: vscode.l10n.t("The other window was closed during the reply, or didn't respond."),
    elsewhere: vscode.l10n.t('This chat is open in another window. Select Continue Here first.'),
    lostMessage: vscode.l10n.t("(This message couldn't be read.)"),
    unsaved: vscode.l10n.t(
      "This chat can't be saved in {0} right now. It's kept in memory.",
      location,
    ),
  };
}

export async function showUnreadError(tryAgain: () => void): Promise<void> {
  const message = vscode.l10n.t("The last chat couldn't be read. The saved data was kept.");
  const again = vscode.l10n.t('Try Again');
  if ((await notify('error', message, again)) === again) tryAgain();
}

export function showCopied(): void {
  const message = vscode.l10n.t(
    "Another window took over this chat. What wasn't saved here by then is kept in this copy.",
  );
  background(notify('warning', message));
}

export function confirmTakeOver(): Promise<boolean> {
  return windowDialogs.confirm(
    vscode.l10n.t('The other window is still replying. Continue here and stop it there?'),
    vscode.l10n.t('The text received so far is kept.'),
    vscode.l10n.t('Continue Here'),
  );
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
