import { ControlSequences, type Screen } from './controlSequences.ts';

/** Characters of a line that can still be overwritten; what stands before them is settled. */
const longestOpen = 8192;
/** A program moves the cursor at most so far beyond the end of a line. */
const farthest = 1000;
/** Characters after the end of a command that can be no more than a prompt. */
const longestPrompt = 4096;

/**
 * Makes plain text of what a program sends to a terminal: lines as they looked in the end, where
 * some of it was written over, without anything that hides, colours or does something (threats: T06).
 */
export class TerminalText implements Screen {
  readonly #sequences = new ControlSequences(this);
  #settled = '';
  /** The line that is written to, and where the cursor is in it. */
  #line = '';
  #column = 0;
  /** What came after the end of a command; undefined while one runs. */
  #afterEnd: string | undefined;

  /** The text that is settled by this chunk: nothing can change it any more. */
  read(chunk: string): string {
    this.#sequences.read(chunk);
    return this.#take();
  }

  /** The last line, which had no end. */
  end(): string {
    this.#settleLine('');
    return this.#take();
  }

  write(text: string): void {
    const end = text.lastIndexOf('\n');
    if (end < 0) {
      this.#overwrite(text);
      return;
    }
    const first = text.indexOf('\n');
    this.#overwrite(text.slice(0, first));
    this.#settleLine('\n');
    this.#settle(text.slice(first + 1, end + 1));
    this.#overwrite(text.slice(end + 1));
  }

  returnToStart(): void {
    this.#column = 0;
  }

  move(columns: number): void {
    this.moveTo(this.#column + columns);
  }

  moveTo(column: number): void {
    this.#column = Math.max(0, Math.min(column, this.#line.length + farthest));
  }

  eraseLine(part: number): void {
    if (part === 0) this.#line = this.#line.slice(0, this.#column);
    else if (part === 2) this.#line = '';
    else if (part === 1) {
      this.#line = ' '.repeat(this.#column) + this.#line.slice(this.#column);
    }
  }

  mark(kind: string): void {
    if (kind === 'D') {
      this.#settleLine('');
      this.#afterEnd ??= '';
      return;
    }
    // What stood before was the prompt, and the command in it.
    this.#line = '';
    this.#column = 0;
    this.#afterEnd = undefined;
  }

  #overwrite(text: string): void {
    if (text === '') return;
    const before = this.#line.slice(0, this.#column).padEnd(this.#column);
    this.#line = before + text + this.#line.slice(this.#column + text.length);
    this.#column += text.length;
    while (this.#line.length > longestOpen) {
      this.#settle(this.#line.slice(0, longestOpen));
      this.#line = this.#line.slice(longestOpen);
      this.#column = Math.max(0, this.#column - longestOpen);
    }
  }

  #settleLine(end: string): void {
    this.#settle(this.#line + end);
    this.#line = '';
    this.#column = 0;
  }

  #settle(text: string): void {
    if (this.#afterEnd === undefined) {
      this.#settled += text;
      return;
    }
    this.#afterEnd += text;
    if (this.#afterEnd.length <= longestPrompt) return;
    // No prompt is that long: the program itself said that it had ended.
    this.#settled += this.#afterEnd;
    this.#afterEnd = undefined;
  }

  #take(): string {
    const settled = this.#settled;
    this.#settled = '';
    return settled;
  }
}
