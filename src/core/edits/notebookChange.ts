import { diffLists, type Span } from './lineDiff.ts';
import { cellLanguage, type CellText, type WrittenCell } from './notebookText.ts';

/** A cell of an edited notebook. */
export interface PlacedCell extends CellText {
  /** The index of the cell that it was, whose outputs and metadata it has. */
  readonly from?: number | undefined;
}

/** The changes that make the cells of a notebook others. All indexes are those before them. */
export interface NotebookChange {
  /** New sources of cells that stay where they are, with their outputs and metadata. */
  readonly sources: readonly { readonly index: number; readonly source: string }[];
  /** Cells that are replaced by others, in order. */
  readonly splices: readonly { readonly span: Span; readonly cells: readonly PlacedCell[] }[];
}

/**
 * The changes from cells to those of a text in which their numbers were kept: what has the number of
 * a cell is that cell, wherever it stands.
 */
export function changeByNumbers(
  before: readonly CellText[],
  after: readonly WrittenCell[],
): NotebookChange {
  const taken = new Set<number>();
  const placed = after.map(({ number = 0, ...cell }) => {
    const from = number - 1;
    if (before[from] === undefined || taken.has(from)) return cell;
    taken.add(from);
    return { ...cell, from };
  });
  return changeBetween(before, placed);
}

/**
 * The changes from cells to others of which only the text is known, as for undo. A cell that is the
 * same stays; of others, the one with the most lines in common becomes it.
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
  const kept: PlacedCell[] = before.map((cell, from) => ({ ...cell, from }));
  for (const { index, source } of sources)
    kept.splice(index, 1, { ...wholeCell(kept, index), source });
  for (const { span, cells } of splices.toReversed())
    kept.splice(span.start, span.end - span.start, ...cells);
  return kept;
}

/** Cells that keep their kind and their order stay; all others are replaced. */
function changeBetween(before: readonly CellText[], after: readonly PlacedCell[]): NotebookChange {
  const isKept = ({ from, ...cell }: PlacedCell): boolean =>
    from !== undefined && isSameKind(cell, before[from]);
  const hunks = diffLists(
    before.map((_, index) => String(index)),
    after.map((cell, index) => (isKept(cell) ? String(cell.from) : `new ${index}`)),
  );
  const isReplaced = (index: number): boolean =>
    hunks.some(({ after: { start, end } }) => start <= index && index < end);
  const sources = after.flatMap(({ from, source }, index) =>
    from === undefined || isReplaced(index) || before[from]?.source === source
      ? []
      : [{ index: from, source }],
  );
  const splices = hunks.map((hunk) => ({
    span: hunk.before,
    cells: after.slice(hunk.after.start, hunk.after.end),
  }));
  return { sources, splices };
}

/** Finds for each new cell the old one of the span that it most likely was, in order. */
function paired(
  before: readonly CellText[],
  { start, end }: Span,
  after: readonly CellText[],
): readonly PlacedCell[] {
  let next = start;
  return after.map((cell) => {
    let best: { readonly index: number; readonly common: number } | undefined;
    for (let index = next; index < end; index++) {
      const common = commonLines(cell, before[index]);
      if (common > (best?.common ?? 0)) best = { index, common };
    }
    if (best === undefined) return cell;
    next = best.index + 1;
    return { ...cell, from: best.index };
  });
}

function commonLines(cell: CellText, other: CellText | undefined): number {
  if (other === undefined || !isSameKind(cell, other)) return 0;
  const lines = new Set(other.source.split('\n'));
  return cell.source.split('\n').filter((line) => lines.has(line)).length;
}

function isSameKind(one: CellText, other: CellText | undefined): boolean {
  return (
    other !== undefined &&
    one.kind === other.kind &&
    cellLanguage(one.language) === cellLanguage(other.language)
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
