import { ControlSequenceParser, type TerminalReceiver } from '../support/controlSequences.ts';
import { TerminalScreen, type TerminalSize } from './terminalScreen.ts';

/** A longer text after the end of a command is no prompt, but output. */
const maxPromptLength = 4096;
/** Rows above the screen after which their text is taken, so that one chunk may have any length. */
const maxFinalRows = 1000;

interface TerminalTextOptions {
  /** Undefined if it is unknown: see `TerminalScreen`. */
  readonly size?: TerminalSize | undefined;
  /**
   * Gets the text of each row once, when the cursor leaves it downwards for the first time. It is
   * for a display to which text can only be appended: a program may change the row afterwards.
   */
  readonly onPassed?: ((text: string) => void) | undefined;
}

/**
 * Converts the output of a program to the text that a terminal shows at its end, with its
 * scrollback: rows that were written again count once. Text that was cleared stays. Colors, titles,
 * links and all other control sequences are removed (threats: T06).
 */
export class TerminalText implements TerminalReceiver {
  readonly #sequences = new ControlSequenceParser(this);
  readonly #size: TerminalSize | undefined;
  readonly #onPassed: (text: string) => void;
  /** First half of a character whose second half is in the next chunk. */
  #half = '';
  /** Final text that `read` did not return yet. */
  #finished = '';
  #main: TerminalScreen;
  /** The screen of a program that fills it, such as a pager. The other one is shown afterwards. */
  #alternate: TerminalScreen | undefined;
  /** Number of characters after the end of a command, maybe a prompt; undefined while one runs. */
  #lengthAfterEnd: number | undefined;

  constructor({ size, onPassed = () => undefined }: TerminalTextOptions = {}) {
    this.#size = size;
    this.#onPassed = (text) => {
      if (this.#lengthAfterEnd === undefined) onPassed(text);
    };
    this.#main = new TerminalScreen(size, this.#onPassed);
  }

  /** Returns the text that later chunks cannot change any more. */
  read(chunk: string): string {
    const input = this.#half + chunk;
    this.#half = /[\ud800-\udbff]$/.exec(input)?.[0] ?? '';
    this.#sequences.read(input.slice(0, input.length - this.#half.length));
    this.#takeFinal();
    return this.#takeFinished();
  }

  /** Text that is shown and that later chunks can change. */
  get open(): string {
    if (this.#lengthAfterEnd !== undefined) return '';
    const { text } = this.#main;
    const further = this.#alternate?.text ?? '';
    const separator = text === '' || further === '' || text.endsWith('\n') ? '' : '\n';
    return text + separator + further;
  }

  /** Returns the text that was open. */
  end(): string {
    if (this.#lengthAfterEnd === undefined) this.#endScreens();
    return this.#takeFinished();
  }

  write(text: string): void {
    const screen = this.#screen;
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      screen.write(text.slice(start, end));
      screen.lineFeed();
      start = end + 1;
      if (screen.finalRows >= maxFinalRows) this.#takeFinal();
    }
    screen.write(text.slice(start));
    if (this.#lengthAfterEnd === undefined) return;
    this.#lengthAfterEnd += text.length;
    // No prompt is that long: the program itself wrote the mark of an end.
    if (this.#lengthAfterEnd > maxPromptLength) this.#lengthAfterEnd = undefined;
  }

  control(character: string): void {
    const screen = this.#screen;
    if (character === '\r') screen.moveToColumn(0);
    else if (character === '\b') screen.moveBy(-1);
    else screen.lineFeed();
  }

  escape(final: string): void {
    const screen = this.#screen;
    if (final === '7') screen.save();
    else if (final === '8') screen.restore();
    else if (final === 'D') screen.index();
    else if (final === 'E') screen.lineFeed();
    else if (final === 'M') screen.reverseIndex();
    else if (final === 'c') {
      this.#alternate = undefined;
      this.#main.reset();
    }
  }

  sequence(final: string, numbers: readonly number[]): void {
    if (final === '?h' || final === '?l')
      for (const mode of numbers) this.#setMode(mode, final === '?h');
    else commands[final]?.(this.#screen, numbers[0] ?? 0, numbers[1] ?? 0);
  }

  mark(kind: string): void {
    const isRunning = this.#lengthAfterEnd === undefined;
    if (kind === 'D') {
      if (isRunning) this.#endScreens();
      this.#lengthAfterEnd ??= 0;
      return;
    }
    // The row up to here is the prompt with the command.
    if (isRunning) {
      this.#main.eraseInRow(2);
      this.#endScreens();
    } else this.#clearScreens();
    this.#lengthAfterEnd = undefined;
  }

  #setMode(mode: number, isOn: boolean): void {
    if (mode === 7) this.#screen.wraps = isOn;
    if (!alternateModes.has(mode)) return;
    if (isOn && this.#alternate === undefined) {
      this.#main.save();
      this.#alternate = new TerminalScreen(this.#size, () => undefined);
    } else if (!isOn && this.#alternate !== undefined) {
      this.#alternate = undefined;
      this.#main.restore();
    }
  }

  get #screen(): TerminalScreen {
    return this.#alternate ?? this.#main;
  }

  /** Everything that is shown becomes final. */
  #endScreens(): void {
    this.#takeFinal();
    this.#finished += this.open;
    this.#main.passAll();
    this.#clearScreens();
  }

  #clearScreens(): void {
    this.#main = new TerminalScreen(this.#size, this.#onPassed);
    this.#alternate = undefined;
  }

