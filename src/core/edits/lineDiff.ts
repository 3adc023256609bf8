/** A part in which two lists differ: from `start` up to, but not including, `end`. */
export interface Hunk {
  readonly before: Span;
  readonly after: Span;
}

/** A range of list indexes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Number of values in a range. */
export function spanLength({ start, end }: Span): number {
  return end - start;
}

/** Splits a text into lines, each with its line end. */
export function splitLinesKeepingEnds(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Counts added and removed lines; a modified line counts as both. */
export function countChangedLines(
  before: string,
  after: string,
): { readonly added: number; readonly removed: number } {
  const hunks = diffLists(splitLinesKeepingEnds(before), splitLinesKeepingEnds(after));
  return {
    added: hunks.reduce((sum, hunk) => sum + spanLength(hunk.after), 0),
    removed: hunks.reduce((sum, hunk) => sum + spanLength(hunk.before), 0),
  };
}

/**
 * The differences between two lists, in order: the minimal ones up to a few hundred differences,
 * otherwise the parts between values that occur once in both lists. Takes linear time.
 */
export function diffLists(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  const whole = {
    before: { start: 0, end: before.length },
    after: { start: 0, end: after.length },
  };
  const rest = trim(before, after, whole);
  const hunks = myersDiff(before, after, rest);
  if (hunks !== undefined) return hunks;
  const gaps = between(uniqueAnchors(before, after, rest), rest);
  return gaps.flatMap((gap) => {
    const part = trim(before, after, gap);
    return myersDiff(before, after, part) ?? [part];
  });
}

/** Removes the common start and end of a hunk. */
function trim(before: readonly string[], after: readonly string[], hunk: Hunk): Hunk {
  let { start, end } = hunk.before;
  let { start: afterStart, end: afterEnd } = hunk.after;
  while (start < end && afterStart < afterEnd && before[start] === after[afterStart]) {
    start++;
    afterStart++;
  }
  while (start < end && afterStart < afterEnd && before[end - 1] === after[afterEnd - 1]) {
    end--;
    afterEnd--;
  }
  return { before: { start, end }, after: { start: afterStart, end: afterEnd } };
}

/** The parts between the anchors. */
function between(pairs: readonly LinePair[], { before, after }: Hunk): readonly Hunk[] {
  let { start } = before;
  let { start: afterStart } = after;
  const gaps: Hunk[] = [];
  for (const [row, column] of [...pairs, [before.end, after.end] as const]) {
    gaps.push({
      before: { start, end: row },
      after: { start: afterStart, end: column },
    });
    start = row + 1;
    afterStart = column + 1;
  }
  return gaps;
}

/** Index of a value in the first list and in the second. */
type LinePair = readonly [row: number, column: number];

/** Values that occur once in both lists, in the longest order that both lists share. */
function uniqueAnchors(
  before: readonly string[],
  after: readonly string[],
  hunk: Hunk,
): LinePair[] {
  const rows = onlyPlaces(before, hunk.before);
  const columns = onlyPlaces(after, hunk.after);
  const pairs: LinePair[] = [];
  for (const [value, row] of rows) {
    const column = columns.get(value);
    if (row >= 0 && column !== undefined && column >= 0) pairs.push([row, column]);
  }
  return longestIncreasing(pairs);
}

/** Index of each value, or -1 if it occurs more than once. */
function onlyPlaces(list: readonly string[], { start, end }: Span): Map<string, number> {
  const places = new Map<string, number>();
  for (let index = start; index < end; index++) {
    const value = list[index] ?? '';
    places.set(value, places.has(value) ? -1 : index);
  }
  return places;
}

/** The longest sequence of pairs with ascending columns; the pairs are sorted by row. */
function longestIncreasing(pairs: readonly LinePair[]): LinePair[] {
  interface Link {
    readonly pair: LinePair;
    readonly earlier: Link | undefined;
  }
  const ends: Link[] = [];
  for (const pair of pairs) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle]?.pair[1] ?? 0) < pair[1]) low = middle + 1;
      else high = middle;
    }
    ends[low] = { pair, earlier: ends[low - 1] };
  }
  const result: LinePair[] = [];
  for (let link = ends.at(-1); link !== undefined; link = link.earlier) result.push(link.pair);
  return result.reverse();
}

/** Number of differences after which the coarser algorithm is used. */
const maxEdits = 400;

/** The minimal differences (Myers 1986); undefined if there are too many. */
function myersDiff(
  before: readonly string[],
  after: readonly string[],
  hunk: Hunk,
): readonly Hunk[] | undefined {
  const rows = spanLength(hunk.before);
  const columns = spanLength(hunk.after);
  if (rows === 0 && columns === 0) return [];
  if (rows === 0 || columns === 0) return [hunk];
  const most = Math.min(rows + columns, maxEdits);
  const furthest = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    // Only diagonals -edits-1 to edits+1 are read by the next step and when walking back.
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

/** Converts the path of the search to hunks, from its end to its start. */
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

/** Merges adjacent hunks. */
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
