import * as vscode from 'vscode';
import { applySplices } from '../../core/edits/lineDiff.ts';
import { isSameTextIgnoringLineEndings } from '../../core/edits/lineEndings.ts';
import { Proposal, type ReviewHunk, type ShownHunk } from '../../core/edits/proposal.ts';
import { sleep, TaskQueue } from '../../core/support/async.ts';
import type { Clock } from '../../core/support/clock.ts';
import { Emitter, type Disposable } from '../../core/support/event.ts';
import { linesOf } from '../../core/support/text.ts';
import type { PersonEdit } from '../approval/personGate.ts';
import { UserError } from '../platform/errors.ts';
import { fileChangedError, replaceRanges } from '../platform/editorActions.ts';
import { labelFor, cellOf, fileOf, showDocument, ifThere, isThere } from '../platform/location.ts';
import { nameByLanguage } from './reviewDocuments.ts';

/** Whole lines of a document, 0-based; `end` is exclusive. Without lines, a position to insert at. */
export interface EditPlace {
  readonly document: vscode.TextDocument;
  readonly start: number;
  readonly end: number;
}

/** The lines of a place, without their ends. */
export function linesAt({ document, start, end }: EditPlace): readonly string[] {
  return Array.from({ length: end - start }, (_, line) => document.lineAt(start + line).text);
}

/** The address of a new document without a name, until the person saves it. */
export const unnamedDocument = vscode.Uri.from({ scheme: 'untitled', path: 'Untitled' });

/**
 * Passes a decided edit through the policy for edits, which may ask again, and runs the effect at
 * once. Resolves with true if it ran.
 * @throws {UserError} if nobody can allow it
 */
export type PassGate = (edit: PersonEdit, effect: () => Promise<void>) => Promise<boolean>;

export type EditDecision = 'accept' | 'reject';

/** What is reviewed, and the effects of decisions: a document, a new file, a file of a tool call. */
export interface ReviewSubject {
  /** The file as displayed, and its path, which decides the colors. */
  readonly label: string;
  readonly path: string;
  /** The address of the left side of the diff. */
  readonly original: string;
  readonly proposal: Proposal;
  /** The first line of the change, counted from 0. */
  readonly line?: number;
  /** The text of the left side. */
  text(): string;
  /** Carries out hunks, or keeps them. Afterwards, they are no longer in the proposal. */
  accept(hunks: readonly ReviewHunk[]): Promise<void>;
  /** The review ends without a decision. */
  drop(): void;
  /** The last hunk is decided. Resolves when the place to go on is shown. */
  finish(): Promise<void>;
  /** Allows the remaining hunks of a tool call, or denies it; undefined if there is no call. */
  decideCall?(decision: 'once' | 'deny'): void;
}

/** The fewest new characters for which the text is shown again. */
const leastShown = 200;

/** Milliseconds until it is shown with fewer, and how many more for each thousand characters. */
const longestWait = 100;
const longerEach = 5;

/** One proposal in the diff editor, until its last hunk is decided. */
export class Review implements Disposable {
  readonly subject: ReviewSubject;
  readonly clock: Clock;
  readonly #changed = new Emitter<undefined>();
  readonly #willUse = new Emitter<undefined>();
  readonly #decisions = new TaskQueue();
  #hasEnded = false;
  /** Characters of the text when it was last shown, and how many came since. */
  #shownLength = 0;
  #fresh = 0;
  #timer: Disposable | undefined;
  #isDeciding = false;

  /** Fires when the text is to be shown again. */
  readonly onDidChange = this.#changed.event;

  /** Fires before the text counts, so that the diff adds what the person has typed by then. */
  readonly onWillUse = this.#willUse.event;

  constructor(subject: ReviewSubject, clock: Clock) {
    this.subject = subject;
    this.clock = clock;
  }

