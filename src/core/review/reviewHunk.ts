import { diffLists, type Splice } from '../edits/lineDiff.ts';

/** Lines of a file, and the lines that would replace them; all without their ends. */
export interface ReviewHunk {
  /** Number in the change, which doesn't change. */
  readonly id: number;
  /** The line of the file, counted from 0, at which it begins. */
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** True if its lines were changed, so that it can no longer be applied. */
  readonly isStale: boolean;
}

/** A text replacement as VS Code reports it; lines and characters are counted from 0. */
export interface TextChange {
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly endCharacter: number;
  readonly text: string;
}

/**
 * The differences between lines of a file and their replacement, as hunks.
 * @param first the line of the file at which `before` begins
 */
export function hunksBetween(
  before: readonly string[],
  after: readonly string[],
  first: number,
): readonly ReviewHunk[] {
  return diffLists(before, after).map((hunk, id) => ({
    id,
    line: first + hunk.before.start,
    before: before.slice(hunk.before.start, hunk.before.end),
    after: after.slice(hunk.after.start, hunk.after.end),
    isStale: false,
  }));
}

/**
 * Moves hunks with changes of their file; where a change touches the lines of one, it becomes stale.
 * Linear if the changes go upwards, as VS Code reports those of one edit.
 *
 * @param changes each in the text after the ones before it
 */
export function followChanges(
  hunks: readonly ReviewHunk[],
  changes: readonly TextChange[],
): readonly ReviewHunk[] {
  const runs: TextChange[][] = [];
  for (const change of changes) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run !== undefined && last !== undefined && isBefore(change, last)) run.push(change);
    else runs.push([change]);
  }
  return runs.reduce((moved, run) => followUpwards(moved, run.toReversed()), hunks);
}

/** True if a change is above another one, or in the same line before one that adds no line. */
function isBefore({ endLine, endCharacter }: TextChange, other: TextChange): boolean {
  if (endLine !== other.startLine) return endLine < other.startLine;
  const isInLine = other.endLine === other.startLine && !other.text.includes('\n');
  return isInLine && endCharacter <= other.startCharacter;
}

/** @param ordered changes from the top, all in the text before them */
function followUpwards(
  hunks: readonly ReviewHunk[],
  ordered: readonly TextChange[],
): readonly ReviewHunk[] {
  const followed = new Map<ReviewHunk, ReviewHunk>();
  let above = 0;
  let shift = 0;
  for (const hunk of hunks.toSorted((first, second) => first.line - second.line)) {
    const { line, before } = hunk;
    for (let change = ordered[above]; change && isAbove(change, line); change = ordered[++above])
      shift += change.text.split('\n').length - 1 - (change.endLine - change.startLine);
    const next = ordered[above];
    const isTouched = next !== undefined && next.startLine < line + before.length;
    if (shift === 0 && !isTouched) continue;
    followed.set(hunk, { ...hunk, line: line + shift, isStale: hunk.isStale || isTouched });
  }
  return hunks.map((hunk) => followed.get(hunk) ?? hunk);
}

function isAbove(change: TextChange, line: number): boolean {
  const { endLine, endCharacter } = change;
  if (endLine !== line) return endLine < line;
  return endCharacter === 0 && !joinsNextLine(change);
}

/** True if a change that ends at the start of a line puts something in front of it. */
function joinsNextLine({ startCharacter, text }: TextChange): boolean {
  return text === '' ? startCharacter > 0 : !text.endsWith('\n');
}

/** Marks a hunk as stale whose lines are no longer those of the file. */
export function checkHunk(hunk: ReviewHunk, lines: readonly string[]): ReviewHunk {
  const { line, before, isStale } = hunk;
  const isThere = before.every((text, index) => lines[line + index] === text);
  return isStale || (isThere && line <= lines.length) ? hunk : { ...hunk, isStale: true };
}

/** Lines of a text, without their ends. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/);
}

/** The line end of a text; `otherwise` if it has only one line. */
export function lineEndOf(text: string, otherwise = '\n'): string {
  if (text.includes('\r\n')) return '\r\n';
  return text.includes('\n') ? '\n' : otherwise;
}

/**
 * The replacements that carry out hunks in a text, in order, with its line ends. A last line
 * without an end stays without one.
 * @param lineEnd used where the text has only one line
 */
export function splicesOf(
  text: string,
  hunks: readonly ReviewHunk[],
  lineEnd = '\n',
): readonly Splice[] {
  const newLine = lineEndOf(text, lineEnd);
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1))
    starts.push(end + 1);
  return joinTouching(hunks).map(({ line, before, after }) => {
    const behind = starts[line + before.length];
    const start = starts[line] ?? text.length;
    if (behind !== undefined) {
      return { start, end: behind, text: after.map((content) => content + newLine).join('') };
    }
    const added = after.join(newLine);
    // These are the last lines, so the line end before them is added or removed with them.
    const isNew = before.length === 0;
    const isGone = after.length === 0 && line > 0;
    if (isNew) return { start, end: text.length, text: newLine + added };
    return { start: isGone ? endBefore(text, start) : start, end: text.length, text: added };
  });
}

function endBefore(text: string, offset: number): number {
  return text[offset - 2] === '\r' ? offset - 2 : offset - 1;
}

/** Hunks in order; those between which nothing is left become one. */
function joinTouching(
  hunks: readonly ReviewHunk[],
): readonly Pick<ReviewHunk, 'line' | 'before' | 'after'>[] {
  const groups: { readonly line: number; readonly hunks: ReviewHunk[]; end: number }[] = [];
  for (const hunk of hunks.toSorted((first, second) => first.line - second.line)) {
    const { line, before } = hunk;
    const last = groups.at(-1);
    const end = line + before.length;
    if (last === undefined || last.end !== line) groups.push({ line, hunks: [hunk], end });
    else {
      last.hunks.push(hunk);
      last.end = end;
    }
  }
  return groups.map(({ line, hunks: touching }) => ({
    line,
    before: touching.flatMap(({ before }) => before),
    after: touching.flatMap(({ after }) => after),
  }));
}
