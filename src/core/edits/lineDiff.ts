import { diffArrays, type ChangeObject } from 'diff';

/** A difference of two lists; `end` is exclusive. */
export interface Hunk {
  readonly before: Span;
  readonly after: Span;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

function spanLength({ start, end }: Span): number {
  return end - start;
}

/** The lines of a text, each with its line end. */
export function splitLinesKeepingEnds(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The numbers of added and removed lines; a changed line counts as both. */
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
 * The differences between two lists, in order: the minimum if there are at most a few hundred,
 * otherwise the gaps between values that are unique in both. Linear time.
 */
export function diffLists(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  const whole = {
    before: { start: 0, end: before.length },
    after: { start: 0, end: after.length },
  };
  const middle = trim(before, after, whole);
  const hunks = shortestDiff(before, after, middle);
  if (hunks !== undefined) return hunks;
  const gaps = between(uniqueAnchors(before, after, middle), middle);
  return gaps.flatMap((gap) => {
    const part = trim(before, after, gap);
    return shortestDiff(before, after, part) ?? [part];
  });
}

/** The hunk without its common prefix and suffix. */
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

/** The index of a value in each list. */
type LinePair = readonly [row: number, column: number];

/** Values that are unique in both lists, in an order that both share. */
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

/** The index of each value; -1 for one that occurs twice. */
function onlyPlaces(list: readonly string[], { start, end }: Span): Map<string, number> {
  const places = new Map<string, number>();
  for (let index = start; index < end; index++) {
    const value = list[index] ?? '';
    places.set(value, places.has(value) ? -1 : index);
  }
  return places;
}

/** The longest sequence of pairs with increasing columns. The pairs are sorted by row. */
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

/** Maximum number of added and removed lines of an exact diff, whose time is quadratic in it. */
const maxEdits = 400;

/** The minimal differences between a part of each list; undefined if there are too many. */
function shortestDiff(
  before: readonly string[],
  after: readonly string[],
  hunk: Hunk,
): readonly Hunk[] | undefined {
  const removed = before.slice(hunk.before.start, hunk.before.end);
  const added = after.slice(hunk.after.start, hunk.after.end);
  if (removed.length === 0 || added.length === 0) return [hunk].filter(isChange);
  const changes = diffArrays(removed, added, { maxEditLength: maxEdits });
  return changes === undefined ? undefined : hunksOf(changes, hunk);
}

/** Changes that touch become one hunk. */
function hunksOf(changes: readonly ChangeObject<string[]>[], whole: Hunk): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let before = emptySpan(whole.before.start);
  let after = emptySpan(whole.after.start);
  for (const { count, added, removed } of changes) {
    if (removed) before.end += count;
    else if (added) after.end += count;
    else {
      hunks.push({ before, after });
      before = emptySpan(before.end + count);
      after = emptySpan(after.end + count);
    }
  }
  return [...hunks, { before, after }].filter(isChange);
}

function emptySpan(start: number): { readonly start: number; end: number } {
  return { start, end: start };
}

function isChange({ before, after }: Hunk): boolean {
  return spanLength(before) > 0 || spanLength(after) > 0;
}
