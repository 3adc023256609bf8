import { pieceAt, TerminalRow } from './terminalRow.ts';

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
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
export class TerminalScreen {
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
        this.#wrap();
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

  #wrap(): void {
    this.#pass('');
    this.#column = 0;
    this.index();
    this.#rowAt(this.#row).isWrapped = true;
    // A row of this length is all that is kept of a line, if the width is unknown.
    if (this.#columns === undefined) this.#top = this.#row;
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
