import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { background, orUndefined } from '../../core/support/background.ts';
import { type Disposable, disposeAll } from '../../core/support/event.ts';
import { ContextFlags } from '../platform/commands.ts';
import { commands, contextKeys, reviewScheme } from '../contributions.ts';
import type { EditDecision, Review } from './review.ts';
import { ReviewDocuments, reviewOfTab, reviewTabs } from './reviewDocuments.ts';
import { isSameTextIgnoringLineEndings } from '../../core/edits/lineEndings.ts';
import { TaskQueue } from '../../core/support/async.ts';
import { replaceText } from '../platform/editorActions.ts';

/** All open reviews, with their diffs, buttons and keys. Nothing of them outlives the window. */
export class OpenReviews implements Disposable {
  readonly documents = new ReviewDocuments();
  readonly #sides = new Map<Review, RightSide>();
  /** The values of context keys that were set in VS Code. */
  readonly #flags = new ContextFlags();
  readonly #lenses = new ReviewLenses(({ uri }) => this.#at(uri.toString()));
  readonly #disposables: readonly Disposable[];
  #closing: Promise<void> = Promise.resolve();

  constructor() {
    const { tabGroups } = vscode.window;
    this.#disposables = [
      this.documents,
      this.#lenses,
      vscode.languages.registerCodeLensProvider({ scheme: reviewScheme }, this.#lenses),
      tabGroups.onDidChangeTabs(({ closed }) => {
        for (const uri of closed.flatMap((tab) => reviewOfTab(tab) ?? [])) {
          if (reviewTabs(uri).length === 0) this.#at(uri.toString())?.drop();
        }
        this.#tellKeys();
      }),
      tabGroups.onDidChangeTabGroups(() => this.#tellKeys()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#tellKeys()),
    ];
    // Tabs of an earlier extension host show changes that nobody can accept any more.
    background(tabsClosed());
    this.#tellKeys();
  }

  get all(): readonly Review[] {
    return [...this.#sides.keys()];
  }

  /** Shows a review in place of the editor of its file. Resolves when the diff is open. */
  async open(review: Review, line: number): Promise<void> {
    const right = new RightSide(review, this.documents);
    this.#sides.set(review, right);
    review.onDidChange(() => {
      if (review.hasEnded) {
        this.#sides.delete(review);
        this.#closing = right.end().then(async () => {
          await tabsClosed(right.uri);
          this.documents.remove(right.uri);
        });
      } else right.update();
      this.#lenses.renew();
      this.#tellKeys();
    });
    await showDiff(review, right.uri, { selection: new vscode.Range(line, 0, line, 0) });
    this.#tellKeys();
    // The review may have ended before it was visible.
    if (review.hasEnded) await tabsClosed(right.uri);
  }

  /** Scrolls to the first hunk if it is out of sight: many lines may have been added above it. */
  revealFirst(review: Review): void {
    const [hunk] = review.hunks;
    const address = this.#sides.get(review)?.uri.toString();
    const editor = vscode.window.visibleTextEditors.find(
      ({ document }) => document.uri.toString() === address,
    );
    if (hunk !== undefined && editor !== undefined) revealLine(editor, hunk.start);
  }

  /** Brings the diff of an open review to the front. */
  async reveal(review: Review): Promise<boolean> {
    const uri = this.#sides.get(review)?.uri;
    if (uri === undefined || reviewTabs(uri).length === 0) return false;
    await showDiff(review, uri);
    return true;
  }

  /**
   * `aside.acceptEdit`, `aside.rejectEdit`
   * @param argument the target from a CodeLens, `{ at: 'cursor' }` from a key in `package.json`; all
   *   of the active review otherwise
   */
  async decide(side: EditDecision, argument?: unknown): Promise<void> {
    const target = decisionTarget.safeParse(argument).data;
    const review = target === undefined ? this.active : this.#at(target.address);
    if (review === undefined) return;
    if (target?.hunk !== undefined) await review.decide(side, [target.hunk]);
    else if (atCursor.safeParse(argument).success) await decideAtCursor(review, side);
    else await review.decide(side);
    await this.#sides.get(review)?.write();
    await this.#closing;
  }

  /** `aside.allowEdit`, `aside.denyEdit`: decides the call whose review is in the active tab. */
  decideCall(decision: 'once' | 'deny'): void {
    this.active?.subject.decideCall?.(decision);
  }

  /** The review in the active tab, else the only one there is. */
  get active(): Review | undefined {
    return this.#inActiveTab ?? (this.#sides.size === 1 ? this.all[0] : undefined);
  }

  dispose(): void {
    for (const review of this.all) review.dispose();
    disposeAll(this.#disposables);
  }

  get #inActiveTab(): Review | undefined {
    const uri = reviewOfTab(vscode.window.tabGroups.activeTabGroup.activeTab);
    return uri && this.#at(uri.toString());
  }

  /** The review whose right side has this address. */
  #at(address: string): Review | undefined {
    return this.all.find((review) => this.#sides.get(review)?.uri.toString() === address);
  }

  #tellKeys(): void {
    const review = this.#inActiveTab;
    this.#flags.set(contextKeys.reviewStreaming, review?.isStreaming === true);
    this.#flags.set(contextKeys.reviewOpen, review?.isStreaming === false);
    this.#flags.set(contextKeys.reviewOfCall, review?.subject.decideCall !== undefined);
  }
}

