import * as vscode from 'vscode';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { background } from '../../core/support/background.ts';
import type { CodeCommandArgument } from '../code/commandTarget.ts';
import type { MaySend } from '../code/textGenerator.ts';
import { notify } from '../dialogs.ts';
import type { CommentThreads } from './commentThreads.ts';
import { newId } from '../../core/support/id.ts';
import { labelFor } from '../workspace/location.ts';
import { attachmentOf } from '../workspace/selection.ts';

/** Offers the comments in a notification. The review doesn't wait for it. */
export function offerComments(message: string): void {
  const show = vscode.l10n.t('Show Comments');
  background(
    notify('information', message, show).then((chosen) =>
      chosen === show
        ? vscode.commands.executeCommand('workbench.action.focusCommentsPanel')
        : undefined,
    ),
  );
}

interface CommentCommandsOptions {
  readonly threads: CommentThreads;
  /** Changes code according to an instruction, in a separate review. */
  readonly edit: (target: CodeCommandArgument) => Promise<void>;
  /** Asks before sending code that seems to contain a secret. */
  readonly maySend: MaySend;
}

/** Commands on comments. Each gets the thread whose menu it was chosen in. */
export class CommentCommands {
  readonly #options: CommentCommandsOptions;

  constructor(options: CommentCommandsOptions) {
    this.#options = options;
  }

  resolve(argument: unknown): void {
    const { threads } = this.#options;
    const comment = threads.find(argument);
    if (comment !== undefined) threads.resolve(comment.thread);
  }

  unresolve(argument: unknown): void {
    const { threads } = this.#options;
    const comment = threads.find(argument);
    if (comment !== undefined) threads.unresolve(comment.thread);
  }

  delete(argument: unknown): void {
    const { threads } = this.#options;
    const comment = threads.find(argument);
    if (comment !== undefined) threads.delete(comment.thread);
  }

  /** Lets a model change the code according to the comment. */
  async fix(argument: unknown): Promise<void> {
    const { threads, edit } = this.#options;
    const comment = threads.find(argument);
    if (comment === undefined) return;
    const { uri } = comment.thread;
    const document = await vscode.workspace.openTextDocument(uri);
    const range = rangeOf(comment.thread, document);
    const instruction = `Do what this comment of a code review asks for, and change nothing else. It is about ${linesText(range)}.\n\n${comment.text}`;
    await edit({ uri, range, instruction });
  }

  /** Attachments for a message: the code, and the comment on it. */
  async attachments(argument: unknown): Promise<readonly Attachment[]> {
    const { threads, maySend } = this.#options;
    const comment = threads.find(argument);
    if (comment === undefined) return [];
    const { thread, text } = comment;
    const document = await vscode.workspace.openTextDocument(thread.uri);
    const range = rangeOf(thread, document);
    const code = attachmentOf(document, range, newId());
    if (code !== undefined && !(await maySend(thread.uri, code.text))) return [];
    const name = vscode.l10n.t('Review Comment');
    const title = `${labelFor(thread.uri)}, ${linesText(range)}:\n`;
    const said = { id: newId(), name, path: name, language: 'markdown', text: title + text };
    return code === undefined ? [said] : [code, said];
  }
}

/** The range of a comment, clipped to the current text of its file. */
function rangeOf({ range }: vscode.CommentThread, document: vscode.TextDocument): vscode.Range {
  return document.validateRange(range ?? new vscode.Range(0, 0, 0, 0));
}

function linesText({ start, end }: vscode.Range): string {
  return start.line === end.line
    ? `line ${start.line + 1}`
    : `lines ${start.line + 1}-${end.line + 1}`;
}
