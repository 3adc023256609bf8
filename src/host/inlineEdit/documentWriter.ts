import * as vscode from 'vscode';
import type { TextChange, DocumentShape } from '../../core/code/textChange.ts';
import { Emitter } from '../../core/support/event.ts';
import { UserError } from '../errors.ts';

/** Somebody who writes in a document: what is done to it is told to all with the name of who did it. */
type Writer = object;

/** One change of a document, by whoever made it. */
export interface WrittenChange {
  readonly changes: readonly TextChange[];
  /** Absent where it was not made here. */
  readonly writer: Writer | undefined;
  /** Undone or done again. */
  readonly isHistory: boolean;
}

/** What a writer wants done; asked for again where somebody else was faster. */
interface Writing {
  readonly writer: Writer;
  /** By the document as it is when this is called; undefined where there is nothing to do. */
  readonly plan: () => readonly TextChange[] | undefined;
  /** Called as soon as it is done, before anybody hears of a later change. */
  readonly done: () => void;
  /** Where one step to undo ends; asked for after the plan. */
  readonly undoStops: () => { readonly undoStopBefore: boolean; readonly undoStopAfter: boolean };
}

/** As often is tried to write before it is said that it cannot be done. */
const mostTries = 20;

/**
 * Writes into one document: one change at a time, each for exactly the text that it was planned for,
 * in an editor that shows it, so that several can be undone in one step.
 */
export class DocumentWriter {
  readonly document: vscode.TextDocument;
  readonly #changed = new Emitter<WrittenChange>();
  #queue: Promise<void> = Promise.resolve();
  /** What happens while something is written, whose outcome tells who did it. */
  #unnamed: WrittenChange[] | undefined;

  /** Fires in order, for each change of the text. */
  readonly onDidChange = this.#changed.event;

  constructor(document: vscode.TextDocument) {
    this.document = document;
  }

  /** What VS Code tells of this document. */
  hear({ contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0) return;
    const changes = contentChanges.map(toTextChange);
    const change = { changes, writer: undefined, isHistory: reason !== undefined };
    if (this.#unnamed === undefined) this.#changed.fire(change);
    else this.#unnamed.push(change);
  }

  /**
   * Writes, after all that was to be written before. Where no editor shows the document, VS Code
   * takes the change all the same, as a step of its own to undo.
   * @throws {UserError} where the document cannot be written
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

  /** Resolves with whether it was done; VS Code refuses where the text is not what it was any more. */
  async #attempt(changes: readonly TextChange[], writing: Writing): Promise<boolean> {
    this.#unnamed = [];
    const isDone = await this.#apply(changes, writing).catch(() => false);
    const [first, ...others] = this.#unnamed;
    this.#unnamed = undefined;
    // An editor that is read-only says yes and does nothing.
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

/** What of a document must be known to change lines of it. */
export function shapeOf(document: vscode.TextDocument): DocumentShape {
  return {
    lineCount: document.lineCount,
    lengthOf: (line) => document.lineAt(line).text.length,
    lineEnd: document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n',
  };
}

/** A line of a document; undefined behind its end. */
export function lineOf(document: vscode.TextDocument, line: number): string | undefined {
  return line < document.lineCount ? document.lineAt(line).text : undefined;
}

/** So many are made one by one, and what the editor marks between them keeps its place. */
const mostChanges = 50;

/** Many changes as one, with the text between them: the editor takes much longer for each of its own. */
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
