import { lengthOf, type Hunk } from './hunk.ts';

/** So many differences are looked for before the search takes a coarser way. */
const mostEdits = 400;

/** The fewest differences (Myers 1986); undefined where there are too many. */
export function shortest(
  before: readonly string[],
  after: readonly string[],
  hunk: Hunk,
): readonly Hunk[] | undefined {
  const rows = lengthOf(hunk.before);
  const columns = lengthOf(hunk.after);
  if (rows === 0 && columns === 0) return [];
  if (rows === 0 || columns === 0) return [hunk];
  const most = Math.min(rows + columns, mostEdits);
  const furthest = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    // Diagonals -edits-1 to edits+1 are what a step from here, or the way back to here, may read.
    trace.push(furthest.slice(most - edits, most + edits + 3));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const below = furthest[most + 1 + diagonal + 1] ?? 0;
      const right = (furthest[most + 1 + diagonal - 1] ?? 0) + 1;
      const down = diagonal === -edits || (diagonal !== edits && right <= below);
      let row = down ? below : right;
      let column = row - diagonal;
      while (
        row < rows &&
        column < columns &&
        before[hunk.before.start + row] === after[hunk.after.start + column]
      ) {
        row++;
        column++;
      }
      furthest[most + 1 + diagonal] = row;
      if (row >= rows && column >= columns) return walkBack(trace, rows, columns, hunk);
    }
  }
  return undefined;
}

/** The way that the search found, from its end, as hunks. */
function walkBack(
  trace: readonly Int32Array[],
  rows: number,
  columns: number,
  { before, after }: Hunk,
): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let row = rows;
  let column = columns;
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const reached = trace[edits] ?? new Int32Array();
    const at = (diagonal: number): number => reached[edits + 1 + diagonal] ?? 0;
    const diagonal = row - column;
    const down =
      diagonal === -edits || (diagonal !== edits && at(diagonal - 1) + 1 <= at(diagonal + 1));
    const fromRow = down ? at(diagonal + 1) : at(diagonal - 1);
    const fromColumn = fromRow - (down ? diagonal + 1 : diagonal - 1);
    hunks.push({
      before: { start: before.start + fromRow, end: before.start + fromRow + (down ? 0 : 1) },
      after: { start: after.start + fromColumn, end: after.start + fromColumn + (down ? 1 : 0) },
    });
    row = fromRow;
    column = fromColumn;
  }
  return joined(hunks.reverse());
}

/** Hunks that touch as one. */
function joined(hunks: readonly Hunk[]): readonly Hunk[] {
  const result: Hunk[] = [];
  for (const hunk of hunks) {
    const last = result.at(-1);
    const touches =
      last !== undefined &&
      last.before.end === hunk.before.start &&
      last.after.end === hunk.after.start;
    if (!touches) result.push(hunk);
    else {
      result[result.length - 1] = {
        before: { start: last.before.start, end: hunk.before.end },
        after: { start: last.after.start, end: hunk.after.end },
      };
    }
  }
  return result;
}
