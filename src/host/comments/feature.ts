import * as vscode from 'vscode';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { background } from '../../core/support/background.ts';
import type { Disposable } from '../../core/support/event.ts';
import type { CodeCommandArgument } from '../code/commandTarget.ts';
import { createWindowGenerator } from '../code/textGenerator.ts';
import type { CommandsOf } from '../commands.ts';
import type { ConnectionFeature } from '../connection/feature.ts';
import type { ContextFeature } from '../context/feature.ts';
import { notify, windowDialogs } from '../dialogs.ts';
import { noRepository } from '../workspace/git.ts';
import type { HostWindow } from '../workspace/window.ts';
import { CommentCommands } from './commentCommands.ts';
import { CommentThreads } from './commentThreads.ts';
import { ReviewChanges } from './reviewChanges.ts';

interface CommentNeeds {
  readonly connection: ConnectionFeature;
  readonly context: ContextFeature;
  /** Changes code according to an instruction, in a separate review. */
  readonly edit: (target: CodeCommandArgument) => Promise<void>;
}

export interface CommentFeature extends Disposable {
  readonly commands: CommandsOf<'comments'>;
  /** Attachments for a message: the code of a comment, and the comment. */
  attachments(comment: unknown): Promise<readonly Attachment[]>;
}

export function createComments(window: HostWindow, needs: CommentNeeds): CommentFeature {
  const { context, settings, node } = window;
  const { connection, edit } = needs;
  const { maySend } = needs.context;
  const threads = new CommentThreads({
    icon: vscode.Uri.joinPath(context.extensionUri, 'media/icon.png'),
  });
  const review = new ReviewChanges({
    threads,
    generator: createWindowGenerator(window, connection, needs.context),
    requireModel: connection.requireModel,
    maySend,
    readRepository: node?.readRepository ?? noRepository,
    instructions: () => settings.current().instructions,
    tokensOf: connection.tokensOf,
    dialogs: windowDialogs,
    offerComments,
  });
  const commands = new CommentCommands({ threads, edit, maySend });
  return {
    commands: {
      reviewChanges: (clicked) => review.run(clicked),
      fixReviewComment: (comment) => commands.fix(comment),
      resolveReviewComment: (comment) => commands.resolve(comment),
      unresolveReviewComment: (comment) => commands.unresolve(comment),
      deleteReviewComment: (comment) => commands.delete(comment),
      deleteReviewComments: () => threads.deleteAll(),
    },
    attachments: (comment) => commands.attachments(comment),
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
