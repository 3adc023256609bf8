/** A part of two lists in which they differ: from `start` up to, and without, `end`. */
export interface Hunk {
  readonly before: Span;
  readonly after: Span;
}

/** A part of a list. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How many values a part has. */
export function spanLength({ start, end }: Span): number {
  return end - start;
}

/** The lines of a text, each with its line end. */
export function splitLinesKeepingEnds(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** How many lines a change adds and takes away; a line that changed counts as both. */
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
 * What differs between two lists, in order: as little as possible where they differ in a few hundred
 * places, else what lies between the values that stand once in both. Takes linear time.
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

/** The hunk without what is the same at its beginning and its end. */
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

/** What lies between the anchors. */
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

/** Where a value stands in the one list and in the other. */
type LinePair = readonly [row: number, column: number];

/** Values that stand once in both, in an order that both share. */
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

/** Where each value stands, and -1 for one that stands twice. */
function onlyPlaces(list: readonly string[], { start, end }: Span): Map<string, number> {
  const places = new Map<string, number>();
  for (let index = start; index < end; index++) {
    const value = list[index] ?? '';
    places.set(value, places.has(value) ? -1 : index);
  }
  return places;
}

/** The most pairs whose columns grow with their rows; the pairs come by their rows. */
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

/** So many differences are looked for before the search takes a coarser way. */
const maxEdits = 400;

/** The fewest differences (Myers 1986); undefined where there are too many. */
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
