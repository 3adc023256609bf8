import { diffLists, type Hunk } from './lineDiff.ts';
import type { Splice } from './splices.ts';
import { shiftIndent, lineStart, indentOf, isBlank, type IndentPair } from './whitespace.ts';

/** A text that occurs once in a file, and its replacement. */
export interface SearchReplace {
  readonly search: string;
  readonly replace: string;
}

/**
 * Adapts the replacement to a match whose white space differs from the search text: lines that the
 * edit does not change keep the file's white space, and new lines are indented like their
 * neighbors.
 */
export function fitReplacement(
  text: string,
  match: { readonly start: number; readonly end: number },
  edit: SearchReplace,
): Splice {
  const first = lineStart(text, match.start);
  const isWholeLine = isBlank(text.slice(first, match.start));
  const start = isWholeLine ? first : match.start;
  if (edit.replace === '') return removal(text, start, match);
  const end = endOfLine(text, match.end);
  const real = text.slice(start, end).split('\n');
  const { search, replace } = isWholeLine ? edit : withoutIndent(edit);
  const written = { searched: search.split('\n'), replaced: replace.split('\n') };
  const isExact = text.startsWith(edit.search, match.start);
  const fitted = fitLines(real, written, changesOf(written, isExact), isWholeLine);
  return { start, end, text: fitted.join('\n') };
}

interface WrittenLines {
  readonly searched: readonly string[];
  readonly replaced: readonly string[];
}

/** Differences at line ends count only if the search text matched exactly. */
function changesOf({ searched, replaced }: WrittenLines, isExact: boolean): readonly Hunk[] {
  if (isExact) return diffLists(searched, replaced);
  return diffLists(searched.map(trimEnd), replaced.map(trimEnd));
}

/** The end of the line if only white space precedes it, otherwise the offset itself. */
function endOfLine(text: string, offset: number): number {
  if (text[offset - 1] === '\n') return offset;
  const lineEnd = text.indexOf('\n', offset);
  const end = lineEnd === -1 ? text.length : lineEnd;
  return isBlank(text.slice(offset, end)) ? end : offset;
}

/** Removes a match, including the line end if it fills its lines. */
function removal(
  text: string,
  first: number,
  { start, end }: { readonly start: number; readonly end: number },
): Splice {
  if (text[end - 1] === '\n') return { start: first, end, text: '' };
  const lineEnd = endOfLine(text, end);
  const fillsLine = lineEnd === text.length || text[lineEnd] === '\n';
  const isLineStart = first === 0 || text[first - 1] === '\n';
  if (!fillsLine || !isLineStart) return { start, end, text: '' };
  return { start: first, end: Math.min(lineEnd + 1, text.length), text: '' };
}

/** A match within a line starts after the line's indentation. */
function withoutIndent({ search, replace }: SearchReplace): SearchReplace {
  const space = /^[^\S\n]+/;
  if (!space.test(search)) return { search, replace };
  return { search: search.replace(space, ''), replace: replace.replace(space, '') };
}

function fitLines(
  real: readonly string[],
  { searched, replaced }: WrittenLines,
  hunks: readonly Hunk[],
  isWholeLine: boolean,
): readonly string[] {
  const pairs = pairsOf(real, searched, isWholeLine ? 0 : 1);
  // Models often omit the indentation of the first line only.
  const [first] = pairs;
  const others = pairs.slice(1);
  const fit = (line: string, index: number): string => {
    if (isBlank(line)) return '';
    const indent = indentOf(line);
    if (index === 0 && !isWholeLine) return line;
    const near = index === 0 && first !== undefined ? [first] : others.length > 0 ? others : pairs;
    return shiftIndent(indent, near, pairs) + line.slice(indent.length);
  };
  const result: string[] = [];
  let copied = 0;
  for (const { before, after } of hunks) {
    result.push(...real.slice(copied, before.start));
    for (let index = after.start; index < after.end; index++) {
      result.push(fit(replaced[index] ?? '', index));
    }
    copied = before.end;
  }
  return [...result, ...real.slice(copied)];
}

/** The indentation of lines that occur in both the search text and the file. */
function pairsOf(
  real: readonly string[],
  searched: readonly string[],
  from: number,
): readonly IndentPair[] {
  return searched.flatMap((line, index) =>
    index < from || isBlank(line)
      ? []
      : [{ written: indentOf(line), real: indentOf(real[index] ?? '') }],
  );
}

function trimEnd(line: string): string {
  return line.trimEnd();
}

/**
 * Adapts the replacement to an exact match. A model that searches for a line without its
 * indentation may also write the block around it without one: such a block, which ends with a
 * bracket at the margin, is indented like the line.
 */
export function indentBlock(
  text: string,
  start: number,
  { search, replace }: SearchReplace,
): string {
  const indent = text.slice(lineStart(text, start), start);
  if (indent === '' || !isBlank(indent) || search.includes('\n')) return replace;
  const lines = replace.split('\n');
  if (!isBlock(lines)) return replace;
  return lines
    .map((line, index) => (index === 0 || isBlank(line) ? line : indent + line))
    .join('\n');
}

/**
 * True if the lines start and end at the margin, and their brackets are balanced only at the end.
 */
function isBlock(lines: readonly string[]): boolean {
  const [first = '', ...following] = lines;
  const last = following.findLast((line) => !isBlank(line)) ?? '';
  if (indentOf(first) !== '' || !/^[)\]}]/.test(last)) return false;
  let openBrackets = 0;
  for (const [index, line] of lines.entries()) {
    for (const bracket of line.match(/[()[\]{}]/g) ?? []) {
      openBrackets += '([{'.includes(bracket) ? 1 : -1;
    }
    // Another construct starts at the margin between the first and the last line.
    if (openBrackets === 0 && index < lines.length - 1 && !isBlank(lines[index + 1] ?? ''))
      return false;
  }
  return openBrackets === 0;
}
