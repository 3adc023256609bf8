import { diffArrays } from 'diff';
import { mostChangedLines, type ChangedLine, type ChangedLines } from '../support/changedLines.ts';
import { maskDiff } from '../support/secretTokens.ts';
import { truncateText } from '../support/text.ts';

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

/** Maximum number of characters of a line that is shown. */
const longestLine = 300;

/** The lines that a change removes and adds, in the order of a diff. */
export function changedLines(before: string, after: string, most = mostChangedLines): ChangedLines {
  const lineEnd = /\r\n|[\r\n]/;
  const removed = before.split(lineEnd);
  const added = after.split(lineEnd);
  const all = diffLists(removed, added).flatMap((hunk): readonly ChangedLine[] => [
    ...linesOf('-', removed, hunk.before),
    ...linesOf('+', added, hunk.after),
  ]);
  return { lines: all.slice(0, most), more: Math.max(0, all.length - most) };
}

/** Several files with the lines of each, in all at most {@link mostChangedLines}. */
export function changedLinesOf<T extends { readonly before: string; readonly after: string }>(
  files: readonly T[],
): readonly (readonly [file: T, change: ChangedLines])[] {
  let left = mostChangedLines;
  return files.map((file) => {
    const change = changedLines(file.before, file.after, left);
    left -= change.lines.length;
    return [file, change];
  });
}

function linesOf(
  sign: ChangedLine['sign'],
  lines: readonly string[],
  { start, end }: { readonly start: number; readonly end: number },
): readonly ChangedLine[] {
  return lines.slice(start, end).map((line, index) => {
    const text = line.length > longestLine ? `${truncateText(line, longestLine)}…` : line;
    return { sign, number: start + index + 1, text };
  });
}

/** A change as the output of its call, with masks in place of secrets: it is stored with the chat. */
export function outputOfChange({ lines, more }: ChangedLines): string {
  const masked = maskDiff(lines.map(({ sign, text }) => sign + text).join('\n')).split('\n');
  const written = lines.map(
    ({ sign, number }, index) => `${sign}${number}\t${(masked[index] ?? '').slice(1)}\n`,
  );
  return written.join('') + (more > 0 ? `…${more}\n` : '');
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
  const differences: Hunk[] = [];
  let { start } = middle.before;
  let { start: afterStart } = middle.after;
  const ends: LinePair = [middle.before.end, middle.after.end];
  for (const [row, column] of [...uniqueAnchors(before, after, middle), ends]) {
    const gap = { before: { start, end: row }, after: { start: afterStart, end: column } };
    const part = trim(before, after, gap);
    differences.push(...(shortestDiff(before, after, part) ?? [part]));
    start = row + 1;
    afterStart = column + 1;
  }
  return differences;
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
  if (changes === undefined) return undefined;
  // Changes that touch become one hunk.
  const hunks: Hunk[] = [];
  let old = emptySpan(hunk.before.start);
  let now = emptySpan(hunk.after.start);
  for (const { count, added: isAdded, removed: isRemoved } of changes) {
    if (isRemoved) old.end += count;
    else if (isAdded) now.end += count;
    else {
      hunks.push({ before: old, after: now });
      old = emptySpan(old.end + count);
      now = emptySpan(now.end + count);
    }
  }
  return [...hunks, { before: old, after: now }].filter(isChange);
}

function emptySpan(start: number): { readonly start: number; end: number } {
  return { start, end: start };
}

function isChange({ before, after }: Hunk): boolean {
  return spanLength(before) > 0 || spanLength(after) > 0;
}

/** Number of unchanged lines around a change in a unified diff. */
const context = 2;

