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
export function lengthOf({ start, end }: Span): number {
  return end - start;
}
