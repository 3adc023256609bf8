import { diffLists, type Hunk } from './lineDiff.ts';
import type { Splice } from './splices.ts';
import { shiftIndent, lineStart, indentOf, isBlank, type IndentPair } from './whitespace.ts';

/** A text that stands once in a file, and what comes in its place. */
export interface SearchReplace {
  readonly search: string;
  readonly replace: string;
}

/**
 * The replacement for a place whose white space is not quite what was searched for: lines that the
 * edit leaves as they are stay as they are in the file, and new ones are indented as their neighbours.
 */
export function fitReplacement(
  text: string,
  place: { readonly start: number; readonly end: number },
  edit: SearchReplace,
): Splice {
  const first = lineStart(text, place.start);
  const isWholeLine = isBlank(text.slice(first, place.start));
  const start = isWholeLine ? first : place.start;
  if (edit.replace === '') return removed(text, start, place);
  const end = endOfLine(text, place.end);
  const real = text.slice(start, end).split('\n');
  const { search, replace } = isWholeLine ? edit : withoutIndent(edit);
  const written = { searched: search.split('\n'), replaced: replace.split('\n') };
  const isExact = text.startsWith(edit.search, place.start);
  const fitted = fitLines(real, written, changesOf(written, isExact), isWholeLine);
  return { start, end, text: fitted.join('\n') };
}

/** The lines of an edit. */
interface WrittenLines {
  readonly searched: readonly string[];
  readonly replaced: readonly string[];
}

/** Only who wrote the ends of lines as they are in the file may want others. */
function changesOf({ searched, replaced }: WrittenLines, isExact: boolean): readonly Hunk[] {
  if (isExact) return diffLists(searched, replaced);
  return diffLists(searched.map(trimmedEnd), replaced.map(trimmedEnd));
}

/** The end of the line, where nothing but white space comes before it, else the offset itself. */
function endOfLine(text: string, offset: number): number {
  if (text[offset - 1] === '\n') return offset;
  const lineEnd = text.indexOf('\n', offset);
  const end = lineEnd === -1 ? text.length : lineEnd;
  return isBlank(text.slice(offset, end)) ? end : offset;
}

/** Takes a place out: where it fills its lines, without leaving an empty one. */
function removed(
  text: string,
  first: number,
  { start, end }: { readonly start: number; readonly end: number },
): Splice {
  if (text[end - 1] === '\n') return { start: first, end, text: '' };
  const lineEnd = endOfLine(text, end);
  const fillsLine = lineEnd === text.length || text[lineEnd] === '\n';
  if (!fillsLine || !isLineStart(text, first)) return { start, end, text: '' };
  return { start: first, end: Math.min(lineEnd + 1, text.length), text: '' };
}

function isLineStart(text: string, offset: number): boolean {
  return offset === 0 || text[offset - 1] === '\n';
}

/** A place inside a line begins behind whatever space is before it. */
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
  // A model often leaves out the indentation of the first line, and of no other.
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
  let kept = 0;
  for (const { before, after } of hunks) {
    result.push(...real.slice(kept, before.start));
    for (let index = after.start; index < after.end; index++) {
      result.push(fit(replaced[index] ?? '', index));
    }
    kept = before.end;
  }
  return [...result, ...real.slice(kept)];
}

/** How the lines that both have are indented. */
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

function trimmedEnd(line: string): string {
  return line.trimEnd();
}

/**
 * The replacement for a place that was found as it is written. A model that searches for a line
 * without its indentation may also write the block around it as if it began at the margin: such a
 * block, which ends with a bracket there, is moved to where the line is.
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

/** Whether lines begin and end at the margin, and their brackets are in pairs from one to the other. */
function isBlock(lines: readonly string[]): boolean {
  const [first = '', ...rest] = lines;
  const last = rest.findLast((line) => !isBlank(line)) ?? '';
  if (indentOf(first) !== '' || !/^[)\]}]/.test(last)) return false;
  let depth = 0;
  for (const [index, line] of lines.entries()) {
    for (const bracket of line.match(/[()[\]{}]/g) ?? []) {
      depth += '([{'.includes(bracket) ? 1 : -1;
    }
    // Between the first line and the last, something else begins at the margin.
    if (depth === 0 && index < lines.length - 1 && !isBlank(lines[index + 1] ?? '')) return false;
  }
  return depth === 0;
}
