import * as vscode from 'vscode';
import { raceAbort } from '../../core/support/async.ts';
import { orUndefined } from '../../core/support/background.ts';
import type { Clock } from '../../core/support/clock.ts';
import { UserError } from '../errors.ts';
import { answerCode, type EditPlace, type ProduceCode, type ProduceText } from './answerCode.ts';
import { FileReview, type PassGate, unnamedDocument } from './fileReview.ts';
import type { OpenReviews } from './openReviews.ts';
import { Review } from './review.ts';
import { reviewScheme } from '../contributions.ts';
import { windowDialogs } from '../dialogs.ts';
import { applySplices } from '../../core/edits/lineDiff.ts';
import { Proposal, type ReviewHunk } from '../../core/review/proposal.ts';
import { nameByLanguage } from './reviewDocuments.ts';

export interface FileReviewsOptions {
  readonly reviews: OpenReviews;
  readonly gate: PassGate;
  readonly clock: Clock;
}

/** The review that code streams into, and the file it is for. */
interface StreamTarget {
  readonly review: Review;
  readonly line: number;
  readonly signal: AbortSignal;
}

/** Changes of files by commands, which stream into a review and change nothing before a decision. */
export class FileReviews {
  readonly #options: FileReviewsOptions;

  constructor(options: FileReviewsOptions) {
    this.#options = options;
  }

  /**
   * Streams code for whole lines of a document into a review. Resolves when all code has arrived
   * and the person can decide, or has stopped it.
   * @param produce calls `onText` with the raw reply; if it rejects, the review is dropped
   * @param onReject called when the person has rejected all of it
   * @throws the error of `produce`; a `UserError` if another review of these lines is open, or the
   *   person changed them meanwhile
   */
  stream(target: EditPlace, produce: ProduceText, onReject?: () => void): Promise<void> {
    return this.#review(target, answerCode(target, produce), onReject);
  }

  /** Like `stream`, for complete code. */
  propose(target: EditPlace, code: string): Promise<void> {
    return this.#review(target, (review) => {
      review.push(code);
      return Promise.resolve();
    });
  }

  /** Like `stream`, for a file that doesn't exist yet. Accepting creates it. */
  streamNew(file: NewFile, produce: ProduceCode): Promise<void> {
    const { original, forget } = this.#emptySide(file.label);
    const target = new NewFileReview(file, { ...this.#options, original, forget });
    return this.#stream(target, produce);
  }

  async #review(target: EditPlace, produce: ProduceCode, onReject?: () => void): Promise<void> {
    this.#refuse(target);
    await this.#stream(new FileReview(target, { ...this.#options, onReject }), produce);
  }

  #emptySide(label: string): { readonly original: vscode.Uri; readonly forget: () => void } {
    const { documents } = this.#options.reviews;
    const original = documents.add(label, () => '');
    return { original, forget: () => documents.remove(original) };
  }

  /** @throws {UserError} if the lines already have a proposal, or are themselves only proposed */
  #refuse({ document, start, end }: EditPlace): void {
    const address = document.uri.toString();
    const isNear = ({ options: { original, proposal } }: Review): boolean =>
      original === address &&
      proposal.hunks.some(({ line, before }) => start <= line + before.length && line <= end);
    if (document.uri.scheme !== reviewScheme && !this.#options.reviews.all.some(isNear)) return;
    throw new UserError(
      vscode.l10n.t("There's already a pending change here. Accept or reject it first."),
    );
  }

  async #stream({ review, line, signal }: StreamTarget, produce: ProduceCode): Promise<void> {
    const opened = this.#options.reviews.open(review, line);
    try {
      // The request doesn't wait for the diff to open.
      const produced = raceAbort(produce(review, signal), signal);
      await Promise.all([opened, produced]);
      signal.throwIfAborted();
    } catch (error) {
      const isStopped = signal.aborted && !(signal.reason instanceof UserError);
      review.drop();
      // The first error counts.
      await orUndefined(opened);
      if (isStopped) return;
      throw signal.reason instanceof UserError ? signal.reason : error;
    }
    if (review.end()) {
      this.#options.reviews.revealFirst(review);
      return;
    }
    review.drop();
    windowDialogs.showInformation(vscode.l10n.t('No changes suggested.'));
  }
}

export interface NewFile {
  /** Undefined for a document without a name, which the person saves. */
  readonly uri: vscode.Uri | undefined;
  readonly label: string;
  readonly language: string;
}

interface NewFileReviewOptions {
  readonly gate: PassGate;
  readonly clock: Clock;
  /** The empty left side of the diff. */
  readonly original: vscode.Uri;
  /** Called when the left side is no longer needed. */
  readonly forget: () => void;
}

/** The review of a new file, beside an empty document. */
class NewFileReview {
  readonly review: Review;
  readonly line = 0;
  readonly #file: NewFile;
  readonly #options: NewFileReviewOptions;
  readonly #proposal = new Proposal([], 0);
  readonly #abort = new AbortController();

  constructor(file: NewFile, options: NewFileReviewOptions) {
    this.#file = file;
    this.#options = options;
    this.review = new Review({
      label: file.label,
      path: file.uri?.path ?? nameByLanguage('tests', file.language),
      original: options.original.toString(),
      text: () => '',
      proposal: this.#proposal,
      accept: (hunks) => this.#accept(hunks),
      reject: (hunks) => this.#proposal.remove(hunks),
      drop: () => this.#end(),
      finish: () => {
        this.#end();
        return Promise.resolve();
      },
      clock: options.clock,
    });
  }

  /** Aborts when the person stops the stream. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  async #accept(hunks: readonly ReviewHunk[]): Promise<void> {
    const { uri, language } = this.#file;
    const after = applySplices('', this.#proposal.splicesFor('', hunks));
    const edit = { uri: uri ?? unnamedDocument, before: '', after, isCurrent: () => true };
    const isDone = await this.#options.gate(edit, () =>
      uri === undefined ? openUntitled(after, language) : createAndOpen(uri, after),
    );
    if (isDone) this.#proposal.take(hunks);
  }

  #end(): void {
    this.#abort.abort();
    this.#options.forget();
  }
}

async function openUntitled(content: string, language: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ content, language });
  await vscode.window.showTextDocument(document, { preview: false });
}

/** Fails if the file exists by now. */
async function createAndOpen(uri: vscode.Uri, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const contents = await vscode.workspace.encode(text, { uri });
  edit.createFile(uri, { contents, overwrite: false });
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new UserError(vscode.l10n.t("The file can't be created."));
  }
  await vscode.window.showTextDocument(uri, { preview: false });
}
