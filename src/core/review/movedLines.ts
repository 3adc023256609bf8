import type { TextChange } from './reviewHunk.ts';

/** Whole lines of a text, counted from 0, including the last one. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Moves lines with a change of their text. A change within them changes their number; undefined if
 * a change extends beyond them, so that they must be found again.
 */
export function followLines(
  { first, last }: LineRange,
  { startLine, startCharacter, endLine, endCharacter, text }: TextChange,
): LineRange | undefined {
  if (startLine > last) return { first, last };
  const added = text.split('\n').length - 1 - (endLine - startLine);
  const isAbove = endLine < first || (endLine === first && endCharacter === 0 && startLine < first);
  // A line break typed at the start of a line moves that line down.
  const isBefore = startLine === first && startCharacter === 0 && endLine === first;
  if (isAbove || (isBefore && endCharacter === 0 && text.endsWith('\n'))) {
    return { first: first + added, last: last + added };
  }
  const isInside = startLine >= first && endLine <= last;
  return isInside ? { first, last: last + added } : undefined;
}

/**
 * Finds lines in a text that may have changed since they were read: the nearest equal lines,
 * otherwise the expected position, within the text.
 */
export function findAnchor(
  text: readonly string[],
  lines: readonly string[],
  expected: number,
): LineRange {
  const most = text.length - 1;
  const center = Math.max(0, Math.min(expected, most));
  const hasAll = (at: number): boolean => lines.every((line, index) => text[at + index] === line);
  const length = Math.max(0, lines.length - 1);
  for (let distance = 0; distance <= most; distance++) {
    const start = [center - distance, center + distance].find(
      (at) => at >= 0 && at <= most && hasAll(at),
    );
    if (start !== undefined) return { first: start, last: start + length };
  }
  return { first: center, last: Math.max(center, Math.min(center + length, most)) };
}
