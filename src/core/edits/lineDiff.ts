import { anchors, type Pair } from './anchors.ts';
import { lengthOf, type Hunk } from './hunk.ts';
import { shortest } from './shortestDiff.ts';

/** The lines of a text, each with its line end. */
export function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** How many lines a change adds and takes away; a line that changed counts as both. */
export function countChangedLines(
  before: string,
  after: string,
): { readonly added: number; readonly removed: number } {
  const hunks = diffLists(splitLines(before), splitLines(after));
  return {
    added: hunks.reduce((sum, hunk) => sum + lengthOf(hunk.after), 0),
    removed: hunks.reduce((sum, hunk) => sum + lengthOf(hunk.before), 0),
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
  const hunks = shortest(before, after, rest);
  if (hunks !== undefined) return hunks;
  const gaps = between(anchors(before, after, rest), rest);
  return gaps.flatMap((gap) => {
    const part = trim(before, after, gap);
    return shortest(before, after, part) ?? [part];
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
function between(pairs: readonly Pair[], { before, after }: Hunk): readonly Hunk[] {
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
