import * as vscode from 'vscode';
import type { ReviewComment } from '../../core/code/changeReview.ts';
import { inertMarkdown } from '../../core/history/inertMarkdown.ts';
import { findAnchor, followLines, type LineRange } from '../../core/review/proposal.ts';
import { background } from '../../core/support/background.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { contextKeys, reviewCommentController } from '../contributions.ts';

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

interface CommentThreadsOptions {
  /** The icon beside the author of a comment. */
  readonly icon: vscode.Uri;
}

/** Review comments in the editor, which move with the text until they are deleted. */
export class CommentThreads implements Disposable {
  readonly #options: CommentThreadsOptions;
  readonly #comments = new Map<vscode.CommentThread, TrackedComment>();
  #listening: readonly Disposable[] = [];
  #controller: vscode.CommentController | undefined;
  #review = 0;

  constructor(options: CommentThreadsOptions) {
    this.#options = options;
  }

  /** All comments, in the order in which they were written. */
  get all(): readonly PlacedComment[] {
    return [...this.#comments.values()];
  }

  /** The comment of a menu's thread; undefined for other arguments and deleted comments. */
  find(argument: unknown): PlacedComment | undefined {
    return this.all.find(({ thread }) => thread === argument);
  }

  /** Begins a review. Its comments replace the unresolved ones of earlier reviews, file by file. */
  beginReview(): void {
    this.#review += 1;
  }

  /** Shows a comment at its lines, whose position in the editor may differ from the diff. */
  async add(uri: vscode.Uri, comment: ReviewComment, model: string): Promise<void> {
    const { start, lines, text, kind } = comment;
    const now = await linesOf(uri);
    const match = now && findAnchor(now, lines, start - 1);
    const range = toRange(match ?? { first: start - 1, last: comment.end - 1 }, now ?? []);
    this.deleteEarlier(uri);
    this.#controller ??= this.#create();
    const thread = this.#controller.createCommentThread(uri, range, [this.#commentOf(text, model)]);
    thread.canReply = false;
    thread.label = {
      bug: vscode.l10n.t('Bug'),
      risk: vscode.l10n.t('Risk'),
      suggestion: vscode.l10n.t('Suggestion'),
    }[kind];
    this.#comments.set(thread, { thread, text, anchor: lines, review: this.#review });
    this.unresolve(thread);
    if (this.#comments.size === 1) this.#setContext(true);
  }

  /** Deletes the unresolved comments of earlier reviews on a file. */
  deleteEarlier({ path }: vscode.Uri): void {
    for (const { thread, review } of this.#comments.values()) {
      const isOpen = thread.state !== vscode.CommentThreadState.Resolved;
      if (isOpen && review !== this.#review && thread.uri.path === path) this.delete(thread);
    }
  }

  resolve(thread: vscode.CommentThread): void {
    thread.state = vscode.CommentThreadState.Resolved;
    thread.contextValue = 'resolved';
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
  }

  unresolve(thread: vscode.CommentThread): void {
    thread.state = vscode.CommentThreadState.Unresolved;
    thread.contextValue = 'unresolved';
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
  }

  delete(thread: vscode.CommentThread): void {
    if (!this.#comments.delete(thread)) return;
    thread.dispose();
    if (this.#comments.size === 0) this.#setContext(false);
  }

  deleteAll(): void {
    for (const thread of this.#comments.keys()) this.delete(thread);
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

  #commentOf(text: string, model: string): vscode.Comment {
    // Neither trusted nor with HTML, so that a model's text runs and loads nothing.
    const body = new vscode.MarkdownString(inertMarkdown(text, 'written'));
    const author = { name: 'Aside', iconPath: this.#options.icon };
    return { body, author, label: model, mode: vscode.CommentMode.Preview };
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
      to ?? findAnchor(textLines(document.getText()), comment.anchor, lineRangeOf(comment).first);
    const range = new vscode.Range(first, 0, last, document.lineAt(last).text.length);
    if (to !== undefined) comment.anchor = textLines(document.getText(range));
    if (comment.thread.range?.isEqual(range) !== true) comment.thread.range = range;
  }

  #setContext(hasComments: boolean): void {
    background(
      vscode.commands.executeCommand('setContext', contextKeys.hasReviewComments, hasComments),
    );
  }
}

function lineRangeOf({ thread: { range } }: PlacedComment): LineRange {
  return { first: range?.start.line ?? 0, last: range?.end.line ?? 0 };
}

function toRange({ first, last }: LineRange, lines: readonly string[]): vscode.Range {
  return new vscode.Range(first, 0, last, lines[last]?.length ?? 0);
}

function textLines(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/);
}

/** The lines of a file as they are now; undefined if they can't be read. */
async function linesOf(uri: vscode.Uri): Promise<readonly string[] | undefined> {
  const address = uri.toString();
  const open = vscode.workspace.textDocuments.find(
    (document) => document.uri.toString() === address,
  );
  if (open !== undefined) return textLines(open.getText());
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > maxReadBytes) return undefined;
    return textLines(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
  } catch {
    return undefined;
  }
}
