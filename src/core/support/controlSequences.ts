/** Characters of the longest sequence; a longer one is read as text from there on. */
const maxSequenceLength = 256;
/** Together with two characters before and one after, at most as long as the longest sequence. */
const repeated = '{0,250}';

/** Text and the following line ending. Not a repeated group, since megabytes may arrive at once. */
const text = String.raw`[^\0-\x08\x0b-\x1f\x7f-\x9f]+(?:\r{1,16}\n)?|\r{1,16}\n`;
/** CSI: parameters and the final character, which is missing in a truncated sequence. */
const control = String.raw`(?:\x1b\[|\x9b)([ -?]${repeated})([@-~])?`;
/** OSC, DCS, SOS, PM and APC, which last until a terminator. */
const string = String.raw`\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]`;
const escape = String.raw`\x1b[ -/]${repeated}[0-~]?`;
const token = new RegExp(`(${text})|${control}|(${string})|${escape}|[\\0-\\x1f\\x7f-\\x9f]`, 'gy');

/** The end of a chunk that may be the beginning of a sequence or of a line end. */
const unfinished = new RegExp(
  String.raw`(?:\x1b(?:\[[ -?]${repeated}|[ -/]${repeated})|\x9b[ -?]${repeated}|\r+)$`,
);
const endOfString = /[\x07\x18\x1a\x1b\x9c]/g;

/** Receives text, and the few commands that change the text a terminal shows. */
export interface TerminalScreen {
  /** Writes text, which may contain tabs and line feeds. */
  write(text: string): void;
  returnToStart?(): void;
  /** Moves the cursor a number of columns to the right, or to the left if negative. */
  move?(columns: number): void;
  /** Moves the cursor to a column, counted from 0. */
  moveTo?(column: number): void;
  /** Erases from the cursor on (0), up to the cursor (1), or the whole line (2). */
  eraseLine?(part: number): void;
  /** A shell integration mark: `C` where the output of a command begins, `D` where it ended. */
  mark?(kind: string): void;
}

/**
 * Parses the output of a program, in chunks that end anywhere, into text and the commands that
 * change text. Drops all other sequences: colours, titles, links, the clipboard (threats: T06).
 */
export class ControlSequenceParser {
  readonly #screen: TerminalScreen;
  /** The end of the last chunk if it may be unfinished. */
  #unfinished = '';
  /** The beginning of an unterminated string (OSC and the like); undefined outside of one. */
  #string: string | undefined;

  constructor(screen: TerminalScreen) {
    this.#screen = screen;
  }

  /** True if the next chunk begins outside of every sequence. */
  get isBetweenSequences(): boolean {
    return this.#unfinished === '' && this.#string === undefined;
  }

  read(chunk: string): void {
    const input = this.#unfinished + chunk;
    const start = unfinished.exec(input.slice(-maxSequenceLength))?.[0].length ?? 0;
    this.#unfinished = input.slice(input.length - start);
    const whole = input.slice(0, input.length - start);
    let position = 0;
    while (position < whole.length) {
      position =
        this.#string === undefined ? this.#next(whole, position) : this.#skip(whole, position);
    }
  }

  #next(input: string, position: number): number {
    token.lastIndex = position;
    const [whole = '', printable, parameters = '', final, string] = token.exec(input) ?? [];
    if (printable !== undefined)
      this.#screen.write(
        printable.includes('\r') ? `${printable.slice(0, printable.indexOf('\r'))}\n` : printable,
      );
    else if (final !== undefined) this.#control(parameters, final);
    else if (string !== undefined)
      this.#string = string === '\x1b]' || string === '\x9d' ? '' : '-';
    else if (whole === '\r') this.#screen.returnToStart?.();
    else if (whole === '\b') this.#screen.move?.(-1);
    return position + Math.max(1, whole.length);
  }

  #control(parameters: string, final: string): void {
    const number = /^\d{0,9}$/.test(parameters) ? Number(parameters) : undefined;
    if (number === undefined) return;
    if (final === 'K') this.#screen.eraseLine?.(number);
    else if (final === 'G') this.#screen.moveTo?.(Math.max(1, number) - 1);
    else if (final === 'C') this.#screen.move?.(Math.max(1, number));
    else if (final === 'D') this.#screen.move?.(-Math.max(1, number));
  }

  /** Reads the string and returns the position after it, or the end of the input. */
  #skip(input: string, position: number): number {
    endOfString.lastIndex = position;
    const end = endOfString.exec(input);
    this.#string = ((this.#string ?? '') + input.slice(position, end?.index)).slice(
      0,
      maxSequenceLength,
    );
    if (end === null) return input.length;
    const kind = /^(?:6|1)33;([CD])(?:;|$)/.exec(this.#string)?.[1];
    this.#string = undefined;
    if (kind !== undefined) this.#screen.mark?.(kind);
    // An escape also begins the next sequence.
    return end[0] === '\x1b' ? end.index : end.index + 1;
  }
}
