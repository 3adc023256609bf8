import { spanLength, diffLists } from '../edits/lineDiff.ts';
import { LinePlaces } from './linePlaces.ts';
import { LineSplitter } from './lineSplitter.ts';

/** A line of an edit, without its line ending. */
export interface Row {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Rows that replace `removed` rows from `start` on. */
export interface RowSplice {
  readonly start: number;
  readonly removed: number;
  readonly rows: readonly Row[];
}

/**
 * Converts streaming code to rows: the old lines, with added and removed lines between them. Each
 * line is aligned once, based on the code so far; later old lines stay unchanged until the end.
 */
export class EditStream {
  readonly #before: readonly string[];
  readonly #after: string[] = [];
  readonly #lines = new LineSplitter();
  readonly #places: LinePlaces;
  /** The rows up to the current position of the code; the old lines from `#next` on follow them. */
  #done: Row[] = [];
  #next = 0;
  #rows: readonly Row[] | undefined;

  constructor(before: readonly string[]) {
    this.#before = before;
    this.#places = new LinePlaces(before);
  }

  /** All current rows, computed on demand after a change. */
  get rows(): readonly Row[] {
    this.#rows ??= [...this.#done, ...this.#before.slice(this.#next).map(same)];
    return this.#rows;
  }

  /** The complete lines of the code so far. */
  get after(): readonly string[] {
    return this.#after;
  }

  /**
   * Adds code, in linear time over the whole stream. Returns the changes of `rows`, in order of
   * application.
   */
  push(code: string): readonly RowSplice[] {
    const splices: GrowingSplice[] = [];
    for (const line of this.#lines.push(code)) {
      const splice = this.#read(withoutLineEnd(line));
      if (splice !== undefined) append(splices, splice);
    }
    return splices;
  }

  /**
   * Ends the stream: old lines that were not repeated are removed, and the rows become the shortest
   * diff, with removed before added lines.
   */
  end(): readonly RowSplice[] {
    const last = this.#lines.end();
    if (last !== '') this.#after.push(withoutLineEnd(last));
    const shown = this.rows;
    this.#done = shortestRows(this.#before, this.#after);
    this.#next = this.#before.length;
    this.#rows = undefined;
    return spliceBetween(shown, this.#done);
  }

  /** Aligns one line. Nothing changes if it is the next old line. */
  #read(text: string): GrowingSplice | undefined {
    this.#after.push(text);
    this.#rows = undefined;
    const start = this.#done.length;
    const place = this.#places.find(text, this.#next);
    if (place === undefined) {
      const row = added(text);
      this.#done.push(row);
      return { start, removed: 0, rows: [row] };
    }
    const rows = this.#before.slice(this.#next, place).map(gone);
    for (const row of rows) this.#done.push(row);
    this.#done.push(same(text));
    this.#next = place + 1;
    return rows.length === 0 ? undefined : { start, removed: rows.length, rows };
  }
}

function withoutLineEnd(line: string): string {
  const end = line.endsWith('\n') ? line.length - 1 : line.length;
  return line.slice(0, line[end - 1] === '\r' ? end - 1 : end);
}

function same(text: string): Row {
  return { kind: 'same', text };
}

function gone(text: string): Row {
  return { kind: 'removed', text };
}

function added(text: string): Row {
  return { kind: 'added', text };
}

interface GrowingSplice extends RowSplice {
  readonly rows: Row[];
}

/** Consecutive added lines are merged into one splice. */
function append(splices: GrowingSplice[], splice: GrowingSplice): void {
  const last = splices.at(-1);
  const joins = last?.removed === 0 && splice.removed === 0;
  if (!joins || last.start + last.rows.length !== splice.start) splices.push(splice);
  else for (const row of splice.rows) last.rows.push(row);
}

function shortestRows(before: readonly string[], after: readonly string[]): Row[] {
  const rows: Row[] = [];
  let kept = 0;
  for (const hunk of diffLists(before, after)) {
    for (; kept < hunk.before.start; kept++) rows.push(same(before[kept] ?? ''));
    for (; kept < hunk.before.end; kept++) rows.push(gone(before[kept] ?? ''));
    for (let index = 0; index < spanLength(hunk.after); index++) {
      rows.push(added(after[hunk.after.start + index] ?? ''));
    }
  }
  for (; kept < before.length; kept++) rows.push(same(before[kept] ?? ''));
  return rows;
}

/**
 * The single splice that turns one list of rows into another, without their common start and end.
 */
function spliceBetween(shown: readonly Row[], wanted: readonly Row[]): readonly RowSplice[] {
  const most = Math.min(shown.length, wanted.length);
  let head = 0;
  while (head < most && isSame(shown[head], wanted[head])) head++;
  let tail = 0;
  while (tail < most - head && isSame(shown.at(-1 - tail), wanted.at(-1 - tail))) tail++;
  const removed = shown.length - head - tail;
  const rows = wanted.slice(head, wanted.length - tail);
  return removed === 0 && rows.length === 0 ? [] : [{ start: head, removed, rows }];
}

function isSame(one: Row | undefined, other: Row | undefined): boolean {
  return one?.kind === other?.kind && one?.text === other?.text;
}