  #takeFinal(): void {
    // What leaves the alternate screen upwards is in no scrollback.
    this.#alternate?.takeFinal();
    // It may be a prompt.
    if (this.#lengthAfterEnd === undefined) this.#finished += this.#main.takeFinal();
  }

  #takeFinished(): string {
    const finished = this.#finished;
    this.#finished = '';
    return finished;
  }
}

/** Modes with a screen of their own. */
const alternateModes: ReadonlySet<number> = new Set([47, 1047, 1049]);

/** What the control sequences do, with their first two numbers; 0 for those that are missing. */
const commands: Readonly<
  Record<string, (screen: TerminalScreen, first: number, second: number) => void>
> = {
  A: (screen, count) => screen.moveUp(atLeastOne(count)),
  B: (screen, count) => screen.moveDown(atLeastOne(count)),
  C: (screen, count) => screen.moveBy(atLeastOne(count)),
  a: (screen, count) => screen.moveBy(atLeastOne(count)),
  D: (screen, count) => screen.moveBy(-atLeastOne(count)),
  E: (screen, count) => {
    screen.moveDown(atLeastOne(count));
    screen.moveToColumn(0);
  },
  F: (screen, count) => {
    screen.moveUp(atLeastOne(count));
    screen.moveToColumn(0);
  },
  G: (screen, column) => screen.moveToColumn(column - 1),
  '`': (screen, column) => screen.moveToColumn(column - 1),
  H: moveTo,
  f: moveTo,
  d: (screen, row) => screen.moveToRow(row - 1),
  J: (screen, part) => screen.eraseInScreen(part),
  K: (screen, part) => screen.eraseInRow(part),
  '?J': (screen, part) => screen.eraseInScreen(part),
  '?K': (screen, part) => screen.eraseInRow(part),
  L: (screen, count) => screen.insertRows(atLeastOne(count)),
  M: (screen, count) => screen.removeRows(atLeastOne(count)),
  '@': (screen, count) => screen.insertColumns(atLeastOne(count)),
  P: (screen, count) => screen.removeColumns(atLeastOne(count)),
  X: (screen, count) => screen.eraseColumns(atLeastOne(count)),
  S: (screen, count) => screen.scroll(atLeastOne(count)),
  T: (screen, count) => screen.scroll(-atLeastOne(count)),
  r: (screen, first, last) => screen.setRegion(first, last),
  s: (screen) => screen.save(),
  u: (screen) => screen.restore(),
};

function moveTo(screen: TerminalScreen, row: number, column: number): void {
  screen.moveToRow(row - 1);
  screen.moveToColumn(column - 1);
}

function atLeastOne(count: number): number {
  return Math.max(1, count);
}
