import * as vscode from 'vscode';
import { isSameTextIgnoringLineEndings } from '../../core/edits/lineEndings.ts';
import { applySplices, type Splice } from '../../core/edits/lineDiff.ts';
import { Proposal, type ReviewHunk } from '../../core/review/proposal.ts';
import { sleep } from '../../core/support/async.ts';
import type { Clock } from '../../core/support/clock.ts';
import { UserError } from '../errors.ts';
import { ifThere, isThere } from '../missingFile.ts';
import { fileChangedError, replaceRanges } from '../workspace/documentEdits.ts';
import { labelFor } from '../workspace/location.ts';
import { cellOf, fileOf, showDocument } from '../workspace/notebookCells.ts';
import type { EditPlace } from './answerCode.ts';
import { Review } from './review.ts';
import { nameByLanguage } from './reviewDocuments.ts';

/** A change of one document, or a new file, that the person decided on. */
export interface DecidedEdit {
  readonly uri: vscode.Uri;
  readonly before: string;
  readonly after: string;
  /** True if the text is still `before`. */
  readonly isCurrent: () => boolean;
}

/** The address of a new document without a name, until the person saves it. */
export const unnamedDocument = vscode.Uri.from({ scheme: 'untitled', path: 'Untitled' });

/**
 * Passes a decided edit through the policy for edits, which may ask again, and runs the effect at
 * once. Resolves with true if it ran.
 * @throws {UserError} if nobody can allow it
 */
export type PassGate = (edit: DecidedEdit, effect: () => Promise<void>) => Promise<boolean>;

interface FileReviewOptions {
  readonly gate: PassGate;
  readonly clock: Clock;
  /** Called when the person has rejected all of it. */
  readonly onReject?: (() => void) | undefined;
}

/** The review of a change to a document, which is beside it in the diff. */
export class FileReview {
  readonly review: Review;
  readonly line: number;
  readonly #document: vscode.TextDocument;
  readonly #gate: PassGate;
  readonly #clock: Clock;
  readonly #onReject: (() => void) | undefined;
  readonly #proposal: Proposal;
  readonly #abort = new AbortController();
  readonly #listening: vscode.Disposable;
  /** The hunks that are being written, and the document's text once they are. */
  #writing: { readonly after: string; readonly hunks: readonly ReviewHunk[] } | undefined;
  #accepted: number | undefined;

  constructor({ document, start, end }: EditPlace, { gate, clock, onReject }: FileReviewOptions) {
    const lines = Array.from({ length: end - start }, (_, i) => document.lineAt(start + i).text);
    const label = labelFor(document.uri);
    this.line = start;
    this.#document = document;
    this.#gate = gate;
    this.#clock = clock;
    this.#onReject = onReject;
    this.#proposal = new Proposal(lines, start);
    this.#listening = vscode.workspace.onDidChangeTextDocument((event) => this.#follow(event));
    this.review = new Review({
      label,
      path: cellOf(document.uri) ? nameByLanguage('cell', document.languageId) : label,
      original: document.uri.toString(),
      text: () => document.getText(),
      proposal: this.#proposal,
      line: start,
      accept: (hunks) => this.#accept(hunks),
      reject: (hunks) => this.#proposal.remove(hunks),
      drop: () => {
        this.#listening.dispose();
        this.#abort.abort();
      },
      finish: () => this.#finish(),
      clock,
    });
  }

