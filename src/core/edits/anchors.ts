import type { Hunk, Span } from './hunk.ts';

/** Where a value stands in the one list and in the other. */
export type Pair = readonly [row: number, column: number];

/** Values that stand once in both, in an order that both share. */
export function anchors(before: readonly string[], after: readonly string[], hunk: Hunk): Pair[] {
  const rows = onlyPlaces(before, hunk.before);
  const columns = onlyPlaces(after, hunk.after);
  const pairs: Pair[] = [];
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
function longestIncreasing(pairs: readonly Pair[]): Pair[] {
  interface Link {
    readonly pair: Pair;
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
  const result: Pair[] = [];
  for (let link = ends.at(-1); link !== undefined; link = link.earlier) result.push(link.pair);
  return result.reverse();
}
