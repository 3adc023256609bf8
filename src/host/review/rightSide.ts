import * as vscode from 'vscode';
import { isSameTextIgnoringLineEndings } from '../../core/edits/lineEndings.ts';
import { TaskQueue } from '../../core/support/async.ts';
import { background } from '../../core/support/background.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import { replaceText } from '../workspace/documentEdits.ts';
import type { Review } from './review.ts';
import type { ReviewDocuments } from './reviewDocuments.ts';

/** Milliseconds until typed text is taken, and how many more for each thousand characters. */
const longestWait = 50;
const longerEach = 0.1;

/**
 * Text that an editor would change by itself: a carriage return alone becomes a line ending, and
 * half of a surrogate pair can't be encoded.
 */
const notEditable = /\r(?!\n)|\p{Cs}/u;

/** Attempts to write before the next change of the document; each fails if the person types. */
const mostAttempts = 10;

/**
 * The right side of a diff: a file in memory with the proposed text, read-only during the stream.
 * Then the person can edit it: the review takes what they type, and writes its own changes around
 * it, with edits that VS Code applies only to the text that they were computed for.
 */
export class RightSide {
  readonly uri: vscode.Uri;
  readonly #review: Review;
  readonly #documents: ReviewDocuments;
  readonly #listening: readonly Disposable[];
  readonly #tasks = new TaskQueue();
  #document: vscode.TextDocument | undefined;
  /** The texts that VS Code has read, from the one it shows. After an edit, it shows none of them. */
  #read: readonly string[] = [];
  /** The text of the document that the review knows. */
  #text = '';
  /** True once the document shows the end of the stream, or the person typed there. */
  #isEditable = false;
  /** The text before the last change by the review, which Undo restores. */
  #before: string | undefined;
  #writing: string | undefined;
  /** The text of the last save; undefined if it changed since. A document changed during a save says that it is clean. */
  #saved: string | undefined;
  /** True after Undo reverted a change by the review, which is then written again. */
  #isUndone = false;
  #timer: Disposable | undefined;

  constructor(review: Review, documents: ReviewDocuments) {
    this.#review = review;
    this.#documents = documents;
    this.uri = documents.add(
      review.options.path,
      () => this.#noteRead(review.proposedText()),
      (text) => this.#isReadOnly(text),
    );
    const { workspace } = vscode;
    this.#listening = [
      workspace.onDidOpenTextDocument((document) => this.#follow(document)),
      workspace.onDidChangeTextDocument(({ document, reason }) => this.#follow(document, reason)),
    ];
    review.takeTyped = () => this.#take();
  }

  /** Shows the proposed text as it is now. */
  update(): void {
    if (this.#isEditable) background(this.write());
    else {
      this.#documents.update(this.uri);
      this.#makeEditable();
    }
  }

  /** Ends editing. Resolves once nothing more is written. */
  end(): Promise<void> {
    this.#timer?.dispose();
    disposeAll(this.#listening);
    return this.#tasks.run(() => Promise.resolve());
  }

  #follow(document: vscode.TextDocument, reason?: vscode.TextDocumentChangeReason): void {
    if (document.uri.toString() !== this.uri.toString()) return;
    this.#document = document;
    const text = document.getText();
    if (text !== this.#saved) this.#saved = undefined;
    if (this.#hasRead(text)) {
      if (text !== this.#text) this.#before = this.#text;
      this.#text = text;
      if (this.#isEditable) background(this.write());
      else this.#makeEditable();
      return;
    }
    this.#isEditable = true;
    this.#read = [];
    if (this.#writing !== undefined && isSameTextIgnoringLineEndings(this.#writing, text)) {
      this.#text = text;
      this.#writing = undefined;
      this.#isUndone = false;
      return;
    }
    this.#isUndone ||= reason === vscode.TextDocumentChangeReason.Undo && text === this.#before;
    const wait = this.#isUndone ? 0 : longestWait + (text.length / 1000) * longerEach;
    this.#timer ??= this.#review.options.clock.after(wait, () => {
      this.#timer = undefined;
      background(this.write());
    });
  }

  #noteRead(text: string): string {
    if (text !== this.#read.at(-1)) this.#read = [...this.#read, text];
    return text;
  }

  /** True if a displayed text is one that VS Code has read, and not an edit of it. */
  #hasRead(text: string): boolean {
    const index = this.#read.findIndex((read) => isSameTextIgnoringLineEndings(text, read));
    const isRead = index >= 0 || (!this.#isEditable && this.#isReadOnly(this.#read.at(-1) ?? ''));
    // Only the last one is left if it isn't shown as it was read.
    if (isRead) this.#read = this.#read.slice(index);
    return isRead;
  }

  #makeEditable(): void {
    if (this.#document === undefined || this.#review.isStreaming || this.#review.hasEnded) return;
    this.#isEditable = isSameTextIgnoringLineEndings(this.#text, this.#review.proposedText());
  }

  /** Takes typed text, except while a decision about the text before it is applied. */
  #take(): void {
    const text = this.#document?.getText();
    if (!this.#isEditable || text === undefined || text === this.#text || this.#review.isFixed)
      return;
    const before = this.#text;
    this.#text = text;
    if (!this.#isUndone) this.#review.edit(before, text);
  }

  /** Takes typed text, writes what still differs from the proposed text, and saves. */
  write(): Promise<void> {
    return this.#tasks.run(async () => {
      const document = this.#document;
      let isWritten = false;
      for (let attempts = 0; attempts < mostAttempts; attempts++) {
        if (!this.#isEditable || document?.isClosed !== false || this.#review.isFixed) return;
        this.#take();
        const text = this.#review.proposedText();
        if (isSameTextIgnoringLineEndings(text, this.#text)) {
          this.#isUndone = false;
          // A write into a document that is still read-only leaves it clean, and makes VS Code
          // drop the file that it was reading, with its permission.
          if (isWritten && !document.isDirty) this.#documents.update(this.uri, document.getText());
          if (!document.isDirty && this.#saved !== undefined) return;
          this.#saved = document.getText();
          await document.save();
          return;
        }
        this.#before = this.#text;
        this.#writing = text;
        const edit = new vscode.WorkspaceEdit();
        replaceText(edit, document, text);
        // The event of the change comes first.
        isWritten = await vscode.workspace.applyEdit(edit);
        this.#writing = undefined;
      }
    });
  }

  #isReadOnly(text: string): boolean {
    return this.#review.isStreaming || notEditable.test(text);
  }
}
