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
export interface Piece {
  readonly text: string;
  /** Columns that it takes. */
  readonly width: number;
  readonly isRun: boolean;
}

/**
 * The piece at a position of a text that is written from a column on. A run has at most `room`
 * characters, but one.
 */
export function pieceAt(text: string, position: number, column: number, room: number): Piece {
  const [run] = narrow.exec(text.slice(position, position + Math.max(1, room))) ?? [];
  if (run !== undefined) return { text: run, width: run.length, isRun: true };
  const character = String.fromCodePoint(text.codePointAt(position) ?? 0);
  return { text: character, width: widthOf(character, column), isRun: false };
}

function widthOf(character: string, column: number): number {
  if (character === '\t') return tabStop - (column % tabStop);
  if (zeroWidth.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/**
 * A row of a terminal. One that is only appended to, as most are, is a string. One that is changed
 * elsewhere has cells, so that a change costs only what it changes: the text of a character, or the
 * empty text for the further columns of a character before.
 */
export class TerminalRow {
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
    const cells = (this.#cells ??= cellsOf(this.#text));
    this.#text = '';
    while (cells.length < start) cells.push(' ');
    for (const place of [start, end]) {
      if (cells[place] === '') cells.fill(' ', startOf(cells, place), endOf(cells, place));
    }
    return cells;
  }
}

function cellsOf(text: string): string[] {
  const cells: string[] = [];
  for (let position = 0; position < text.length;) {
    const piece = pieceAt(text, position, cells.length, Infinity);
    put(cells, cells.length, piece);
    position += piece.text.length;
  }
  return cells;
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

function endOf(cells: readonly string[], column: number): number {
  let end = column;
  while (cells[end] === '') end++;
  return end;
}
