import * as vscode from 'vscode';
import { background } from '../core/support/background.ts';
import type { Disposable } from '../core/support/event.ts';
import { CommentCommands, type CommentCommandsOptions } from '../host/comments/commentCommands.ts';
import { CommentThreads } from '../host/comments/commentThreads.ts';
import { ReviewChanges, type ReviewChangesOptions } from '../host/comments/reviewChanges.ts';
import { windowDialogs, notify } from '../host/dialogs.ts';

/** A model's review comments on changes. */
export interface CommentFeatures extends Disposable {
  readonly review: ReviewChanges;
  /** Actions of the buttons of these comments. */
  readonly commands: CommentCommands;
}

type CommentOptions = Omit<ReviewChangesOptions, 'threads' | 'dialogs' | 'offerComments'> &
  Omit<CommentCommandsOptions, 'threads'>;

export function createCommentFeatures(
  { extensionUri }: vscode.ExtensionContext,
  options: CommentOptions,
): CommentFeatures {
  const threads = new CommentThreads({ icon: vscode.Uri.joinPath(extensionUri, 'media/icon.png') });
  return {
    review: new ReviewChanges({ ...options, threads, dialogs: windowDialogs, offerComments }),
    commands: new CommentCommands({ ...options, threads }),
    dispose: () => threads.dispose(),
  };
}

/** Offers the comments in a notification. The review doesn't wait for it. */
function offerComments(message: string): void {
  const show = vscode.l10n.t('Show Comments');
  background(
    notify('information', message, show).then((chosen) =>
      chosen === show
        ? vscode.commands.executeCommand('workbench.action.focusCommentsPanel')
        : undefined,
    ),
  );
}
