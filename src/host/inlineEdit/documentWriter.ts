import * as vscode from 'vscode';
import type { TextChange, DocumentShape } from '../../core/code/textChange.ts';
import { Emitter } from '../../core/support/event.ts';
import { UserError } from '../errors.ts';

/** Identifies who writes to a document; change events carry it. */
type Writer = object;

/** A change of the document, by any writer. */
export interface WrittenChange {
  readonly changes: readonly TextChange[];
  /** Absent if it was not made by a writer of this class. */
  readonly writer: Writer | undefined;
  /** Whether it is an undo or a redo. */
  readonly isHistory: boolean;
}

/** A write request; planned again if another change came first. */
interface Writing {
  readonly writer: Writer;
  /** Plans the changes for the current text; undefined if there is nothing to do. */
  readonly plan: () => readonly TextChange[] | undefined;
  /** Called right after the write, before any later change is reported. */
  readonly done: () => void;
  /** The boundaries of the undo step; called after `plan`. */
  readonly undoStops: () => { readonly undoStopBefore: boolean; readonly undoStopAfter: boolean };
}

/** Number of attempts before the write fails. */
const mostTries = 20;

/**
 * Writes to one document, one change at a time, each for exactly the text it was planned for. Uses
 * an editor that shows the document, so that several changes can be one undo step.
 */
export class DocumentWriter {
  readonly document: vscode.TextDocument;
  readonly #changed = new Emitter<WrittenChange>();
  #queue: Promise<void> = Promise.resolve();
  /**
   * Changes reported during a write; its result tells whether the first of them is the write
   * itself.
   */
  #unnamed: WrittenChange[] | undefined;

  /** Fires for each change of the text, in order. */
  readonly onDidChange = this.#changed.event;

  constructor(document: vscode.TextDocument) {
    this.document = document;
  }

  /** Handles a change event of VS Code for this document. */
  hear({ contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0) return;
    const changes = contentChanges.map(toTextChange);
    const change = { changes, writer: undefined, isHistory: reason !== undefined };
    if (this.#unnamed === undefined) this.#changed.fire(change);
    else this.#unnamed.push(change);
  }

  /**
   * Writes after all earlier writes. If no editor shows the document, the change is an undo step of
   * its own.
   * @throws {UserError} if the document cannot be changed
   */
  write(writing: Writing): Promise<void> {
    const written = this.#queue.then(() => this.#write(writing));
    this.#queue = written.catch(() => undefined);
    return written;
  }

  async #write(writing: Writing): Promise<void> {
    for (let tries = 0; tries < mostTries; tries++) {
      const changes = writing.plan();
      if (changes === undefined) return;
      if (changes.length === 0) {
        writing.done();
        return;
      }
      if (this.document.isClosed) return;
      if (await this.#attempt(joinedChanges(changes, this.document), writing)) return;
    }
    throw new UserError(vscode.l10n.t("This file can't be changed."));
  }

  /** Resolves with whether the write succeeded; VS Code rejects it if the text has changed. */
  async #attempt(changes: readonly TextChange[], writing: Writing): Promise<boolean> {
    this.#unnamed = [];
    const isDone = await this.#apply(changes, writing).catch(() => false);
    const [first, ...others] = this.#unnamed;
    this.#unnamed = undefined;
    // A read-only editor reports success without changing anything.
    const own = isDone && first !== undefined;
    if (own) writing.done();
    if (first !== undefined) {
      this.#changed.fire(own ? { ...first, writer: writing.writer } : first);
    }
    for (const other of others) this.#changed.fire(other);
    return own;
  }

  async #apply(changes: readonly TextChange[], writing: Writing): Promise<boolean> {
    const { document } = this;
    const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
    if (editor !== undefined) {
      return editor.edit((builder) => {
        for (const change of changes) {
          if (isInsertion(change)) builder.insert(rangeOf(change).start, change.text);
          else builder.replace(rangeOf(change), change.text);
        }
      }, writing.undoStops());
    }
    const edit = new vscode.WorkspaceEdit();
    for (const change of changes) edit.replace(document.uri, rangeOf(change), change.text);
    return vscode.workspace.applyEdit(edit);
  }
}

function isInsertion(change: TextChange): boolean {
  return rangeOf(change).isEmpty;
}

function rangeOf(change: TextChange): vscode.Range {
  const { startLine, startCharacter, endLine, endCharacter } = change;
  return new vscode.Range(startLine, startCharacter, endLine, endCharacter);
}

function toTextChange({ range, text }: vscode.TextDocumentContentChangeEvent): TextChange {
  const { start, end } = range;
  return {
    startLine: start.line,
    startCharacter: start.character,
    endLine: end.line,
    endCharacter: end.character,
    text,
  };
}

/** The shape of a document, as needed to change its lines. */
export function shapeOf(document: vscode.TextDocument): DocumentShape {
  return {
    lineCount: document.lineCount,
    lengthOf: (line) => document.lineAt(line).text.length,
    lineEnd: document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n',
  };
}

/** A line of a document; undefined after its end. */
export function lineOf(document: vscode.TextDocument, line: number): string | undefined {
  return line < document.lineCount ? document.lineAt(line).text : undefined;
}

/**
 * Up to this number changes are made separately, so that decorations between them keep their place.
 */
const mostChanges = 50;

/**
 * Joins many changes into one, including the text between them: an editor takes much longer for
 * separate ones.
 */
function joinedChanges(
  changes: readonly TextChange[],
  document: Pick<vscode.TextDocument, 'getText'>,
): readonly TextChange[] {
  if (changes.length <= mostChanges) return changes;
  const [first, ...others] = changes.toSorted(
    (one, other) => one.startLine - other.startLine || one.startCharacter - other.startCharacter,
  );
  if (first === undefined) return changes;
  const join = (one: TextChange, next: TextChange): TextChange => ({
    ...one,
    endLine: next.endLine,
    endCharacter: next.endCharacter,
    text: one.text + document.getText(between(one, next)) + next.text,
  });
  return [others.reduce(join, first)];
}

function between(one: TextChange, next: TextChange): vscode.Range {
  return new vscode.Range(one.endLine, one.endCharacter, next.startLine, next.startCharacter);
}