/** The target of a decision: a whole change, or one hunk of it. */
const decisionTarget = z.object({
  address: z.string(),
  /** The number of the hunk; absent for all. */
  hunk: z.optional(z.int()),
});

const atCursor = z.object({ at: z.literal('cursor') });

/** Decides on the hunk at the cursor, or the next one after it, and moves to the following hunk. */
export async function decideAtCursor(review: Review, side: EditDecision): Promise<void> {
  review.takeTyped();
  const editor = vscode.window.activeTextEditor;
  const isLeft = editor?.document.uri.toString() === review.subject.original;
  const isHere = isLeft || editor?.document.uri.scheme === reviewScheme;
  const line = isHere ? editor.selection.active.line : 0;
  const match =
    review.hunks.find(({ hunk, end }) => (isLeft ? hunk.line + hunk.before.length : end) > line) ??
    review.hunks.at(-1);
  if (match === undefined) return review.decide(side);
  await review.decide(side, [match.hunk.id]);
  const next = review.hunks.find(({ start }) => start >= match.start) ?? review.hunks[0];
  if (!isHere || next === undefined) return;
  const nextLine = isLeft ? next.hunk.line : next.start;
  editor.selection = new vscode.Selection(nextLine, 0, nextLine, 0);
  revealLine(editor, nextLine);
}

/** Scrolls to a line if it is out of sight. */
function revealLine(editor: vscode.TextEditor, line: number): void {
  const range = new vscode.Range(line, 0, line, 0);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function showDiff(
  { subject }: Review,
  uri: vscode.Uri,
  options: vscode.TextDocumentShowOptions = {},
): Promise<void> {
  const title =
    subject.decideCall === undefined
      ? vscode.l10n.t('Review Change')
      : vscode.l10n.t('Proposed Change');
  await vscode.commands.executeCommand(
    'vscode.diff',
    vscode.Uri.parse(subject.original),
    uri,
    `${subject.label}: ${title}`,
    { preview: false, ...options },
  );
}

async function tabsClosed(uri?: vscode.Uri): Promise<void> {
  const tabs = reviewTabs(uri);
  // The person may close one of them at the same moment.
  if (tabs.length > 0) await orUndefined(vscode.window.tabGroups.close(tabs));
}

/** The buttons above each hunk of a proposed text. */
class ReviewLenses implements vscode.CodeLensProvider {
  readonly #reviewOf: (document: vscode.TextDocument) => Review | undefined;
  readonly #changed = new vscode.EventEmitter<void>();

  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(reviewOf: (document: vscode.TextDocument) => Review | undefined) {
    this.#reviewOf = reviewOf;
  }

  renew(): void {
    this.#changed.fire();
  }

  /**
   * Gives CodeLenses with their commands. While VS Code resolves a list that is being replaced, it
   * copies the commands to the new list and forgets their arguments: such a button does nothing.
   */
  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const review = this.#reviewOf(document);
    if (review === undefined) return [];
    const address = document.uri.toString();
    const lenses: vscode.CodeLens[] = [];
    const add = (
      start: number,
      icon: string,
      words: string,
      command: string,
      hunk?: number,
    ): void => {
      const line = Math.min(start, document.lineCount - 1);
      // VS Code drops a plain space after an icon.
      const title = `$(${icon})\u00A0${words}`;
      const target = { address, ...(hunk === undefined ? {} : { hunk }) };
      const range = new vscode.Range(line, 0, line, 0);
      lenses.push(new vscode.CodeLens(range, { title, command, arguments: [target] }));
    };
    if (review.isStreaming) {
      const line = review.hunks[0]?.start ?? review.subject.line ?? 0;
      // VS Code shows a CodeLens without a command as plain text.
      add(line, 'loading~spin', vscode.l10n.t('Editing…'), '');
      add(line, 'debug-stop', vscode.l10n.t('Stop'), commands.rejectEdit);
    }
    const { acceptEdit, rejectEdit } = commands;
    for (const { hunk, start } of review.isStreaming ? [] : review.hunks) {
      if (hunk.isStale) {
        add(start, 'discard', vscode.l10n.t('Out of date: Reject'), rejectEdit, hunk.id);
        continue;
      }
      add(start, 'check', vscode.l10n.t('Accept'), acceptEdit, hunk.id);
      add(start, 'discard', vscode.l10n.t('Reject'), rejectEdit, hunk.id);
    }
    return lenses;
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

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
class RightSide {
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
      review.subject.path,
      () => {
        const text = review.proposedText();
        if (text !== this.#read.at(-1)) this.#read = [...this.#read, text];
        return text;
      },
      (text) => this.#isReadOnly(text),
    );
    const { workspace } = vscode;
    this.#listening = [
      workspace.onDidOpenTextDocument((document) => this.#follow(document)),
      workspace.onDidChangeTextDocument(({ document, reason }) => this.#follow(document, reason)),
      review.onWillUse(() => this.#take()),
    ];
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
    this.#timer ??= this.#review.clock.after(wait, () => {
      this.#timer = undefined;
      background(this.write());
    });
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
