/** Characters of a line that can still be overwritten; what stands before them is settled. */
const maxOpenLength = 8192;
/** A program moves the cursor at most so far beyond the end of a line. */
const maxColumn = 1000;
/** Characters after the end of a command that can be no more than a prompt. */
const maxPromptLength = 4096;

/**
 * Makes plain text of what a program sends to a terminal: lines as they looked in the end, where
 * some of it was written over, without anything that hides, colours or does something (threats: T06).
 */
export class TerminalText implements TerminalScreen {
  readonly #sequences = new ControlSequenceParser(this);
  #finishedText = '';
  /** The line that is written to, and where the cursor is in it. */
  #line = '';
  #column = 0;
  /** What came after the end of a command; undefined while one runs. */
  #afterEnd: string | undefined;

  /** The text that is settled by this chunk: nothing can change it any more. */
  read(chunk: string): string {
    this.#sequences.read(chunk);
    return this.#takeSettled();
  }

  /** The last line, which had no end. */
  end(): string {
    this.#finishLine('');
    return this.#takeSettled();
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
      this.#line = ' '.repeat(this.#column) + this.#line.slice(this.#column);
    }
  }

  mark(kind: string): void {
    if (kind === 'D') {
      this.#finishLine('');
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
    // No prompt is that long: the program itself said that it had ended.
    this.#finishedText += this.#afterEnd;
    this.#afterEnd = undefined;
  }

  #takeSettled(): string {
    const settled = this.#finishedText;
    this.#finishedText = '';
    return settled;
  }
}

/** What a terminal does with what it is sent, as far as the text of lines depends on it. */
interface TerminalScreen {
  /** Text to show, with tabs and line feeds. */
  write(text: string): void;
  /** To the beginning of the line. */
  returnToStart(): void;
  /** So many columns to the right, or with a negative number to the left. */
  move(columns: number): void;
  /** To a column, counted from 0. */
  moveTo(column: number): void;
  /** From the cursor on (0), up to the cursor (1), or the whole line (2). */
  eraseLine(part: number): void;
  /** The shell tells by `C` that output begins, and by `D` that a command ended. */
  mark(kind: string): void;
}

/** Text up to the returns and the feed at the end of a line. Not repeated: megabytes come at once. */
const text = String.raw`[^\0-\x08\x0b-\x1f\x7f-\x9f]+(?:\r{1,16}\n)?|\r{1,16}\n`;
/** CSI: parameters, and the final character unless it breaks off. */
const control = String.raw`(?:\x1b\[|\x9b)([ -?]*)([@-~])?`;
/** OSC, DCS, SOS, PM, APC: everything up to their end belongs to them. */
const string = String.raw`\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]`;
const escape = String.raw`\x1b[ -/]*[0-~]?`;
const token = new RegExp(`(${text})|${control}|(${string})|${escape}|[\\0-\\x1f\\x7f-\\x9f]`, 'gy');

/** The end of a chunk that may be the beginning of something. */
const unfinished = /(?:\x1b(?:\[[ -?]*|[ -/]*)|\x9b[ -?]*|\r+)$/;
const endOfString = /[\x07\x18\x1a\x1b\x9c]/g;

/** No sequence that means something is longer. */
const maxSequenceLength = 256;

/**
 * Reads what a program sends to a terminal, in chunks that end anywhere, and tells a screen the few
 * things that matter for text. Whatever else a terminal obeys is left out: colours, titles, links,
 * the clipboard (threats: T06).
 */
class ControlSequenceParser {
  readonly #screen: TerminalScreen;
  #rest = '';
  /** The beginning of the string that goes on; undefined outside of one. */
  #string: string | undefined;

  constructor(screen: TerminalScreen) {
    this.#screen = screen;
  }

  read(chunk: string): void {
    const given = this.#rest + chunk;
    const start = unfinished.exec(given.slice(-maxSequenceLength))?.[0].length ?? 0;
    this.#rest = given.slice(given.length - start);
    const whole = given.slice(0, given.length - start);
    let position = 0;
    while (position < whole.length) {
      position =
        this.#string === undefined ? this.#next(whole, position) : this.#skip(whole, position);
    }
  }

  /** The position after what stands at this one. */
  #next(given: string, position: number): number {
    token.lastIndex = position;
    const [whole = '', shown, parameters = '', final, string] = token.exec(given) ?? [];
    if (shown !== undefined)
      this.#screen.write(shown.includes('\r') ? withoutReturns(shown) : shown);
    else if (final !== undefined) this.#control(parameters, final);
    else if (string !== undefined)
      this.#string = string === '\x1b]' || string === '\x9d' ? '' : '-';
    else if (whole === '\r') this.#screen.returnToStart();
    else if (whole === '\b') this.#screen.move(-1);
    return position + Math.max(1, whole.length);
  }

  #control(parameters: string, final: string): void {
    const number = /^\d{0,9}$/.test(parameters) ? Number(parameters) : undefined;
    if (number === undefined) return;
    if (final === 'K') this.#screen.eraseLine(number);
    else if (final === 'G') this.#screen.moveTo(Math.max(1, number) - 1);
    else if (final === 'C') this.#screen.move(Math.max(1, number));
    else if (final === 'D') this.#screen.move(-Math.max(1, number));
  }

  /** The position after the string, or at the end where it goes on. */
  #skip(given: string, position: number): number {
    endOfString.lastIndex = position;
    const end = endOfString.exec(given);
    this.#string = ((this.#string ?? '') + given.slice(position, end?.index)).slice(
      0,
      maxSequenceLength,
    );
    if (end === null) return given.length;
    const kind = /^(?:6|1)33;([CD])(?:;|$)/.exec(this.#string)?.[1];
    this.#string = undefined;
    if (kind !== undefined) this.#screen.mark(kind);
    // An escape begins the next sequence.
    return end[0] === '\x1b' ? end.index : end.index + 1;
  }
}

function withoutReturns(shown: string): string {
  return `${shown.slice(0, shown.indexOf('\r'))}\n`;
}
