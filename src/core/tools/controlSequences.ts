/** What a terminal does with what it is sent, as far as the text of lines depends on it. */
export interface Screen {
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
const longest = 256;

/**
 * Reads what a program sends to a terminal, in chunks that end anywhere, and tells a screen the few
 * things that matter for text. Whatever else a terminal obeys is left out: colours, titles, links,
 * the clipboard (threats: T06).
 */
export class ControlSequences {
  readonly #screen: Screen;
  #rest = '';
  /** The beginning of the string that goes on; undefined outside of one. */
  #string: string | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  read(chunk: string): void {
    const given = this.#rest + chunk;
    const start = unfinished.exec(given.slice(-longest))?.[0].length ?? 0;
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
    this.#string = ((this.#string ?? '') + given.slice(position, end?.index)).slice(0, longest);
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
