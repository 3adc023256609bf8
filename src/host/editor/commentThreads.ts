import * as vscode from 'vscode';
import type { ReviewComment } from '../../core/code/changeReview.ts';
import { inertMarkdown } from '../../core/history/inertMarkdown.ts';
import { findAnchor, followLines, type LineRange } from '../../core/edits/proposal.ts';
import type { Attachment } from '../../core/conversation/conversation.ts';
import { background } from '../../core/support/background.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { newId } from '../../core/support/id.ts';
import { linesOf } from '../../core/support/text.ts';
import type { EditCommands } from './editCommands.ts';
import type { MaySend } from './textGenerator.ts';
import { contextKeys, reviewCommentController } from '../contributions.ts';
import { labelFor } from '../platform/location.ts';
import { attachmentOf } from '../platform/selection.ts';

/** Maximum bytes of a file that is read to locate the lines of a comment. */
const maxReadBytes = 2_000_000;

export interface PlacedComment {
  readonly thread: vscode.CommentThread;
  readonly text: string;
}

interface TrackedComment extends PlacedComment {
  anchor: readonly string[];
  readonly review: number;
}

/**
 * Review comments in the editor, which move with the text until they are deleted. Commands on a comment
 * get the thread whose menu they were chosen in.
 */
export class CommentThreads implements Disposable {
  readonly #icon: vscode.Uri;
  readonly #maySend: MaySend;
  readonly #edits: EditCommands;
  readonly #comments = new Map<vscode.CommentThread, TrackedComment>();
  #listening: readonly Disposable[] = [];
  #controller: vscode.CommentController | undefined;
  #review = 0;

  /**
   * @param icon beside the author of a comment
   * @param edits change code as a comment says
   */
  constructor(icon: vscode.Uri, maySend: MaySend, edits: EditCommands) {
    this.#icon = icon;
    this.#maySend = maySend;
    this.#edits = edits;
  }

  /** All comments, in the order in which they were written. */
  get all(): readonly PlacedComment[] {
    return [...this.#comments.values()];
  }

  /** The comment of a menu's thread; undefined for other arguments and deleted comments. */
  #find(argument: unknown): PlacedComment | undefined {
    return this.all.find(({ thread }) => thread === argument);
  }

  /** Begins a review. Its comments replace the unresolved ones of earlier reviews, file by file. */
  beginReview(): void {
    this.#review += 1;
  }

  /** Shows a comment at its lines, whose position in the editor may differ from the diff. */
  async add(uri: vscode.Uri, comment: ReviewComment, model: string): Promise<void> {
    const { start, lines, text, kind } = comment;
    const now = await currentLines(uri);
    const expected = { first: start - 1, last: comment.end - 1 };
    const { first, last } = now === undefined ? expected : findAnchor(now, lines, start - 1);
    const range = new vscode.Range(first, 0, last, now?.[last]?.length ?? 0);
    this.deleteEarlier(uri);
    this.#controller ??= this.#create();
    // Neither trusted nor with HTML, so that a model's text runs and loads nothing.
    const body = new vscode.MarkdownString(inertMarkdown(text, 'written'));
    const author = { name: 'Aside', iconPath: this.#icon };
    const { Preview } = vscode.CommentMode;
    const thread = this.#controller.createCommentThread(uri, range, [
      { body, author, label: model, mode: Preview },
    ]);
    thread.canReply = false;
    thread.label = {
      bug: vscode.l10n.t('Bug'),
      risk: vscode.l10n.t('Risk'),
      suggestion: vscode.l10n.t('Suggestion'),
    }[kind];
    this.#comments.set(thread, { thread, text, anchor: lines, review: this.#review });
    setResolved(thread, false);
    if (this.#comments.size === 1) this.#setContext(true);
  }