  get isStreaming(): boolean {
    return !this.#hasEnded && this.subject.proposal.isStreaming;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** True while a decision is carried out, which is about the text as it stood before, and after the end. */
  get isFixed(): boolean {
    return this.#isDeciding || this.#hasEnded;
  }

  /** The hunks to decide, as they stand on the right side. */
  get hunks(): readonly ShownHunk[] {
    return this.#hasEnded ? [] : this.subject.proposal.shownHunks();
  }

  proposedText(): string {
    const text = this.subject.proposal.proposedText(this.subject.text());
    this.#shownLength = text.length;
    return text;
  }

  /**
   * Adds code. Each time that it is shown costs the whole text, so that becomes rarer as it grows:
   * all of it together costs a few times the final text.
   */
  push(code: string): void {
    if (this.#hasEnded || code === '') return;
    this.subject.proposal.push(code);
    this.#fresh += code.length;
    if (this.#fresh >= Math.max(leastShown, this.#shownLength / 10)) this.show();
    const wait = longestWait + (this.#shownLength / 1000) * longerEach;
    this.#timer ??= this.clock.after(wait, () => this.show());
  }

  /** Drops all code that was added so far. */
  restart(): void {
    if (this.#hasEnded) return;
    this.subject.proposal.restart();
    this.show();
  }

  /** Adds what the person has typed on the right side so far. */
  takeTyped(): void {
    this.#willUse.fire(undefined);
  }

  /** Takes a change of the right side by the person, from what was shown to what they made of it. */
  edit(before: string, after: string): void {
    const text = this.subject.text();
    // An editor shows no byte order mark.
    const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
    this.subject.proposal.edit(text, linesOf(mark + before), linesOf(mark + after));
    this.show();
  }

  /** Returns whether there is anything to decide. */
  endStream(): boolean {
    this.subject.proposal.endStream();
    this.show();
    return this.hunks.length > 0;
  }

  show(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#fresh = 0;
    if (!this.#hasEnded) this.#changed.fire(undefined);
  }

  /**
   * Carries out a decision, after earlier ones. Resolves once it is carried out.
   * @param ids the numbers of the hunks; all if absent
   */
  decide(side: EditDecision, ids?: readonly number[]): Promise<void> {
    const { subject } = this;
    const { proposal } = subject;
    return this.#decisions.run(async () => {
      this.takeTyped();
      this.#isDeciding = true;
      try {
        if (this.isStreaming && side === 'reject') this.drop();
        if (this.#hasEnded || this.isStreaming) return;
        proposal.proposedText(subject.text());
        const wanted = ids && new Set(ids);
        const hunks = proposal.hunks.filter(({ id }) => wanted?.has(id) ?? true);
        const fitting = hunks.filter(({ isStale }) => !isStale);
        if (side === 'reject') proposal.remove(hunks);
        else if (fitting.length > 0) await subject.accept(fitting);
        else if (hunks.length > 0) {
          throw new UserError(
            vscode.l10n.t('These lines have changed meanwhile. The change can only be rejected.'),
          );
        }
        if (proposal.hunks.length > 0 || this.hasEnded) return;
        await subject.finish();
        this.dispose();
      } finally {
        this.#isDeciding = false;
        this.show();
      }
    });
  }

  /** Ends the review without a decision: the stream stops, and nothing was changed. */
  drop(): void {
    if (this.#hasEnded) return;
    this.takeTyped();
    this.dispose();
    this.subject.drop();
  }

  dispose(): void {
    this.#timer?.dispose();
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#changed.fire(undefined);
    this.#changed.dispose();
    this.#willUse.dispose();
  }
}

/** Milliseconds in which VS Code writes a file that it saves, or reads one that was changed. */
const settling = 300;

/** A change of a document, which is beside it in the diff. */
export class DocumentSubject implements ReviewSubject {
  readonly label: string;
  readonly path: string;
  readonly original: string;
  readonly proposal: Proposal;
  readonly line: number;
  readonly review: Review;
  readonly #document: vscode.TextDocument;
  readonly #gate: PassGate;
  readonly #clock: Clock;
  readonly #onReject: (() => void) | undefined;
  readonly #abort = new AbortController();
  readonly #listening: vscode.Disposable;
  /** The text of the document after the last change that the proposal followed. */
  #text: string;
  /** The hunks that are being written, and the document's text once they are. */
  #writing: { readonly after: string; readonly hunks: readonly ReviewHunk[] } | undefined;
  #accepted: number | undefined;

  /** @param onReject called when the person has rejected all of it */
  constructor(place: EditPlace, gate: PassGate, clock: Clock, onReject?: () => void) {
    const { document, start } = place;
    const { uri, languageId } = document;
    this.label = labelFor(uri);
    this.path = cellOf(uri) ? nameByLanguage('cell', languageId) : this.label;
    this.original = uri.toString();
    this.proposal = new Proposal(linesAt(place), start);
    this.line = start;
    this.#document = document;
    this.#gate = gate;
    this.#clock = clock;
    this.#onReject = onReject;
    this.#text = document.getText();
    this.#listening = vscode.workspace.onDidChangeTextDocument((event) => this.#follow(event));
    this.review = new Review(this, clock);
  }

  /** Aborts when the person stops the stream, or changes its lines. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  text(): string {
    return this.#document.getText();
  }

  #follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (document !== this.#document || contentChanges.length === 0) return;
    const before = this.#text;
    this.#text = document.getText();
    // VS Code reports other line endings as a replacement of the whole text.
    const isWhole = contentChanges.length === 1 && contentChanges[0]?.text === this.#text;
    const isSame = isWhole && isSameTextIgnoringLineEndings(before, this.#text);
    if (this.#writing?.after === this.#text) this.#take();
    else if (!isSame) this.proposal.follow(contentChanges);
    const isTouched = this.proposal.hunks.some(({ isStale }) => isStale);
    if (this.review.isStreaming && isTouched) {
      const message = vscode.l10n.t(
        'Aside stopped because you changed the lines it was editing. Nothing was changed.',
      );
      this.#abort.abort(new UserError(message));
    } else if (this.review.isStreaming || this.#writing === undefined) this.review.show();
  }

  /** Writes hunks to the document as one undo step, for exactly the text that was planned for. */
  async accept(hunks: readonly ReviewHunk[]): Promise<void> {
    const document = this.#document;
    const before = document.getText();
    const splices = this.proposal.splicesFor(before, hunks);
    const after = applySplices(before, splices);
    const isCurrent = (): boolean => !document.isClosed && document.getText() === before;
    const write = async (): Promise<void> => {
      this.#writing = { after, hunks };
      try {
        const edit = new vscode.WorkspaceEdit();
        replaceRanges(edit, document, splices);
        let isShown = await showsFile(document);
        if (!isShown) {
          // While it is saved, a file is empty for a moment, and a changed one is read a moment later.
          await sleep(this.#clock, settling);
          isShown = await showsFile(document);
        }
        if (!isShown || !isCurrent()) throw fileChangedError(this.label);
        // VS Code rejects the edit if the text changes before it is carried out.
        if (!(await vscode.workspace.applyEdit(edit))) {
          throw new UserError(vscode.l10n.t("This file can't be changed."));
        }
        this.#take();
      } finally {
        this.#writing = undefined;
      }
    };
    try {
      await this.#gate({ uri: document.uri, before, after, isCurrent }, write);
    } catch (error) {
      const file = fileOf(document.uri);
      const hasFile = vscode.workspace.fs.isWritableFileSystem(file.scheme) === true;
      if (!document.isClosed && (!hasFile || (await isThere(file)))) throw error;
      throw new UserError(
        vscode.l10n.t(
          '{0} was deleted, renamed or closed. The change can only be rejected.',
          this.label,
        ),
      );
    }
  }

  /** Accepts hunks that are in the document. Its event may come before or after the write resolves. */
  #take(): void {
    const [first] = this.#writing?.hunks ?? [];
    if (this.#writing === undefined || first === undefined) return;
    this.#accepted = first.line;
    this.proposal.take(this.#writing.hunks);
    this.#writing = { ...this.#writing, hunks: [] };
  }

  drop(): void {
    this.#listening.dispose();
    this.#abort.abort();
  }

  /** Shows the line of the last accepted hunk in the file's editor, if there is one. */
  async finish(): Promise<void> {
    this.#listening.dispose();
    if (this.#accepted === undefined) this.#onReject?.();
    else if (!this.#document.isClosed) {
      const selection = new vscode.Range(this.#accepted, 0, this.#accepted, 0);
      await showDocument(this.#document, { selection });
    }
  }
}

/**
 * True if a document shows the text of its file: a deleted file would come back, and VS Code reads a
 * file that another program has changed a moment later. Unsaved text isn't compared: it is the person's.
 */
async function showsFile(document: vscode.TextDocument): Promise<boolean> {
  const uri = fileOf(document.uri);
  if (vscode.workspace.fs.isWritableFileSystem(uri.scheme) !== true) return true;
  if (document.isDirty || uri !== document.uri) return isThere(uri);
  const bytes = await ifThere(vscode.workspace.fs.readFile(uri));
  if (bytes === undefined) return false;
  const { encoding } = document;
  const text = await vscode.workspace.decode(bytes, { encoding });
  return isSameTextIgnoringLineEndings(text, document.getText());
}

/** A file that doesn't exist yet. */
export interface NewFile {
  /** Undefined for a document without a name, which the person saves. */
  readonly uri: vscode.Uri | undefined;
  readonly label: string;
  /** A document with the language and indentation that the file gets. */
  readonly like: vscode.TextDocument;
}

/** A new file, beside an empty document. Accepting creates it. */
export class NewFileSubject implements ReviewSubject {
  readonly label: string;
  readonly path: string;
  readonly original: string;
  readonly proposal = new Proposal([], 0);
  readonly line = 0;
  readonly review: Review;
  readonly #file: NewFile;
  readonly #gate: PassGate;
  readonly #abort = new AbortController();

  /** @param original the address of the empty left side */
  constructor(file: NewFile, original: vscode.Uri, gate: PassGate, clock: Clock) {
    this.label = file.label;
    this.path = file.uri?.path ?? nameByLanguage('tests', file.like.languageId);
    this.original = original.toString();
    this.#file = file;
    this.#gate = gate;
    this.review = new Review(this, clock);
  }

  /** Aborts when the person stops the stream. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  text(): string {
    return '';
  }

  async accept(hunks: readonly ReviewHunk[]): Promise<void> {
    const { uri, like } = this.#file;
    const content = applySplices('', this.proposal.splicesFor('', hunks));
    const edit = {
      uri: uri ?? unnamedDocument,
      before: '',
      after: content,
      isCurrent: () => true,
    };
    const create = async (): Promise<void> => {
      if (uri === undefined) {
        const { languageId: language } = like;
        const document = await vscode.workspace.openTextDocument({ content, language });
        await vscode.window.showTextDocument(document, { preview: false });
        return;
      }
      const creation = new vscode.WorkspaceEdit();
      const contents = await vscode.workspace.encode(content, { uri });
      // Fails if the file exists by now.
      creation.createFile(uri, { contents, overwrite: false });
      if (!(await vscode.workspace.applyEdit(creation))) {
        throw new UserError(vscode.l10n.t("The file can't be created."));
      }
      await vscode.window.showTextDocument(uri, { preview: false });
    };
    if (await this.#gate(edit, create)) this.proposal.take(hunks);
  }

  drop(): void {
    this.#abort.abort();
  }

  finish(): Promise<void> {
    return Promise.resolve();
  }
}
