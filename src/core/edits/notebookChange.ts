import { diffLists, type Hunk, type Span } from './lineDiff.ts';
import { cellLanguage, type CellText, type WrittenCell } from './notebookText.ts';

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

/** Matches each new cell with the most likely old one, preserving the order. */
function paired(
  before: readonly CellText[],
  { start, end }: Span,
  after: readonly CellText[],
): readonly PlacedCell[] {
  if ((end - start) * after.length > mostPairs) return after;
  const candidates = after.flatMap((cell, to) =>
    before.slice(start, end).map((old, index) => {
      return { to, from: start + index, likeness: likenessOf(cell, old) };
    }),
  );
  const chosen = new Map<number, number>();
  for (const { to, from, likeness } of candidates.toSorted((a, b) => b.likeness - a.likeness)) {
    const isInOrder = [...chosen].every(([otherTo, otherFrom]) => {
      return otherTo !== to && otherFrom !== from && otherTo < to === otherFrom < from;
    });
    if (likeness > 0 && isInOrder) chosen.set(to, from);
  }
  return after.map((cell, to) => ({ ...cell, from: chosen.get(to) }));
}

/** Similarity of two cells, from 0 (no word in common) to 1 (the same words). */
function likenessOf(cell: CellText, other: CellText): number {
  if (!isSameKind(cell, other)) return 0;
  const words = new Set(wordsOf(cell));
  const otherWords = new Set(wordsOf(other));
  const common = [...words].filter((word) => otherWords.has(word)).length;
  return (2 * common) / Math.max(1, words.size + otherWords.size);
}

function wordsOf({ source }: CellText): readonly string[] {
  return source.slice(0, 10_000).match(/[\p{L}\p{N}_]+/gu) ?? [];
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
