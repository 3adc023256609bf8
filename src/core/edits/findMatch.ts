import { revealInvisible } from '../support/text.ts';
import { fitReplacement, indentBlock, type SearchReplace } from './fitReplacement.ts';
import type { Splice } from './splices.ts';
import {
  lineStart,
  isBlank,
  collapseWhitespace,
  type CollapsedText,
  type WhitespaceTolerance,
} from './whitespace.ts';

/** The single match of an edit, or the offsets of all matches, possibly none. */
type MatchResult = { readonly replacement: Splice } | { readonly offsets: readonly number[] };

/** Matches are counted up to this number; more would not help to choose among them. */
export const maxCountedMatches = 100;

/** Maximum average number of matches that each character of the text is part of. */
const maxOverlaps = 100;

/**
 * Finds the only match of an edit: first exactly, then ignoring differences in white space, first
 * only at line ends. An escape may stand for itself or for an invisible character, since readers
 * see no difference. If a stricter comparison has several matches, no more tolerant one is tried.
 *
 * @param text with `\n` between lines, like the edit
 */
export function findMatch(text: string, edit: SearchReplace): MatchResult {
  const readings = readingsOf(text, edit);
  const exact = readings.flatMap((reading) =>
    [...offsetsOf(text, reading.search, maxCountedMatches)].map((start) => ({
      start,
      end: start + reading.search.length,
      edit: reading,
    })),
  );
  return (
    matchResult(exact, (candidate) => exactReplacement(text, candidate)) ??
    tolerantMatch(text, readings.map(withoutLooseEnds))
  );
}

/**
 * The possible readings of an edit: its escapes as written, and as the characters that they
 * represent.
 */
function readingsOf(text: string, edit: SearchReplace): readonly SearchReplace[] {
  const search = restoreInvisible(edit.search, text);
  if (search === edit.search) return [edit];
  return [edit, { search, replace: restoreInvisible(edit.replace, text) }];
}

interface Candidate extends Span {
  readonly edit: SearchReplace;
}

function matchResult(
  candidates: readonly Candidate[],
  replace: (candidate: Candidate) => Splice,
): MatchResult | undefined {
  const [candidate] = candidates;
  if (candidate === undefined) return undefined;
  if (candidates.length === 1) return { replacement: replace(candidate) };
  return {
    offsets: candidates.map(({ start }) => start).toSorted((first, second) => first - second),
  };
}

function exactReplacement(text: string, candidate: Candidate): Splice {
  const { start, end, edit } = candidate;
  const beside = text.slice(lineStart(text, start), start);
  if (beside !== '' && isBlank(beside) && isIndented(edit.search)) {
    return fitReplacement(text, candidate, edit);
  }
  return { start, end, text: indentBlock(text, start, edit) };
}

/**
 * True if the model wrote an indentation. If that is only part of the line's indentation, the model
 * miscounted.
 */
function isIndented(search: string): boolean {
  return /^[^\S\n]/.test(search) && !isBlank(search);
}

function tolerantMatch(text: string, readings: readonly SearchReplace[]): MatchResult {
  const fit = (candidate: Candidate): Splice => fitReplacement(text, candidate, candidate.edit);
  for (const tolerance of ['trailing', 'all'] as const) {
    const squeezed = collapseWhitespace(text, tolerance);
    for (const attempts of [readings, readings.map(withoutBlankEnds)]) {
      const candidates = attempts.flatMap((edit) =>
        spansOf(text, squeezed, edit.search, tolerance).map((span) => ({ ...span, edit })),
      );
      const result = matchResult(candidates, fit);
      if (result !== undefined) return result;
    }
  }
  return { offsets: [] };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function spansOf(
  text: string,
  collapsed: CollapsedText,
  search: string,
  tolerance: WhitespaceTolerance,
): readonly Span[] {
  const { text: wanted } = collapseWhitespace(search, tolerance);
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

/** Trailing spaces say nothing about the text after a match. */
function withoutLooseEnds({ search, replace }: SearchReplace): SearchReplace {
  const trimmed = trimSpaces(search);
  return trimmed === search
    ? { search, replace }
    : { search: trimmed, replace: trimSpaces(replace) };
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
