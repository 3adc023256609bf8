import { commonPrefixAndSuffix, diffLists, type Splice } from './lineDiff.ts';
import {
  indentOf,
  isBlank,
  lineStart,
  shiftIndent,
  simplifyCharacters,
  type IndentPair,
} from './whitespace.ts';

/** A text that occurs once in a file, and its replacement. */
export interface SearchReplace {
  readonly search: string;
  readonly replace: string;
}

/** Lines of the search text and of the replacement, as the model wrote them. */
interface WrittenLines {
  readonly searched: readonly string[];
  readonly replaced: readonly string[];
}

/**
 * Adapts the replacement to a match. Models miss the indentation of the first line, of all lines,
 * or count it wrong, in the search text, the replacement or both. So a match that fills its line
 * from the start is fitted line by line: lines that the edit doesn't change stay as they are in the
 * file, and new lines are indented like their neighbors.
 */
export function fitReplacement(
  text: string,
  match: { readonly start: number; readonly end: number },
  edit: SearchReplace,
): Splice {
  const first = lineStart(text, match.start);
  const isExact = text.startsWith(edit.search, match.start);
  const [firstLine = ''] = edit.search.split('\n', 1);
  const fillsLine = isBlank(text.slice(first, match.start)) && !(isExact && isBlank(firstLine));
  if (!fillsLine) {
    if (isExact) return { start: match.start, end: match.end, text: edit.replace };
    return fitInsideLine(text, match, edit);
  }
  if (edit.replace === '') {
    if (isExact && first === match.start) return { start: first, end: match.end, text: '' };
    if (text[match.end - 1] === '\n') return { start: first, end: match.end, text: '' };
    // A match that fills its lines takes the line end with it.
    const lineEnd = endOfLine(text, match.end);
    const fillsLines = lineEnd === text.length || text[lineEnd] === '\n';
    return fillsLines
      ? { start: first, end: Math.min(lineEnd + 1, text.length), text: '' }
      : { start: match.start, end: match.end, text: '' };
  }
  const end = isExact ? match.end : endOfLine(text, match.end);
  const real = text.slice(first, end).split('\n');
  const written = restoreFirstIndents(real, {
    searched: edit.search.split('\n'),
    replaced: edit.replace.split('\n'),
  });
  const lines =
    isExact && written.searched[0] === real[0]
      ? written.replaced
      : fitLines(real, written, isExact);
  return { start: first, end, text: lines.join('\n') };
}

/** A tolerant match that begins within a line. It starts after the line's indentation. */
function fitInsideLine(
  text: string,
  match: { readonly start: number; readonly end: number },
  edit: SearchReplace,
): Splice {
  if (edit.replace === '') return { start: match.start, end: match.end, text: '' };
  const space = /^[^\S\n]+/;
  const isIndented = space.test(edit.search);
  const cut = (written: string): string => (isIndented ? written.replace(space, '') : written);
  const end = endOfLine(text, match.end);
  const real = text.slice(match.start, end).split('\n');
  const written = {
    searched: cut(edit.search).split('\n'),
    replaced: cut(edit.replace).split('\n'),
  };
  const [firstLine = ''] = written.replaced;
  const lines = fitLines(real, written, false);
  // The first line has no indentation of its own.
  const isNew = written.searched[0]?.trimEnd() !== firstLine.trimEnd();
  const fitted = isNew ? [firstLine, ...lines.slice(1)] : lines;
  return { start: match.start, end, text: fitted.join('\n') };
}

/**
 * Gives the first line of the search text and of the replacement the indentation that a model left
 * out, as it would have written it. A replacement of which only the first line is at the margin may
 * also be a whole block at the margin, which is then indented.
 */
function restoreFirstIndents(
  real: readonly string[],
  { searched, replaced }: WrittenLines,
): WrittenLines {
  const [firstSearched = '', ...others] = searched;
  const [firstReplaced = '', ...following] = replaced;
  const written = indentOf(firstSearched);
  const missing = missingIndent(real, searched);
  const indent = missing ?? written;
  const restored = [indent + firstSearched.slice(written.length), ...others];
  const isSingle = others.every(isBlank);
  const own = indentOf(firstReplaced);
  // Lines that the search text has as they are, behind its first, are only kept.
  let kept = 0;
  for (const line of others) if (line === replaced[kept]) kept++;
  if (kept === replaced.length) return { searched: restored, replaced };
  // The replacement has the indentation that the search text lacks.
  if (own !== written && own === indent) return { searched: restored, replaced };
  const isSameText =
    searched.length === replaced.length &&
    searched.every((line, index) => line.trim() === replaced[index]?.trim());
  if (isBlank(firstReplaced) || isSameText) return { searched: restored, replaced };
  // A line that the search text has too keeps the indentation that it has there.
  const same = restored.findIndex((line) => line.trim() === firstReplaced.trim());
  const goesOn = same >= 0 && !isBlank(following[0] ?? '') && following[0] === restored[same + 1];
  const isMissing =
    own === '' ? indent !== '' || goesOn : own === written && indent !== written && !isSingle;
  if (!isMissing) return isSingle ? { searched, replaced } : { searched: restored, replaced };
  // Lines that both have tell how the others are written, and so do as many lines at the margin.
  const areAtMargin = [...others, ...following].every((line) => indentOf(line) === '');
  const isShown =
    following.some((line) => !isBlank(line) && others.includes(line)) ||
    (areAtMargin && following.length === others.length);
  if (
    own === '' &&
    !isShown &&
    (isSingle || missing === undefined) &&
    isBlockAtMargin(replaced, indent)
  ) {
    return {
      searched: restored,
      replaced: replaced.map((line) => (isBlank(line) ? line : indent + line)),
    };
  }
  const first = indentOf(restored[same] ?? indent) + firstReplaced.slice(own.length);
  return { searched: restored, replaced: [first, ...following] };
}

