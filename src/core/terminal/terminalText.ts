/** Number of characters of a line that can still be overwritten; earlier ones are final. */
const maxOpenLength = 8192;
/** Maximum number of columns that the cursor can be moved beyond the end of a line. */
const maxColumn = 1000;
/** Maximum length of text after the end of a command that can be a prompt. */
const maxPromptLength = 4096;

/**
 * Converts terminal output to plain text: lines as they finally looked after being overwritten,
 * without anything that hides text, colors it or has side effects (threats: T06).
 */
export class TerminalText implements TerminalScreen {
  readonly #sequences = new ControlSequenceParser(this);
  #finishedText = '';
  /** The current line, and the column of the cursor. */
  #line = '';
  #column = 0;
  /** Text after the end of a command; undefined while one runs. */
  #afterEnd: string | undefined;

  /** Returns the text that is final after this chunk: later output cannot change it. */
  read(chunk: string): string {
    this.#sequences.read(chunk);
    return this.#takeSettled();
  }

  /** Returns the last line, which had no line ending. */
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
    // The text before is the prompt and the command line.
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
    // No prompt is that long: the program itself printed an end marker.
    this.#finishedText += this.#afterEnd;
    this.#afterEnd = undefined;
  }

  #takeSettled(): string {
    const settled = this.#finishedText;
    this.#finishedText = '';
    return settled;
  }
}

/** The terminal operations that affect the text of lines. */
interface TerminalScreen {
  /** Prints text, which may contain tabs and line feeds. */
  write(text: string): void;
  /** Moves the cursor to the start of the line. */
  returnToStart(): void;
  /** Moves the cursor to the right, or for a negative number to the left. */
  move(columns: number): void;
  /** Moves the cursor to a column, counted from 0. */
  moveTo(column: number): void;
  /** Erases from the cursor on (0), up to the cursor (1), or the whole line (2). */
  eraseLine(part: number): void;
  /** Handles a marker of the shell: `C` before output, `D` after a command. */
  mark(kind: string): void;
}

/** Text up to and including the line ending. Not repeated, since chunks can have megabytes. */
const text = String.raw`[^\0-\x08\x0b-\x1f\x7f-\x9f]+(?:\r{1,16}\n)?|\r{1,16}\n`;
/** CSI: parameters, and the final character unless the sequence is incomplete. */
const control = String.raw`(?:\x1b\[|\x9b)([ -?]*)([@-~])?`;
/** OSC, DCS, SOS, PM, APC: everything up to their terminator belongs to them. */
const string = String.raw`\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]`;
const escape = String.raw`\x1b[ -/]*[0-~]?`;
const token = new RegExp(`(${text})|${control}|(${string})|${escape}|[\\0-\\x1f\\x7f-\\x9f]`, 'gy');

/** The end of a chunk that may be an incomplete sequence. */
const unfinished = /(?:\x1b(?:\[[ -?]*|[ -/]*)|\x9b[ -?]*|\r+)$/;
const endOfString = /[\x07\x18\x1a\x1b\x9c]/g;

/** No supported sequence is longer. */
const maxSequenceLength = 256;

/**
 * Parses terminal output, in chunks that end anywhere, and calls a screen for the few sequences
 * that matter for text. All others are dropped: colors, titles, links, the clipboard (threats:
 * T06).
 */
class ControlSequenceParser {
  readonly #screen: TerminalScreen;
  #rest = '';
  /** The start of an unterminated string sequence; undefined outside of one. */
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

  /** Handles the token at a position and returns the position after it. */
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

  /**
   * Skips a string sequence and returns the position after it, or the end if it is unterminated.
   */
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
    // An escape starts the next sequence.
    return end[0] === '\x1b' ? end.index : end.index + 1;
  }
}

function withoutReturns(shown: string): string {
  return `${shown.slice(0, shown.indexOf('\r'))}\n`;
}
