import { ControlSequenceParser, type TerminalScreen } from '../support/controlSequences.ts';

/** Characters at the end of a line that can still be overwritten; those before are final. */
const maxOpenLength = 8192;
/** Columns beyond the end of a line to which a program can move the cursor. */
const maxColumn = 1000;
/** A longer text after the end of a command is no prompt, but output. */
const maxPromptLength = 4096;

/**
 * Converts the output of a program to plain text, in the final state of a terminal: parts of a line
 * can be overwritten. Removes colors, titles, links and all other control sequences (threats: T06).
 */
export class TerminalText implements TerminalScreen {
  readonly #sequences = new ControlSequenceParser(this);
  /** Final text that `read` did not return yet. */
  #finishedText = '';
  /** The line that is written to, and the cursor's column in it, from 0. */
  #line = '';
  #column = 0;
  /** Output after the end of a command, maybe a prompt; undefined while one runs. */
  #afterEnd: string | undefined;

  /** Returns the text that later chunks cannot change any more. */
  read(chunk: string): string {
    this.#sequences.read(chunk);
    return this.#takeFinished();
  }

  /** Returns the last line, which has no line ending. */
  end(): string {
    this.#finishLine('');
    return this.#takeFinished();
  }

  write(text: string): void {
    const end = text.lastIndexOf('\n');
    if (end < 0) {
      this.#overwrite(text);
      return;
    }
    const first = text.indexOf('\n');
    this.#overwrite(text.slice(0, first));
    this.#finishLine('\n');
    this.#finish(text.slice(first + 1, end + 1));
    this.#overwrite(text.slice(end + 1));
  }

  returnToStart(): void {
    this.#column = 0;
  }

  move(columns: number): void {
    this.moveTo(this.#column + columns);
  }

  moveTo(column: number): void {
    this.#column = Math.max(0, Math.min(column, this.#line.length + maxColumn));
  }

  eraseLine(part: number): void {
    if (part === 0) this.#line = this.#line.slice(0, this.#column);
    else if (part === 2) this.#line = '';
    else if (part === 1) {
      // The cell of the cursor is erased too.
      const end = Math.min(this.#column + 1, this.#line.length);
      this.#line = ' '.repeat(end) + this.#line.slice(end);
    }
  }

  mark(kind: string): void {
    if (kind === 'D') {
      this.#finishLine('');
      this.#afterEnd ??= '';
      return;
    }
    // The line up to here is the prompt with the command.
    this.#line = '';
    this.#column = 0;
    this.#afterEnd = undefined;
  }

  #overwrite(text: string): void {
    if (text === '') return;
    const before = this.#line.slice(0, this.#column).padEnd(this.#column);
    this.#line = before + text + this.#line.slice(this.#column + text.length);
    this.#column += text.length;
    while (this.#line.length > maxOpenLength) {
      this.#finish(this.#line.slice(0, maxOpenLength));
      this.#line = this.#line.slice(maxOpenLength);
      this.#column = Math.max(0, this.#column - maxOpenLength);
    }
  }

  #finishLine(end: string): void {
    this.#finish(this.#line + end);
    this.#line = '';
    this.#column = 0;
  }

  #finish(text: string): void {
    if (this.#afterEnd === undefined) {
      this.#finishedText += text;
      return;
    }
    this.#afterEnd += text;
    if (this.#afterEnd.length <= maxPromptLength) return;
    // No prompt is that long: the program itself wrote the mark of an end.
    this.#finishedText += this.#afterEnd;
    this.#afterEnd = undefined;
  }

  #takeFinished(): string {
    const finished = this.#finishedText;
    this.#finishedText = '';
    return finished;
  }
}