/** The first indentation as the model would have written it, if only that line lacks its own. */
function missingIndent(real: readonly string[], searched: readonly string[]): string | undefined {
  const written = indentOf(searched[0] ?? '');
  const ofFile = indentOf(real[0] ?? '');
  const others = pairsOf(real, searched, 1);
  if (others.length === 0) return written === '' ? ofFile : undefined;
  if (shiftIndent(written, others, others) === ofFile) return undefined;
  const inverse = others.map((pair) => ({ written: pair.real, real: pair.written }));
  return shiftIndent(ofFile, inverse, inverse);
}

/** Ends of lines, and words at their start, after which the next line is indented more. */
const opening = /(?:[:{([]|=>|->|\b(?:then|do|else|begin))\s*$/;
const openingWord =
  /^(?:async |export |def |class |module |fn |func |function |if |elsif |elif |for |while |unless |case |when |try\b|begin\b|with |struct |impl |match |loop\b|switch )/;

/**
 * True if lines, of which the first is at the margin, are all written at the margin, for a place
 * with an indentation. Otherwise only the first line lacks it.
 */
function isBlockAtMargin(lines: readonly string[], indent: string): boolean {
  const [first = '', ...others] = lines;
  const following = others.filter((line) => !isBlank(line));
  const [next] = following;
  if (next === undefined) return false;
  const depth = indentOf(next).length;
  const opens = opening.test(first) || (openingWord.test(first) && !/[;}]\s*$|\bend$/.test(first));
  if (depth > indent.length || (depth === indent.length && !opens)) return false;
  // Brackets that close what is around the place belong to the lines as they are written.
  let open = 0;
  for (const line of lines) {
    for (const bracket of line.match(/[()[\]{}]/g) ?? []) {
      open += '([{'.includes(bracket) ? 1 : -1;
      if (open < 0) return false;
    }
  }
  return true;
}

/** Fits the lines of a replacement into the real lines that the searched ones match. */
function fitLines(
  real: readonly string[],
  { searched, replaced }: WrittenLines,
  isExact: boolean,
): readonly string[] {
  const pairs = pairsOf(real, searched, 0);
  const [pair, next] = pairs;
  const isSameIndent = pair?.written === next?.written && pair?.real === next?.real;
  const others = pairs.length > 1 && isSameIndent ? pairs : pairs.slice(1);
  const near = others.length > 0 ? others : pairs;
  // White space at line ends that the file doesn't have was not meant.
  const endSpace = (line = ''): number => line.length - line.trimEnd().length;
  const trims = !isExact && searched.some((line, index) => endSpace(line) > endSpace(real[index]));
  // White space at line ends counts as a change only if the search text matched exactly.
  const compared = (lines: readonly string[]): readonly string[] =>
    isExact ? lines : lines.map((line) => line.trimEnd());
  const result: string[] = [];
  let copied = 0;
  for (const { before, after } of diffLists(compared(searched), compared(replaced))) {
    result.push(...real.slice(copied, before.start));
    const isPaired = before.end - before.start === after.end - after.start;
    for (let index = after.start; index < after.end; index++) {
      const written = replaced[index] ?? '';
      const indent = indentOf(written);
      const content = written.slice(indent.length);
      const line = isBlank(written)
        ? ''
        : shiftIndent(indent, index === 0 ? pairs.slice(0, 1) : near, pairs) +
          (trims ? content.trimEnd() : content);
      const other = before.start + index - after.start;
      result.push(isPaired ? keepCharacters(real[other] ?? '', searched[other] ?? '', line) : line);
    }
    copied = before.end;
  }
  return [...result, ...real.slice(copied)];
}

/**
 * A changed line with the characters of the file before and after the change, where the model wrote
 * others that look alike.
 */
function keepCharacters(real: string, searched: string, line: string): string {
  const plain = real.trim();
  const written = line.trim();
  const before = simplifyCharacters(plain);
  if (plain === searched.trim() || before !== simplifyCharacters(searched.trim())) return line;
  const after = simplifyCharacters(written);
  // Characters of which one stands for several can't be mapped.
  if (before.length !== plain.length || after.length !== written.length) return line;
  const { head, tail } = commonPrefixAndSuffix(before, after);
  const changed = written.slice(head, after.length - tail);
  return indentOf(line) + plain.slice(0, head) + changed + plain.slice(plain.length - tail);
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

/** The end of the line if only white space precedes it, otherwise the offset itself. */
function endOfLine(text: string, offset: number): number {
  if (text[offset - 1] === '\n') return offset;
  const lineEnd = text.indexOf('\n', offset);
  const end = lineEnd === -1 ? text.length : lineEnd;
  return isBlank(text.slice(offset, end)) ? end : offset;
}
