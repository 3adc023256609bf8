import { revealInvisible } from '../support/text.ts';
import { fitReplacement, type SearchReplace } from './fitReplacement.ts';
import type { Splice } from './lineDiff.ts';
import { collapse, type CollapsedText, type Tolerance } from './whitespace.ts';

/** The single match of an edit, or the offsets of all matches, possibly none. */
type MatchResult = { readonly replacement: Splice } | { readonly offsets: readonly number[] };

/** Matches are counted up to this number; more would not help to choose among them. */
export const maxCountedMatches = 100;

/** Maximum average number of matches that each character of the text is part of. */
const maxOverlaps = 100;

/**
 * Finds the only match of an edit: first exactly, then ignoring white space at line ends, then all
 * differences in white space, and at last characters that look alike. An escape may stand for
 * itself or for an invisible character, since readers see no difference. If a stricter comparison
 * has several matches, no more tolerant one is tried. Numbers before the lines, as `read_file`
 * shows them, are dropped if the text with them is nowhere.
 *
 * @param text with `\n` between lines, like the edit
 */
export function findMatch(text: string, edit: SearchReplace): MatchResult {
  const readings = [edit];
  // Escapes may stand for the characters that they represent.
  const search = restoreInvisible(edit.search, text);
  if (search !== edit.search) {
    readings.push({ search, replace: restoreInvisible(edit.replace, text) });
  }
  const exact = readings.flatMap((reading) =>
    [...offsetsOf(text, reading.search, maxCountedMatches)].map((start) => ({
      start,
      end: start + reading.search.length,
      edit: reading,
    })),
  );
  const result = matchResult(text, exact);
  if (result !== undefined) return result;
  const loose = readings.map(withoutLooseEnds);
  for (const tolerance of ['trailing', 'all', 'alike'] as const) {
    const collapsed = collapse(text, tolerance);
    for (const attempts of [loose, loose.map(withoutBlankEnds)]) {
      const candidates = attempts.flatMap((reading) =>
        spansOf(text, collapsed, reading.search, tolerance).map((span) => ({
          ...span,
          edit: reading,
        })),
      );
      const tolerant = matchResult(text, candidates);
      if (tolerant !== undefined) return tolerant;
    }
  }
  const plain = withoutLineNumbers(edit);
  return plain === undefined ? { offsets: [] } : findMatch(text, plain);
}

const lineNumber = /^ *(\d+)\t/;

/** The edit without the numbers of lines, if each line of the search text has the next one. */
function withoutLineNumbers({ search, replace }: SearchReplace): SearchReplace | undefined {
  const lines = search.replace(/\n$/, '').split('\n');
  const numbers = lines.map((line) => Number(lineNumber.exec(line)?.[1] ?? NaN));
  const [first = NaN] = numbers;
  if (!numbers.every((number, index) => number === first + index)) return undefined;
  const plain = (text: string): string =>
    text
      .split('\n')
      .map((line) => line.replace(lineNumber, ''))
      .join('\n');
  return { search: plain(search), replace: plain(replace) };
}

interface Candidate extends Span {
  readonly edit: SearchReplace;
}

function matchResult(text: string, candidates: readonly Candidate[]): MatchResult | undefined {
  const [candidate] = candidates;
  if (candidate === undefined) return undefined;
  if (candidates.length === 1)
    return { replacement: fitReplacement(text, candidate, candidate.edit) };
  return {
    offsets: candidates.map(({ start }) => start).toSorted((first, second) => first - second),
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function spansOf(
  text: string,
  collapsed: CollapsedText,
  search: string,
  tolerance: Tolerance,
): readonly Span[] {
  const { text: wanted } = collapse(search, tolerance);
  if (wanted.trim() === '') return [];
  const spans: Span[] = [];
  let compared = 0;
  for (const offset of offsetsOf(collapsed.text, wanted)) {
    compared += wanted.length;
    // There may be more matches, so none of these is known to be the only one.
    if (compared > maxOverlaps * collapsed.text.length) return [];
    const { offsets } = collapsed;
    const last = offsets[offset + wanted.length - 1] ?? 0;
    const span = { start: offsets[offset] ?? 0, end: last + 1 };
    if (!cutsWord(text, span.start) && !cutsWord(text, span.end)) spans.push(span);
    if (spans.length === maxCountedMatches) break;
  }
  return spans;
}

/** The offsets of one text in another, including overlapping ones; searched lazily. */
function* offsetsOf(text: string, search: string, max = Infinity): Generator<number, void> {
  let offset = text.indexOf(search);
  for (let count = 1; offset !== -1; count++) {
    yield offset;
    offset = count < max ? text.indexOf(search, offset + 1) : -1;
  }
}

/** A tolerant match must start and end at word boundaries. */
function cutsWord(text: string, offset: number): boolean {
  return /^[\p{L}\p{N}_$]{2}$/u.test(text.slice(Math.max(0, offset - 1), offset + 1));
}

/**
 * Trailing spaces say nothing about the text after a match. If all lines of the search text have
 * them, the model writes them everywhere.
 */
function withoutLooseEnds({ search, replace }: SearchReplace): SearchReplace {
  const trimmed = trimSpaces(search);
  if (trimmed === search) return { search, replace };
  const isEverywhere = search.split('\n').every((line) => line === '' || line !== line.trimEnd());
  const lines = replace.split('\n');
  const plain = isEverywhere ? lines.map((line) => line.trimEnd()).join('\n') : replace;
  return { search: trimmed, replace: trimSpaces(plain) };
}

function trimSpaces(text: string): string {
  const trimmed = text.trimEnd();
  const lineEnd = text.lastIndexOf('\n');
  return lineEnd < trimmed.length ? trimmed : text.slice(0, lineEnd + 1);
}

/** Removes the empty lines around the search text from the edit. */
function withoutBlankEnds({ search, replace }: SearchReplace): SearchReplace {
  const head = /^(?:[^\S\n]*\n)+/;
  const hasHead = head.test(search);
  const hasTail = search.slice(search.trimEnd().length).includes('\n');
  const cut = (text: string): string => {
    const withoutHead = hasHead ? text.replace(head, '') : text;
    return hasTail ? withoutHead.trimEnd() : withoutHead;
  };
  return { search: cut(search), replace: cut(replace) };
}

/** The escape of an invisible character: see `revealInvisible`. */
const escape = /\\u\{([0-9a-f]{1,6})\}/g;

/**
 * Restores invisible characters of a file that the model wrote as escapes, since it was shown
 * escapes (threats: T33). Escapes of characters that the file doesn't contain are unchanged.
 *
 * @param text the file
 */
function restoreInvisible(written: string, text: string): string {
  return written.replace(escape, (escaped, digits: string) => {
    const code = Number.parseInt(digits, 16);
    const character = code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
    const isShownSo = character !== '' && revealInvisible(character).text === escaped;
    return isShownSo && text.includes(character) ? character : escaped;
  });
}
