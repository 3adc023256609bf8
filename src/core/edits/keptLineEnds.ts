import type { Hunk } from './hunk.ts';
import { diffLists } from './lineDiff.ts';

/** Whether a text has more than one kind of line end. */
export function hasMixedLineEnds(text: string): boolean {
  return new Set(text.match(/\r\n|\r|\n/g)).size > 1;
}

/**
 * The text with the line ends of the original, of whatever kinds: a line that is in both keeps its
 * own, and a new one has that of the line that it replaces, or else of the one before it.
 */
export function withLineEndsOf(original: string, text: string): string {
  const before = cut(original);
  const after = cut(text);
  const [first = '\n'] = before.ends;
  const hunks = diffLists(before.lines, after.lines);
  const origins = [...originalLines(hunks, after.lines.length)];
  const endOf = (index: number): string =>
    before.ends[Math.min(origins[index] ?? 0, before.ends.length - 1)] ?? first;
  let result = '';
  for (const [index, line] of after.lines.entries()) {
    const end = index < after.ends.length ? endOf(index) : '';
    // Behind a `\r` with nothing between, a `\n` would make one line end of two.
    const wouldJoin = end === '\n' && line === '' && result.endsWith('\r');
    result += line + (wouldJoin ? '\r\n' : end);
  }
  return result;
}

/** Lines and the ends between them: one end less than lines. */
function cut(text: string): {
  readonly lines: readonly string[];
  readonly ends: readonly string[];
} {
  const parts = text.split(/(\r\n|\r|\n)/);
  return {
    lines: parts.filter((_, index) => index % 2 === 0),
    ends: parts.filter((_, index) => index % 2 === 1),
  };
}

/** For each of so many new lines, the old one whose end it has; -1 before the first. */
function* originalLines(hunks: readonly Hunk[], count: number): Generator<number, void> {
  let index = 0;
  let offset = 0;
  for (const { before, after } of hunks) {
    for (; index < after.start; index++) yield index + offset;
    for (; index < after.end; index++)
      yield Math.min(before.start + index - after.start, before.end - 1);
    offset = before.end - after.end;
  }
  for (; index < count; index++) yield index + offset;
}
