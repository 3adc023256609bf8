import { diffLists, splitLinesKeepingEnds } from './lineDiff.ts';

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
    splices.push(trimSplice(offset, removed, added));
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

function trimSplice(offset: number, removed: string, added: string): Splice {
  const { head, tail } = commonPrefixAndSuffix(removed, added);
  return {
    start: offset + head,
    end: offset + removed.length - tail,
    text: added.slice(head, added.length - tail),
  };
}
