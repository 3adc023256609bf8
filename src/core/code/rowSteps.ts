import { diffLists } from '../edits/lineDiff.ts';
import type { Row, RowSplice } from './editStream.ts';

/** The person's decision about a change. */
export type EditDecision = 'accept' | 'reject';

/** A range of a list; `end` is exclusive. */
export interface RowSpan {
  readonly start: number;
  readonly end: number;
}

/** Rows that are replaced by lines. */
export interface LineEdit extends RowSpan {
  readonly lines: readonly string[];
}

/** A step of a displayed change: replaces some rows, and applies the edits to the text. */
export interface RowStep extends RowSpan {
  readonly rows: readonly Row[];
  /** In order, not adjacent, with indexes of the rows before the step. */
  readonly edits: readonly LineEdit[];
}

/**
 * The step that applies all `splices` to the displayed rows; undefined if there are none. Its cost
 * depends only on the rows that are touched, and it edits no line that is unchanged.
 */
export function streamStep(
  shown: readonly Row[],
  splices: readonly RowSplice[],
): RowStep | undefined {
  if (splices.length === 0) return undefined;
  const touched = touchedBy(splices, shown.length);
  const before = shown.slice(touched.start, touched.end);
  let rows: readonly Row[] = before;
  for (const { start, removed, rows: added } of splices) {
    const from = start - touched.start;
    rows = rows.slice(0, from).concat(added, rows.slice(from + removed));
  }
  return { ...touched, rows, edits: lineEdits(before, rows, touched.start) };
}

/**
 * The step that accepts or rejects the changes among some rows: the rejected lines are removed from
 * the text.
 */
export function decisionStep(
  rows: readonly Row[],
  side: EditDecision,
  { start, end }: RowSpan,
): RowStep {
  const unwanted = side === 'accept' ? 'removed' : 'added';
  const touched = rows.slice(start, end);
  const kept = touched.filter(({ kind }) => kind !== unwanted);
  return {
    start,
    end,
    rows: kept.map(({ text }) => ({ kind: 'same', text })),
    edits: runs(touched, ({ kind }) => kind === unwanted).map((run) => ({
      start: start + run.start,
      end: start + run.end,
      lines: [],
    })),
  };
}

/** The pending changes: consecutive rows that were added or removed. */
export function hunksOf(rows: readonly Row[]): readonly RowSpan[] {
  return runs(rows, ({ kind }) => kind !== 'same');
}

/** The ranges of consecutive values that satisfy the predicate. */
export function runs<T>(values: readonly T[], isMeant: (value: T) => boolean): readonly RowSpan[] {
  const found: RowSpan[] = [];
  let start: number | undefined;
  for (const [index, value] of values.entries()) {
    if (isMeant(value)) start ??= index;
    else if (start !== undefined) {
      found.push({ start, end: index });
      start = undefined;
    }
  }
  if (start !== undefined) found.push({ start, end: values.length });
  return found;
}

/** The range of rows that is affected by any of the splices, in a list of the given length. */
function touchedBy(splices: readonly RowSplice[], length: number): RowSpan {
  let now = length;
  let head = length;
  let tail = length;
  for (const { start, removed, rows } of splices) {
    head = Math.min(head, start);
    tail = Math.min(tail, now - start - removed);
    now += rows.length - removed;
  }
  return { start: head, end: length - tail };
}

function lineEdits(
  before: readonly Row[],
  after: readonly Row[],
  first: number,
): readonly LineEdit[] {
  const texts = after.map(({ text }) => text);
  const hunks = diffLists(
    before.map(({ text }) => text),
    texts,
  );
  return hunks.map((hunk) => ({
    start: first + hunk.before.start,
    end: first + hunk.before.end,
    lines: texts.slice(hunk.after.start, hunk.after.end),
  }));
}
