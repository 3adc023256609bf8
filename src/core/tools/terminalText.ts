import { ControlSequenceParser, type TerminalReceiver } from '../support/controlSequences.ts';

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A longer text after the end of a command is no prompt, but output. */
const maxPromptLength = 4096;
/** Rows above the screen after which their text is taken, so that one chunk may have any length. */
const maxFinalRows = 1000;

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

  /**
   * @param onPassed gets the text of each row once, when the cursor leaves it downwards for the
   *   first time. It is for a display to which text can only be appended: a program may change the
   *   row afterwards.
   * @param size undefined if it is unknown: see `TerminalScreen`
   */
  constructor(onPassed: (text: string) => void = () => undefined, size?: TerminalSize) {
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
    const isOn = final === '?h';
    if (!isOn && final !== '?l') {
      commands[final]?.(this.#screen, numbers[0] ?? 0, numbers[1] ?? 0);
      return;
    }
    for (const mode of numbers) {
      if (mode === 7) this.#screen.wraps = isOn;
      if (!alternateModes.has(mode)) continue;
      if (isOn && this.#alternate === undefined) {
        this.#main.save();
        this.#alternate = new TerminalScreen(this.#size, () => undefined);
      } else if (!isOn && this.#alternate !== undefined) {
        this.#alternate = undefined;
        this.#main.restore();
      }
    }
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

/** Columns of a row, if the width is unknown. What is longer continues in a further row. */
const maxColumns = 8192;
/** Columns beyond the end of a row in which a program can write, if the width is unknown. */
const maxGap = 1000;
/** Rows that a program can go back, if the height is unknown. */
const maxRows = 200;
/** Rows that a terminal has at least, if the height is unknown. */
const usualRows = 24;

/**
 * The rows of a terminal with its cursor, which behave as those of xterm.js in VS Code. What was
 * cleared leaves the screen upwards, as in VS Code. Rows above the screen can't change any more.
 *
 * Output alone doesn't tell the size of its terminal. If it is unknown, no text is wrapped, a
 * program can go back `maxRows` rows, and rows by number count from where the screen was cleared
 * last; if it never was, from the first row on a screen of the largest height that the program has
 * named.
 */
class TerminalScreen {
  readonly #columns: number | undefined;
  readonly #onPassed: (text: string) => void;
  /** The rows that `takeFinal` did not take, as far down as something was written. */
  readonly #rows: TerminalRow[] = [];
  /** Index of the first row of the screen. */
  #top = 0;
  #row = 0;
  /** Column of the cursor from 0. After the last column was written, their number. */
  #column = 0;
  #saved = { row: 0, column: 0 };
  #height: number | undefined;
  #namedRows = usualRows;
  #isCleared = false;
  /** The rows of the screen that scroll, counted from 0; undefined if all do. */
  #region: { readonly first: number; readonly last: number } | undefined;
  /** Index of the first row that the cursor has not left downwards. */
  #unpassed = 0;

  /** False if text beyond the last column overwrites it. */
  wraps = true;

  /** @param onPassed gets the text of each row when the cursor leaves it downwards the first time */
  constructor(size: TerminalSize | undefined, onPassed: (text: string) => void) {
    this.#columns = size?.columns;
    this.#height = size?.rows;
    this.#onPassed = onPassed;
  }

  /** Number of rows above the screen. */
  get finalRows(): number {
    return this.#top;
  }

  /** Removes the rows above the screen, and returns their text. */
  takeFinal(): string {
    const next = this.#rowAt(this.#top);
    const rows = this.#rows.splice(0, this.#top);
    this.#top = 0;
    this.#row -= rows.length;
    this.#unpassed -= rows.length;
    this.#saved.row -= rows.length;
    return this.#textOf([...rows, next], rows.length);
  }

  /** Text of all rows, without blank ones below the cursor. */
  get text(): string {
    return this.#textOf(this.#rows.slice(0, this.#end));
  }

  /** Reports the rows that the cursor has not passed. */
  passAll(): void {
    this.#onPassed(this.#textOf(this.#rows.slice(Math.max(0, this.#unpassed), this.#end)));
    this.#unpassed = this.#end;
  }

  /** Writes text without control characters other than tabs. */
  write(text: string): void {
    const end = this.#columns ?? maxColumns;
    for (let position = 0; position < text.length;) {
      const row = this.#rowAt(this.#row);
      if (this.#columns === undefined) this.#column = Math.min(this.#column, row.width + maxGap);
      const room = end - this.#column;
      const piece = pieceAt(text, position, this.#column, room);
      if (piece.text === '\t' && this.#columns !== undefined && piece.width >= room) {
        this.#column = Math.max(this.#column, end - 1);
        position++;
      } else if (piece.width <= room) {
        // A tab over text only moves the cursor.
        if (piece.text !== '\t' || this.#column === row.width) row.write(this.#column, piece);
        this.#column += piece.width;
        position += piece.text.length;
      } else if (this.wraps) {
        this.#pass('');
        this.#column = 0;
        this.index();
        this.#rowAt(this.#row).isWrapped = true;
        // A row of this length is all that is kept of a line, if the width is unknown.
        if (this.#columns === undefined) this.#top = this.#row;
      } else {
        this.#column = end - 1;
        // A wide character has no room there.
        if (piece.width === 2) position += piece.text.length;
      }
    }
  }

  lineFeed(): void {
    this.#pass('\n');
    this.#column = 0;
    this.index();
    this.#rowAt(this.#row).isWrapped = false;
  }

  /** Moves the cursor down, and scrolls at the last row. */
  index(): void {
    this.moveBy(0);
    if (this.#row !== this.#bottom) this.#row = Math.min(this.#row + 1, this.#lastRow);
    else if (this.#first === this.#top) {
      // The first row leaves the screen, and those below the region stay where they are.
      if (this.#rows.length > this.#bottom + 1)
        this.#rows.splice(this.#bottom + 1, 0, new TerminalRow());
      this.#top++;
      this.#row++;
    } else this.#moveRow(this.#first, this.#bottom);
  }

  /** Moves the cursor up, and scrolls back at the first row. */
  reverseIndex(): void {
    this.moveBy(0);
    if (this.#row !== this.#first) this.#row = Math.max(this.#row - 1, this.#top);
    // If the height is unknown, text from before is above the first row: nothing has to scroll.
    else if (this.#height !== undefined) this.#moveRow(this.#bottom, this.#first);
  }

  moveUp(count: number): void {
    const limit = this.#row >= this.#first ? this.#first : this.#top;
    this.#move(Math.max(this.#row - count, limit), this.#column);
  }

  moveDown(count: number): void {
    const limit = this.#row <= this.#bottom ? this.#bottom : this.#lastRow;
    this.#move(Math.min(this.#row + count, limit), this.#column);
  }

  /** Moves a number of columns to the right, or to the left if negative. */
  moveBy(columns: number): void {
    this.moveToColumn(Math.min(this.#column, this.#lastColumn) + columns);
  }

  /** @param column from 0 */
  moveToColumn(column: number): void {
    this.#move(this.#row, column);
  }

  /** @param rowOfScreen from 0 */
  moveToRow(rowOfScreen: number): void {
    const row = Math.max(0, rowOfScreen);
    this.#namedRows = Math.max(this.#namedRows, Math.min(row + 1, maxRows));
    this.#move(this.#origin + row, this.#column);
  }

  save(): void {
    this.#saved = { row: this.#row, column: this.#column };
  }

  restore(): void {
    this.#move(this.#saved.row, this.#saved.column);
  }

  /** Erases from the cursor on (0), up to the cursor (1), or the whole row (2). */
  eraseInRow(part: number): void {
    if (part > 2) return;
    const row = this.#rowAt(this.#row);
    row.erase(part === 0 ? this.#column : 0, part === 1 ? this.#column + 1 : Infinity);
    if (part === 2 || (part === 0 && this.#column === 0)) row.isWrapped = false;
  }

  /** Erases from the cursor on (0), or up to the cursor (1). Clears the screen (2). */
  eraseInScreen(part: number): void {
    if (part === 2) this.#clear();
    // Others erase the scrollback, which stays, or nothing.
    if (part > 1) return;
    this.eraseInRow(part);
    if (part === 0) {
      this.#rows.length = Math.min(this.#rows.length, this.#row + 1);
      return;
    }
    for (const [index, row] of this.#rows.entries()) {
      if (index < this.#origin || index > this.#row) continue;
      if (index < this.#row) row.clear();
      row.isWrapped = false;
    }
    const below = this.#rows[this.#row + 1];
    if (below !== undefined && this.#column >= this.#lastColumn) below.isWrapped = false;
  }

  eraseColumns(count: number): void {
    this.moveBy(0);
    this.#rowAt(this.#row).erase(this.#column, this.#column + count);
  }

  insertColumns(count: number): void {
    this.moveBy(0);
    this.#rowAt(this.#row).insert(this.#column, count, this.#lastColumn + 1);
  }

  removeColumns(count: number): void {
    this.moveBy(0);
    this.#rowAt(this.#row).remove(this.#column, count);
  }

  /** Inserts blank rows at the cursor. As many at the end of the region are lost. */
  insertRows(count: number): void {
    if (this.#row < this.#first || this.#row > this.#bottom) return;
    this.#repeat(count, () => this.#moveRow(this.#bottom, this.#row));
    this.#column = 0;
  }

  /** Removes rows from the cursor on. As many blank ones come at the end of the region. */
  removeRows(count: number): void {
    if (this.#row < this.#first || this.#row > this.#bottom) return;
    this.#repeat(count, () => this.#moveRow(this.#row, this.#bottom));
    this.#column = 0;
  }

  /** Moves the rows of the region up, or down if negative. They are lost. */
  scroll(count: number): void {
    if (count > 0) this.#repeat(count, () => this.#moveRow(this.#first, this.#bottom));
    else this.#repeat(-count, () => this.#moveRow(this.#bottom, this.#first));
  }

  /**
   * Sets the rows that scroll.
   * @param first from 1
   * @param last from 1; 0 for the last row of the screen
   */
  setRegion(first: number, last: number): void {
    if (this.#height === undefined && last > 0) {
      // Whoever names a last row that scrolls has asked for the height.
      this.#height = Math.min(last + 1, maxRows);
      this.#top = Math.max(this.#top, this.#rows.length - this.#height);
    }
    const end = last === 0 ? this.#rowCount : Math.min(last, this.#rowCount);
    if (end <= Math.max(1, first)) return;
    this.#region = { first: Math.max(1, first) - 1, last: end - 1 };
    this.#move(this.#origin, 0);
  }

  /** What was shown leaves the screen upwards. The cursor stays where it is on the screen. */
  #clear(): void {
    const origin = this.#origin;
    const last = this.#rows.findLastIndex((row) => !row.isBlank);
    if (last >= origin) {
      this.#row += last + 1 - origin;
      this.#top = last + 1;
    }
    this.#isCleared = true;
  }

  reset(): void {
    this.#clear();
    this.#region = undefined;
    this.wraps = true;
    this.#move(this.#top, 0);
  }

  #pass(end: string): void {
    this.#rowAt(this.#row);
    if (this.#row < this.#unpassed) return;
    this.#onPassed(
      this.#textOf(this.#rows.slice(Math.max(0, this.#unpassed), this.#row + 1)) + end,
    );
    this.#unpassed = this.#row + 1;
  }

  #move(row: number, column: number): void {
    this.#row = Math.max(this.#top, Math.min(row, this.#lastRow));
    this.#column = Math.max(0, Math.min(column, this.#lastColumn));
  }

  /** Removes a row, and inserts a blank one at a place. */
  #moveRow(removed: number, inserted: number): void {
    this.#rows.splice(removed, 1);
    if (inserted < this.#rows.length) this.#rows.splice(inserted, 0, new TerminalRow());
  }

  #repeat(count: number, action: () => void): void {
    for (let index = Math.min(count, this.#rowCount); index > 0; index--) action();
  }

  #rowAt(index: number): TerminalRow {
    while (this.#rows.length < index) this.#rows.push(new TerminalRow());
    return (this.#rows[index] ??= new TerminalRow());
  }

  get #rowCount(): number {
    return this.#height ?? maxRows;
  }

  get #lastRow(): number {
    return this.#top + this.#rowCount - 1;
  }

  get #lastColumn(): number {
    return (this.#columns ?? maxColumns) - 1;
  }

  /** First row of the region. */
  get #first(): number {
    return this.#top + (this.#region?.first ?? 0);
  }

  /** Last row of the region. */
  get #bottom(): number {
    return this.#top + (this.#region?.last ?? this.#rowCount - 1);
  }

  /** The row that has the number 0. */
  get #origin(): number {
    if (this.#height !== undefined || this.#isCleared) return this.#top;
    return Math.max(this.#top, this.#rows.length - this.#namedRows);
  }

  /** Number of the rows up to the last one with text, or to the cursor. */
  get #end(): number {
    return (
      Math.max(
        this.#row,
        this.#rows.findLastIndex((row) => !row.isBlank),
      ) + 1
    );
  }

  /** The text of rows, and of line feeds between them and before the one after `count`. */
  #textOf(rows: readonly TerminalRow[], count = rows.length): string {
    let text = '';
    // A wide character leaves the last column free.
    let isFull = false;
    for (const [index, row] of rows.entries()) {
      if (index > 0 && !(row.isWrapped && isFull)) text += '\n';
      if (index === count) break;
      text += row.text;
      isFull = row.width >= this.#lastColumn;
    }
    return text;
  }
}

/** Columns from one tab stop to the next. */
const tabStop = 8;
/** Characters (UTF-16 units) of a cell: marks that are drawn over it beyond these are dropped. */
const maxCellLength = 64;

/** Characters in one column each, as almost all text is. */
const narrow =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u0400-\u0482\u2010-\u2027\u2190-\u22ff\u2500-\u25fc]+/;

/** Characters that take no column, since they are drawn over the one before them or not at all. */
const zeroWidth = /^(?!\u00ad)[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;

/** Characters in two columns: East Asian ones, and emoji. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2fb}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;

/** Text that is written at once: a run of characters in one column each, or another character. */
interface Piece {
  readonly text: string;
  /** Columns that it takes. */
  readonly width: number;
  readonly isRun: boolean;
}

/**
 * The piece at a position of a text that is written from a column on. A run has at most `room`
 * characters, but one.
 */
function pieceAt(text: string, position: number, column: number, room: number): Piece {
  const [run] = narrow.exec(text.slice(position, position + Math.max(1, room))) ?? [];
  if (run !== undefined) return { text: run, width: run.length, isRun: true };
  const character = String.fromCodePoint(text.codePointAt(position) ?? 0);
  const isTab = character === '\t';
  const isZero = !isTab && zeroWidth.test(character);
  const width = isTab ? tabStop - (column % tabStop) : isZero ? 0 : wide.test(character) ? 2 : 1;
  return { text: character, width, isRun: false };
}

/**
 * A row of a terminal. One that is only appended to, as most are, is a string. One that is changed
 * elsewhere has cells, so that a change costs only what it changes: the text of a character, or the
 * empty text for the further columns of a character before.
 */
class TerminalRow {
  /** True if it continues the row above, which was full. */
  isWrapped = false;
  #text = '';
  /** Columns of `#text`. */
  #width = 0;
  #cells: string[] | undefined;

  /** The text, with its tabs, up to the last column that something was written to. */
  get text(): string {
    return this.#cells?.join('') ?? this.#text;
  }

  get isBlank(): boolean {
    return this.text.trim() === '';
  }

  /** Columns up to the last one that something was written to. */
  get width(): number {
    return this.#cells?.length ?? this.#width;
  }

  /** Writes over what is in these columns. */
  write(column: number, piece: Piece): void {
    if (this.#cells === undefined && column === this.#width) {
      if (piece.width === 0 && this.#text.length > maxCellLength * (column + 1)) return;
      this.#text += piece.text;
      this.#width += piece.width;
      return;
    }
    put(this.#cellsCutAt(column, column + piece.width), column, piece);
  }

  /** Erases columns from `start` up to `end`. */
  erase(start: number, end: number): void {
    if (start >= this.width || start >= end) return;
    if (start === 0 && end >= this.width) {
      this.clear();
      return;
    }
    const cells = this.#cellsCutAt(start, end);
    if (end >= cells.length) cells.length = start;
    else cells.fill(' ', start, end);
  }

  clear(): void {
    this.#text = '';
    this.#width = 0;
    this.#cells = undefined;
  }

  /** Moves what is from a column on to the right. What leaves the row of `columns` is lost. */
  insert(column: number, count: number, columns: number): void {
    if (column >= this.width) return;
    if (column + count < columns)
      this.#cellsCutAt(column, column).splice(column, 0, ...Array<string>(count).fill(' '));
    this.erase(column + count < columns ? columns : column, Infinity);
  }

  /** Removes columns. What is after them moves to the left. */
  remove(column: number, count: number): void {
    if (column < this.width) this.#cellsCutAt(column, column + count).splice(column, count);
  }

  /** The cells. What has columns on both sides of one of the two places becomes blank. */
  #cellsCutAt(start: number, end: number): string[] {
    const cells = (this.#cells ??= []);
    for (let position = 0; position < this.#text.length;) {
      const piece = pieceAt(this.#text, position, cells.length, Infinity);
      put(cells, cells.length, piece);
      position += piece.text.length;
    }
    this.#text = '';
    while (cells.length < start) cells.push(' ');
    for (const place of [start, end]) {
      if (cells[place] !== '') continue;
      let after = place;
      while (cells[after] === '') after++;
      cells.fill(' ', startOf(cells, place), after);
    }
    return cells;
  }
}

function put(cells: string[], column: number, { text, width, isRun }: Piece): void {
  if (width === 0) {
    const before = startOf(cells, column - 1);
    const cell = (cells[before] ?? '') + text;
    if (cell.length <= maxCellLength) cells[before] = cell;
  } else {
    for (let index = 0; index < width; index++)
      cells[column + index] = isRun ? text.charAt(index) : index === 0 ? text : '';
  }
}

function startOf(cells: readonly string[], column: number): number {
  let start = Math.max(0, column);
  while (start > 0 && cells[start] === '') start--;
  return start;
}