  /** Aborts when the person stops the stream. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  #follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (document !== this.#document || contentChanges.length === 0) return;
    if (this.#writing?.after === document.getText()) this.#take();
    else this.#proposal.follow(contentChanges);
    const isTouched = this.#proposal.hunks.some(({ isStale }) => isStale);
    if (this.review.isStreaming && isTouched) this.#abort.abort(touched());
    else if (this.review.isStreaming || this.#writing === undefined) this.review.show();
  }

  async #accept(hunks: readonly ReviewHunk[]): Promise<void> {
    const before = this.#document.getText();
    const splices = this.#proposal.splicesFor(before, hunks);
    const after = applySplices(before, splices);
    const isCurrent = (): boolean =>
      !this.#document.isClosed && this.#document.getText() === before;
    const edit = { uri: this.#document.uri, before, after, isCurrent };
    const write = async (): Promise<void> => {
      this.#writing = { after, hunks };
      try {
        await writeSplices(this.#document, splices, { isCurrent, clock: this.#clock });
        this.#take();
      } finally {
        this.#writing = undefined;
      }
    };
    try {
      await this.#gate(edit, write);
    } catch (error) {
      throw (await isGone(this.#document)) ? gone(this.#document) : error;
    }
  }

  /** Accepts hunks that are in the document. Its event may come before or after the write resolves. */
  #take(): void {
    const [first] = this.#writing?.hunks ?? [];
    if (this.#writing === undefined || first === undefined) return;
    this.#accepted = first.line;
    this.#proposal.take(this.#writing.hunks);
    this.#writing = { ...this.#writing, hunks: [] };
  }

  /** Shows the line of the last accepted hunk in the file's editor, if there is one. */
  async #finish(): Promise<void> {
    this.#listening.dispose();
    if (this.#accepted === undefined) this.#onReject?.();
    if (this.#accepted === undefined || this.#document.isClosed) return;
    const selection = new vscode.Range(this.#accepted, 0, this.#accepted, 0);
    await showDocument(this.#document, { selection });
  }
}

/** Milliseconds in which VS Code writes a file that it saves, or reads one that was changed. */
const settling = 300;

/**
 * True if a document shows the text of its file: a deleted file would come back, and VS Code reads a
 * file that another program has changed a moment later. Unsaved text isn't compared: it is the person's.
 */
async function showsFile(document: vscode.TextDocument, clock: Clock): Promise<boolean> {
  if (await isAsOnDisk(document)) return true;
  // While it is saved, a file is empty for a moment.
  await sleep(clock, settling);
  return isAsOnDisk(document);
}

async function isAsOnDisk(document: vscode.TextDocument): Promise<boolean> {
  const uri = fileOf(document.uri);
  if (vscode.workspace.fs.isWritableFileSystem(uri.scheme) !== true) return true;
  if (document.isDirty || uri !== document.uri) return isThere(uri);
  const bytes = await ifThere(vscode.workspace.fs.readFile(uri));
  if (bytes === undefined) return false;
  const { encoding } = document;
  const text = await vscode.workspace.decode(bytes, { encoding });
  return isSameTextIgnoringLineEndings(text, document.getText());
}

/** True for a document without its file, and for one that VS Code has closed. */
async function isGone({ uri, isClosed }: vscode.TextDocument): Promise<boolean> {
  const file = fileOf(uri);
  const hasFile = vscode.workspace.fs.isWritableFileSystem(file.scheme) === true;
  return isClosed || (hasFile && !(await isThere(file)));
}

function gone({ uri }: vscode.TextDocument): UserError {
  return new UserError(
    vscode.l10n.t(
      '{0} was deleted, renamed or closed. The change can only be rejected.',
      labelFor(uri),
    ),
  );
}

/** Writes to a document as one undo step, for exactly the text that was planned for. */
async function writeSplices(
  document: vscode.TextDocument,
  splices: readonly Splice[],
  { isCurrent, clock }: { readonly isCurrent: () => boolean; readonly clock: Clock },
): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  replaceRanges(edit, document, splices);
  if (!(await showsFile(document, clock)) || !isCurrent())
    throw fileChangedError(labelFor(document.uri));
  // VS Code rejects the edit if the text changes before it is carried out.
  if (await vscode.workspace.applyEdit(edit)) return;
  throw new UserError(vscode.l10n.t("This file can't be changed."));
}

function touched(): UserError {
  return new UserError(
    vscode.l10n.t(
      'Aside stopped because you changed the lines it was editing. Nothing was changed.',
    ),
  );
}
