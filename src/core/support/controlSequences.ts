/** Characters of the longest sequence; a longer one is read as text from there on. */
const maxSequenceLength = 256;
/** Numbers of a sequence that are read; those of colors, which may have more, aren't used. */
const maxNumbers = 16;
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

/** Receives text, and the commands that move the cursor or change what a terminal shows. */
export interface TerminalReceiver {
  /** Writes text, which may contain tabs and line feeds. */
  write(text: string): void;
  /** A control character that moves the cursor: `\r`, `\b`, `\v` or `\f`. */
  control?(character: string): void;
  /** An escape of one character, also if it was sent in 8 bits: `7` for ESC 7, `M` for ESC M. */
  escape?(final: string): void;
  /**
   * A control sequence (CSI). Missing numbers are 0.
   *
   * @param final its last character, after `?` if it is a private one: `K`, `?h`
   */
  sequence?(final: string, numbers: readonly number[]): void;
  /** A shell integration mark: `C` where the output of a command begins, `D` where it ended. */
  mark?(kind: string): void;
}

/**
 * Parses the output of a program, in chunks that end anywhere, into text and the commands that
 * change what is shown. Drops all other sequences: colours, titles, links, the clipboard (threats: T06).
 */
export class ControlSequenceParser {
  readonly #receiver: TerminalReceiver;
  /** The end of the last chunk if it may be unfinished. */
  #unfinished = '';
  /** The beginning of an unterminated string (OSC and the like); undefined outside of one. */
  #string: string | undefined;

  constructor(receiver: TerminalReceiver) {
    this.#receiver = receiver;
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
      this.#receiver.write(
        printable.includes('\r') ? `${printable.slice(0, printable.indexOf('\r'))}\n` : printable,
      );
    else if (final !== undefined && /^\??[\d;]*$/.test(parameters)) {
      const isPrivate = parameters.startsWith('?');
      const numbers = parameters.slice(isPrivate ? 1 : 0).split(';', maxNumbers);
      this.#receiver.sequence?.(isPrivate ? `?${final}` : final, numbers.map(Number));
    } else if (string !== undefined)
      this.#string = string === '\x1b]' || string === '\x9d' ? '' : '-';
    else if (/^[\b\v\f\r]$/.test(whole)) this.#receiver.control?.(whole);
    else if (/^\x1b[0-~]$/.test(whole)) this.#receiver.escape?.(whole.charAt(1));
    else if (/^[\x80-\x9f]$/.test(whole))
      this.#receiver.escape?.(String.fromCharCode(whole.charCodeAt(0) - 0x40));
    return position + Math.max(1, whole.length);
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
    if (kind !== undefined) this.#receiver.mark?.(kind);
    // An escape also begins the next sequence.
    return end[0] === '\x1b' ? end.index : end.index + 1;
  }
}

/**
 * Removes terminal escape sequences and control characters other than line feed and tab, and turns
 * every line ending into `\n`. The result does not depend on how the text was split into chunks.
 */
export class ControlFilter {
  readonly #sequences = new ControlSequenceParser({ write: (text) => (this.#text += text) });
  #text = '';
  #afterReturn = false;

  write(text: string): string {
    // A typical chunk has nothing to remove and is returned unchanged.
    const isInside = this.#afterReturn || !this.#sequences.isBetweenSequences;
    if (!isInside && !hasControl.test(text)) return text;
    const characters = text.replace(ignored, '');
    if (characters === '') return '';
    const isSecondHalf = this.#afterReturn && characters.startsWith('\n');
    this.#afterReturn = characters.endsWith('\r');
    const input = isSecondHalf ? characters.slice(1) : characters;
    this.#sequences.read(input.replace(lineEnd, cancel + '\n'));
    const output = this.#text;
    this.#text = '';
    return output;
  }
}

const hasControl = /(?![\t\n])\p{Cc}/u;

/** 8-bit controls. In a reply they come from a wrong encoding and begin no sequence. */
const ignored = /[\u0080-\u009b\u009d-\u009f]/g;

const lineEnd = /\r\n?|\n/g;

/** Ends every sequence (CAN), so that an unfinished one cannot swallow a whole reply. */
const cancel = '\u0018';
