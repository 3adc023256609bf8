import * as vscode from 'vscode';
import type { ReviewComment, ReviewKind } from '../../core/code/reviewReply.ts';
import { inertMarkdown } from '../../core/history/inertMarkdown.ts';
import { findAnchor, followLines, type LineRange } from '../../core/review/movedLines.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { contextKeys, reviewCommentController } from '../contributions.ts';

/** A larger file is not read to find the lines of a comment again. */
const maxReadBytes = 2_000_000;

/** A comment in the editor. */
export interface PlacedComment {
  readonly thread: vscode.CommentThread;
  /** What it says: Markdown of a model. */
  readonly text: string;
}

interface TrackedComment extends PlacedComment {
  /** The lines that it is about, by which they are found again. */
  anchor: readonly string[];
  /** The number of the review that it is of. */
  readonly review: number;
}

interface CommentThreadsOptions {
  /** The picture beside the name of who wrote a comment. */
  readonly icon: vscode.Uri;
}

/** The comments of reviews in the editor, which move with the text until they are deleted. */
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

  /** The comment that a menu is about; undefined for anything else, and for a deleted one. */
  find(given: unknown): PlacedComment | undefined {
    return this.all.find(({ thread }) => thread === given);
  }

  /** Begins a review. Its comments replace the unresolved ones of earlier reviews, file by file. */
  beginReview(): void {
    this.#review += 1;
  }

  /** Shows a comment at its lines, which may be elsewhere in the editor than in the diff. */
  async add(uri: vscode.Uri, comment: ReviewComment, model: string): Promise<void> {
    const { start, lines, text, kind } = comment;
    const now = await linesOf(uri);
    const place = now && findAnchor(now, lines, start - 1);
    const range = toRange(place ?? { first: start - 1, last: comment.end - 1 }, now ?? []);
    this.deleteEarlier(uri);
    this.#controller ??= this.#create();
    const thread = this.#controller.createCommentThread(uri, range, [this.#shown(text, model)]);
    thread.canReply = false;
    thread.label = labelOf(kind);
    this.#comments.set(thread, { thread, text, anchor: lines, review: this.#review });
    this.unresolve(thread);
    if (this.#comments.size === 1) this.#setContext(true);
  }

  /** Deletes the unresolved comments on a file that earlier reviews left. */
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
      vscode.workspace.onDidOpenTextDocument((document) => this.#findAgain(document)),
    ];
    const label = vscode.l10n.t('Aside Review');
    return vscode.comments.createCommentController(reviewCommentController, label);
  }

  #shown(text: string, model: string): vscode.Comment {
    // Neither trusted nor with HTML: nothing that a model writes runs or loads anything.
    const body = new vscode.MarkdownString(inertMarkdown(text, 'written'));
    const author = { name: 'Aside', iconPath: this.#options.icon };
    return { body, author, label: model, mode: vscode.CommentMode.Preview };
  }

  /** VS Code moves what it draws, but tells no new range: a later edit would be somewhere else. */
  #follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0) return;
    for (const comment of this.#of(document)) {
      const moved = contentChanges.reduce<LineRange | undefined>(
        (place, { range: { start, end }, text }) =>
          place &&
          followLines(place, {
            ...{ startLine: start.line, startCharacter: start.character },
            ...{ endLine: end.line, endCharacter: end.character, text },
          }),
        placeOf(comment),
      );
      this.#move(comment, document, moved);
    }
  }

  /** The file may have changed while nobody had it open. */
  #findAgain(document: vscode.TextDocument): void {
    for (const comment of this.#of(document)) this.#move(comment, document, undefined);
  }

  #of({ uri }: vscode.TextDocument): readonly TrackedComment[] {
    const address = uri.toString();
    return [...this.#comments.values()].filter(({ thread }) => thread.uri.toString() === address);
  }

  #move(comment: TrackedComment, document: vscode.TextDocument, to: LineRange | undefined): void {
    const { first, last } =
      to ?? findAnchor(textLines(document.getText()), comment.anchor, placeOf(comment).first);
    const range = new vscode.Range(first, 0, last, document.lineAt(last).text.length);
    if (to !== undefined) comment.anchor = textLines(document.getText(range));
    if (comment.thread.range?.isEqual(range) !== true) comment.thread.range = range;
  }

  #setContext(hasComments: boolean): void {
    void vscode.commands.executeCommand('setContext', contextKeys.hasReviewComments, hasComments);
  }
}

function labelOf(kind: ReviewKind): string {
  const labels: Readonly<Record<ReviewKind, string>> = {
    bug: vscode.l10n.t('Bug'),
    risk: vscode.l10n.t('Risk'),
    suggestion: vscode.l10n.t('Suggestion'),
  };
  return labels[kind];
}

function placeOf({ thread: { range } }: PlacedComment): LineRange {
  return { first: range?.start.line ?? 0, last: range?.end.line ?? 0 };
}

function toRange({ first, last }: LineRange, lines: readonly string[]): vscode.Range {
  return new vscode.Range(first, 0, last, lines[last]?.length ?? 0);
}

function textLines(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/);
}

/** The lines of a file as they are now; undefined where they can't be read. */
async function linesOf(uri: vscode.Uri): Promise<readonly string[] | undefined> {
  const address = uri.toString();
  const open = vscode.workspace.textDocuments.find((one) => one.uri.toString() === address);
  if (open !== undefined) return textLines(open.getText());
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > maxReadBytes) return undefined;
    return textLines(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
  } catch {
    return undefined;
  }
}
