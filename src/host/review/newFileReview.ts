import * as vscode from 'vscode';
import { applySplices } from '../../core/edits/splices.ts';
import { Proposal } from '../../core/review/proposal.ts';
import type { ReviewHunk } from '../../core/review/reviewHunk.ts';
import type { Clock } from '../../core/support/clock.ts';
import { UserError } from '../errors.ts';
import { unnamedDocument, type PassGate } from './fileReview.ts';
import { Review } from './review.ts';
import { nameByLanguage } from './reviewDocuments.ts';

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
export class NewFileReview {
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