/** A unified diff of two texts, without file names; empty if they are equal. */
export function unifiedDiff(before: string, after: string): string {
  const old = splitLinesKeepingEnds(before);
  const now = splitLinesKeepingEnds(after);
  // Hunks whose unchanged lines around them touch are described together.
  const groups: [Hunk, ...Hunk[]][] = [];
  for (const hunk of diffLists(old, now)) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const isNear = last !== undefined && hunk.before.start - last.before.end <= 2 * context;
    if (isNear) group?.push(hunk);
    else groups.push([hunk]);
  }
  const range = (start: number, end: number): string =>
    `${end === start ? start : start + 1},${end - start}`;
  let diff = '';
  for (const hunks of groups) {
    const [first] = hunks;
    const last = hunks.at(-1) ?? first;
    const start = Math.max(0, first.before.start - context);
    const end = Math.min(old.length, last.before.end + context);
    const nowStart = first.after.start - (first.before.start - start);
    const nowEnd = last.after.end + (end - last.before.end);
    const lines: string[] = [];
    let line = start;
    for (const { before: removed, after: added } of hunks) {
      lines.push(...old.slice(line, removed.start).map((text) => ` ${text}`));
      lines.push(...old.slice(removed.start, removed.end).map((text) => `-${text}`));
      lines.push(...now.slice(added.start, added.end).map((text) => `+${text}`));
      line = removed.end;
    }
    lines.push(...old.slice(line, end).map((text) => ` ${text}`));
    diff += `@@ -${range(start, end)} +${range(nowStart, nowEnd)} @@\n`;
    for (const text of lines) {
      diff += text.endsWith('\n') ? text : `${text}\n\\ No newline at end of file\n`;
    }
  }
  return diff;
}

/** A range of a text, by offsets, and its replacement. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The minimal replacements, in order, that turn one text into the other. Cursors outside of them
 * don't move.
 */
export function splicesBetween(before: string, after: string): readonly Splice[] {
  const oldLines = splitLinesKeepingEnds(before);
  const newLines = splitLinesKeepingEnds(after);
  const splices: Splice[] = [];
  let line = 0;
  let offset = 0;
  for (const hunk of diffLists(oldLines, newLines)) {
    for (; line < hunk.before.start; line++) offset += oldLines[line]?.length ?? 0;
    const removed = oldLines.slice(hunk.before.start, hunk.before.end).join('');
    const added = newLines.slice(hunk.after.start, hunk.after.end).join('');
    const { head, tail } = commonPrefixAndSuffix(removed, added);
    splices.push({
      start: offset + head,
      end: offset + removed.length - tail,
      text: added.slice(head, added.length - tail),
    });
  }
  return splices;
}

/**
 * Applies splices to a text.
 *
 * @throws RangeError if two of them overlap
 */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const pieces: string[] = [];
  let copied = 0;
  const ordered = splices.toSorted(
    (splice, other) => splice.start - other.start || splice.end - other.end,
  );
  for (const { start, end, text: inserted } of ordered) {
    if (start < copied) throw new RangeError('Two changes overlap.');
    pieces.push(text.slice(copied, start), inserted);
    copied = end;
  }
  return pieces.join('') + text.slice(copied);
}

/** Lengths of the common prefix and, after it, of the common suffix of two texts. */
export function commonPrefixAndSuffix(text: string, other: string): { head: number; tail: number } {
  const most = Math.min(text.length, other.length);
  let head = 0;
  while (head < most && text[head] === other[head]) head++;
  if (isSplit(text, head) || isSplit(other, head)) head--;
  let tail = 0;
  while (tail < most - head && text.at(-1 - tail) === other.at(-1 - tail)) tail++;
  if (isSplit(text, text.length - tail) || isSplit(other, other.length - tail)) tail--;
  return { head, tail };
}

/** True if an offset splits a surrogate pair or a line ending. */
function isSplit(text: string, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return false;
  if (text[offset - 1] === '\r' && text[offset] === '\n') return true;
  return (
    /[\ud800-\udbff]/.test(text[offset - 1] ?? '') && /[\udc00-\udfff]/.test(text[offset] ?? '')
  );
}