  /** Deletes the unresolved comments of earlier reviews on a file. */
  deleteEarlier({ path }: vscode.Uri): void {
    for (const { thread, review } of this.#comments.values()) {
      const isOpen = thread.state !== vscode.CommentThreadState.Resolved;
      if (isOpen && review !== this.#review && thread.uri.path === path) this.delete(thread);
    }
  }

  resolve(argument: unknown): void {
    const comment = this.#find(argument);
    if (comment !== undefined) setResolved(comment.thread, true);
  }

  unresolve(argument: unknown): void {
    const comment = this.#find(argument);
    if (comment !== undefined) setResolved(comment.thread, false);
  }

  delete(argument: unknown): void {
    const comment = this.#find(argument);
    if (comment === undefined) return;
    this.#comments.delete(comment.thread);
    comment.thread.dispose();
    if (this.#comments.size === 0) this.#setContext(false);
  }

  deleteAll(): void {
    for (const thread of this.#comments.keys()) this.delete(thread);
  }

  /** Lets a model change the code according to the comment. */
  async fix(argument: unknown): Promise<void> {
    const comment = this.#find(argument);
    if (comment === undefined) return;
    const { uri } = comment.thread;
    const document = await vscode.workspace.openTextDocument(uri);
    const range = rangeOf(comment.thread, document);
    const instruction = `Do what this comment of a code review asks for, and change nothing else. It is about ${linesText(range)}.\n\n${comment.text}`;
    await this.#edits.run('edit', { uri, range, instruction });
  }

  /** Attachments for a message: the code, and the comment on it. */
  async attachments(argument: unknown): Promise<readonly Attachment[]> {
    const comment = this.#find(argument);
    if (comment === undefined) return [];
    const { thread, text } = comment;
    const document = await vscode.workspace.openTextDocument(thread.uri);
    const range = rangeOf(thread, document);
    const code = attachmentOf(document, range, newId());
    if (code !== undefined && !(await this.#maySend(thread.uri, code.text))) return [];
    const name = vscode.l10n.t('Review Comment');
    const title = `${labelFor(thread.uri)}, ${linesText(range)}:\n`;
    const said = { id: newId(), name, path: name, language: 'markdown', text: title + text };
    return code === undefined ? [said] : [code, said];
  }

  dispose(): void {
    this.#comments.clear();
    this.#controller?.dispose();
    disposeAll(this.#listening);
  }

  #create(): vscode.CommentController {
    this.#listening = [
      vscode.workspace.onDidChangeTextDocument((event) => this.#follow(event)),
      vscode.workspace.onDidOpenTextDocument((document) => {
        // The file may have changed while it was closed.
        for (const comment of this.#of(document)) this.#move(comment, document, undefined);
      }),
    ];
    const label = vscode.l10n.t('Aside Review');
    return vscode.comments.createCommentController(reviewCommentController, label);
  }

  /** VS Code moves a drawn thread but doesn't update its range, which later edits need. */
  #follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0) return;
    for (const comment of this.#of(document)) {
      const moved = contentChanges.reduce<LineRange | undefined>(
        (lines, change) => lines && followLines(lines, change),
        lineRangeOf(comment),
      );
      this.#move(comment, document, moved);
    }
  }

  #of({ uri }: vscode.TextDocument): readonly TrackedComment[] {
    const address = uri.toString();
    return [...this.#comments.values()].filter(({ thread }) => thread.uri.toString() === address);
  }

  #move(comment: TrackedComment, document: vscode.TextDocument, to: LineRange | undefined): void {
    const { first, last } =
      to ?? findAnchor(linesOf(document.getText()), comment.anchor, lineRangeOf(comment).first);
    const range = new vscode.Range(first, 0, last, document.lineAt(last).text.length);
    if (to !== undefined) comment.anchor = linesOf(document.getText(range));
    if (comment.thread.range?.isEqual(range) !== true) comment.thread.range = range;
  }

  #setContext(hasComments: boolean): void {
    background(
      vscode.commands.executeCommand('setContext', contextKeys.hasReviewComments, hasComments),
    );
  }
}

function setResolved(thread: vscode.CommentThread, isResolved: boolean): void {
  const { Resolved, Unresolved } = vscode.CommentThreadState;
  const { Collapsed, Expanded } = vscode.CommentThreadCollapsibleState;
  thread.state = isResolved ? Resolved : Unresolved;
  thread.contextValue = isResolved ? 'resolved' : 'unresolved';
  thread.collapsibleState = isResolved ? Collapsed : Expanded;
}

function lineRangeOf({ thread: { range } }: PlacedComment): LineRange {
  return { first: range?.start.line ?? 0, last: range?.end.line ?? 0 };
}

/** The lines of a file as they are now; undefined if they can't be read. */
async function currentLines(uri: vscode.Uri): Promise<readonly string[] | undefined> {
  const address = uri.toString();
  const open = vscode.workspace.textDocuments.find(
    (document) => document.uri.toString() === address,
  );
  if (open !== undefined) return linesOf(open.getText());
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > maxReadBytes) return undefined;
    return linesOf(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
  } catch {
    return undefined;
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
