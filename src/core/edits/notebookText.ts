import { ToolError } from '../support/toolError.ts';
import { diffLists, type Hunk, type Span } from './lineDiff.ts';
import { withLineEndings } from './lineEndings.ts';

/** A cell of a notebook without its outputs and metadata. */
export interface CellText {
  readonly kind: 'code' | 'markdown';
  readonly language: string;
  /** Text with `\n` as line ending. */
  readonly source: string;
}

export interface WrittenCell extends CellText {
  /** Number in its first line, counted from 1; absent for a new cell. */
  readonly number?: number | undefined;
}

/** The first line of a cell. Lines of sources that look like one are escaped with a backslash. */
const firstLine = /^%% cell(?: (\d{1,9}))?(?: (code|markdown)(?: ([\w+#.-]+))?)?[^\S\n]*$/;
const looksLikeFirstLine = /^\\*%% cell(?=\s|$)/;

/**
 * The cells of a notebook as one text: each is preceded by a line with number, kind and language.
 * The numbers identify cells while the text is edited, and may be in any order.
 */
export function renderCells(cells: readonly CellText[]): string {
  return cells.map((cell, index) => renderCell({ ...cell, number: index + 1 })).join('');
}

/** The text of one cell. */
export function renderCell({ number, kind, language, source }: WrittenCell): string {
  const name = cellLanguage(language);
  const isUsual = kind === 'markdown' && name === kind;
  const words = ['%% cell', number, kind, isUsual ? undefined : name];
  const lines = withLineEndings(source, '\n')
    .split('\n')
    .map((line) => (looksLikeFirstLine.test(line) ? `\\${line}` : line));
  return `${[words.filter((word) => word !== undefined).join(' '), ...lines].join('\n')}\n`;
}

/**
 * Parses the text of a notebook, possibly edited, that {@link renderCells} wrote.
 *
 * @param language default of code cells
 * @throws {ToolError} if the text doesn't consist of cells; its message is for the model
 */
export function parseCells(text: string, language = 'plaintext'): readonly WrittenCell[] {
  const lines = withLineEndings(text, '\n').replace(/\n$/, '').split('\n');
  const starts = lines.flatMap((line, index) =>
    line.startsWith('%') && looksLikeFirstLine.test(line) ? [index] : [],
  );
  if (lines.slice(0, starts[0]).some((line) => line !== '')) {
    throw new ToolError(`The text of a notebook begins with the first line of a cell. ${howTo}`);
  }
  return starts.map((start, index) => {
    const first = lines[start] ?? '';
    const match = firstLine.exec(first);
    if (match === null) {
      throw new ToolError(`${JSON.stringify(first.slice(0, 200))} begins no cell. ${howTo}`);
    }
    const [, number, kind = 'code', named] = match;
    const source = lines
      .slice(start + 1, starts[index + 1])
      .map((line) =>
        line.startsWith('\\') && looksLikeFirstLine.test(line) ? line.slice(1) : line,
      )
      .join('\n');
    const cell = { source, ...(number === undefined ? {} : { number: Number(number) }) };
    return kind === 'markdown'
      ? { ...cell, kind, language: named ?? 'markdown' }
      : { ...cell, kind: 'code', language: named ?? language };
  });
}

/** The index of the cell that contains a line of the text, counted from 1. */
export function cellAtLine(cells: readonly CellText[], line: number): number | undefined {
  let last = 0;
  const index = cells.findIndex(
    (cell) => (last += renderCell(cell).split('\n').length - 1) >= line,
  );
  return index === -1 ? undefined : index;
}

/** True if a text is that of a notebook. */
export function isCellsText(text: string): boolean {
  return firstLine.test(text.slice(0, 100).split('\n', 1)[0] ?? '');
}

/**
 * The text of a notebook after an edit, with the language of each cell.
 *
 * @throws {ToolError} if it doesn't consist of cells
 */
export function normalizeCells(text: string, before: string): string {
  return parseCells(text, mainLanguage(parseCells(before)))
    .map(renderCell)
    .join('');
}

/** The text without cell numbers, which depend on the preceding cells. */
export function withoutNumbers(text: string): string {
  return isCellsText(text) ? text.replace(/^%% cell \d{1,9}(?= )/gm, '%% cell') : text;
}

/** The default language of a notebook's cells: that of the first code cell. */
export function mainLanguage(cells: readonly CellText[]): string {
  return cells.find(({ kind }) => kind === 'code')?.language ?? 'python';
}

/** The name of a language in the text. */
export function cellLanguage(language: string): string {
  return language.replace(/[^\w+#.-]/g, '') || 'plaintext';
}

const howTo = 'Write “%% cell code python” or “%% cell markdown” before the lines of a new cell.';

export interface PlacedCell extends CellText {
  /** Old index of the cell, whose outputs and metadata it keeps. */
  readonly from?: number | undefined;
}

/** Changes of a notebook's cells or of their sources. All indexes refer to the old cells. */
export interface NotebookChange {
  /** New sources of cells that stay in place, with their outputs and metadata. */
  readonly sources: readonly { readonly index: number; readonly source: string }[];
  /** Replaced cells, in order. */
  readonly splices: readonly { readonly span: Span; readonly cells: readonly PlacedCell[] }[];
}

/**
 * The changes from cells to those of a text that still has their numbers, which identify cells
 * wherever they are.
 */
export function changeByNumbers(
  before: readonly CellText[],
  after: readonly WrittenCell[],
): NotebookChange {
  const used = new Set<number>();
  const placed = after.map(({ number = 0, ...cell }) => {
    const from = number - 1;
    if (before[from] === undefined || used.has(from)) return cell;
    used.add(from);
    return { ...cell, from };
  });
  return changeBetween(before, placed);
}

/**
 * The changes from cells to others that are only known as text, as for undo. Equal cells stay;
 * other new cells replace the old ones with the most words in common.
 */
export function changeByText(
  before: readonly CellText[],
  after: readonly CellText[],
): NotebookChange {
  const isSourceOnly =
    before.length === after.length && after.every((cell, index) => isSameKind(cell, before[index]));
  if (isSourceOnly) {
    return changeBetween(
      before,
      after.map((cell, from) => ({ ...cell, from })),
    );
  }
  const placed: PlacedCell[] = [];
  let next = 0;
  for (const hunk of diffLists(before.map(keyOf), after.map(keyOf))) {
    for (; next < hunk.before.start; next++)
      placed.push({ ...wholeCell(after, placed.length), from: next });
    placed.push(...paired(before, hunk.before, after.slice(hunk.after.start, hunk.after.end)));
    next = hunk.before.end;
  }
  for (; next < before.length; next++)
    placed.push({ ...wholeCell(after, placed.length), from: next });
  return changeBetween(before, placed);
}

/**
 * Changes sources if all cells keep their kinds and order. Otherwise replaces cells, including
 * those with a new source: VS Code's own extension tracks source changes by old index, so doing
 * both at once would mix up the metadata.
 */
function changeBetween(before: readonly CellText[], after: readonly PlacedCell[]): NotebookChange {
  const isKept = ({ from, ...cell }: PlacedCell): boolean =>
    from !== undefined && isSameKind(cell, before[from]);
  const hasSource = ({ from = -1, source }: PlacedCell): boolean => before[from]?.source === source;
  if (hunksTo(before, after, isKept).length > 0) {
    const hunks = hunksTo(before, after, (cell) => isKept(cell) && hasSource(cell));
    const splices = hunks.map((hunk) => ({
      span: hunk.before,
      cells: after.slice(hunk.after.start, hunk.after.end),
    }));
    return { sources: [], splices };
  }
  const changed = after.filter((cell) => !hasSource(cell));
  const sources = changed.map(({ from = -1, source }) => ({ index: from, source }));
  return { sources, splices: [] };
}

/** The spans in which cells are added or removed, if some cells stay where they are. */
function hunksTo(
  before: readonly CellText[],
  after: readonly PlacedCell[],
  stays: (cell: PlacedCell) => boolean,
): readonly Hunk[] {
  return diffLists(
    before.map((_, index) => String(index)),
    after.map((cell, index) => (stays(cell) ? String(cell.from) : `new ${index}`)),
  );
}

/** Maximum number of pairs of cells that are compared. */
const mostPairs = 10_000;

/** Matches each new cell with the old one that has most words in common, preserving the order. */
function paired(
  before: readonly CellText[],
  { start, end }: Span,
  after: readonly CellText[],
): readonly PlacedCell[] {
  if ((end - start) * after.length > mostPairs) return after;
  const wordsOf = ({ source }: CellText): ReadonlySet<string> =>
    new Set(source.slice(0, 10_000).match(/[\p{L}\p{N}_]+/gu));
  const olds = before
    .slice(start, end)
    .map((old, index) => ({ old, from: start + index, oldWords: wordsOf(old) }));
  const candidates = after.flatMap((cell, to) => {
    const words = wordsOf(cell);
    return olds.flatMap(({ old, from, oldWords }) => {
      const common = [...words].filter((word) => oldWords.has(word)).length;
      if (common === 0 || !isSameKind(cell, old)) return [];
      return [{ to, from, likeness: (2 * common) / (words.size + oldWords.size) }];
    });
  });
  const chosen = new Map<number, number>();
  for (const { to, from } of candidates.toSorted((a, b) => b.likeness - a.likeness)) {
    const isInOrder = [...chosen].every(([otherTo, otherFrom]) => {
      return otherTo !== to && otherFrom !== from && otherTo < to === otherFrom < from;
    });
    if (isInOrder) chosen.set(to, from);
  }
  return after.map((cell, to) => ({ ...cell, from: chosen.get(to) }));
}

function isSameKind(cell: CellText, other: CellText | undefined): boolean {
  return (
    other !== undefined &&
    cell.kind === other.kind &&
    cellLanguage(cell.language) === cellLanguage(other.language)
  );
}

function keyOf({ kind, language, source }: CellText): string {
  return JSON.stringify([kind, cellLanguage(language), source]);
}

function wholeCell<T extends CellText>(cells: readonly T[], index: number): T {
  const cell = cells[index];
  if (cell === undefined) throw new RangeError(`There is no cell ${index}.`);
  return cell;
}
