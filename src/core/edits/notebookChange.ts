import { diffLists, type Hunk, type Span } from './lineDiff.ts';
import { cellLanguage, type CellText, type WrittenCell } from './notebookText.ts';

/** A cell of an edited notebook. */
export interface PlacedCell extends CellText {
  /** The index of the cell that it was, whose outputs and metadata it has. */
  readonly from?: number | undefined;
}

/**
 * Changes of the sources of a notebook's cells, or of the cells. All indexes are those before the
 * changes.
 */
export interface NotebookChange {
  /** New sources of cells that stay where they are, with their outputs and metadata. */
  readonly sources: readonly { readonly index: number; readonly source: string }[];
  /** Cells that are replaced by others, in order. */
  readonly splices: readonly { readonly span: Span; readonly cells: readonly PlacedCell[] }[];
}

/**
 * The changes from cells to those of a text that still has their numbers: a cell is identified by
 * its number, wherever it stands.
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
 * The changes from cells to others of which only the text is known, as for undo. Equal cells
 * stay; another new cell replaces the old one with the most words in common.
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

/** The cells after a change, each with the index of the one that it was. */
export function changedCells(
  before: readonly CellText[],
  { sources, splices }: NotebookChange,
): readonly PlacedCell[] {
  const changed: PlacedCell[] = before.map((cell, from) => ({ ...cell, from }));
  for (const { index, source } of sources)
    changed.splice(index, 1, { ...wholeCell(changed, index), source });
  for (const { span, cells } of splices.toReversed())
    changed.splice(span.start, span.end - span.start, ...cells);
  return changed;
}

/**
 * Sources change if all cells keep their kinds and their order. Otherwise cells are replaced, also
 * those with another source: VS Code's own extension follows changes of sources by the index that a
 * cell had before, so both at once would give metadata to other cells.
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

/** Finds for each new cell the old one of the span that it most likely was, in the same order. */
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

/** Similarity of two cells, from 0 for no word in common to 1 for the same words. */
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
