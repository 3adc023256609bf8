import { diffLists } from '../edits/lineDiff.ts';
import type { Row, RowSplice } from './editStream.ts';

/** What a person decides about a change. */
export type EditDecision = 'accept' | 'reject';

/** Some of a list, by index; `end` is behind the last. */
export interface RowSpan {
  readonly start: number;
  readonly end: number;
}

/** Rows that give way to lines. */
export interface LineEdit extends RowSpan {
  readonly lines: readonly string[];
}

/** A step of a change that is shown: some rows become others, in the text by these edits. */
export interface RowStep extends RowSpan {
  readonly rows: readonly Row[];
  /** In order, apart from each other, by the rows before the step. */
  readonly edits: readonly LineEdit[];
}

/**
 * The step that makes the rows that are shown those behind all of `splices`; undefined where there
 * are none. Costs what they touch, and changes no line that is there before and after.
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

/** The step that decides the changes among some rows: what is not kept goes out of the text. */
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

/** The changes that wait for a decision: rows that touch and are not as they were. */
export function hunksOf(rows: readonly Row[]): readonly RowSpan[] {
  return runs(rows, ({ kind }) => kind !== 'same');
}

/** Where values that are meant stand next to each other. */
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

/** The rows of a list of that length that are not behind all of the splices what they were. */
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
