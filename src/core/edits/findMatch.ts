import { revealInvisible } from '../support/text.ts';
import {
  fitReplacement,
  indentBlock,
  type SearchReplace,
  type Replacement,
} from './fitReplacement.ts';
import {
  lineStart,
  isBlank,
  collapseWhitespace,
  type CollapsedText,
  type WhitespaceTolerance,
} from './whitespace.ts';

/** Where an edit fits: in one place, or at these offsets, of which there may be none. */
type MatchResult = { readonly replacement: Replacement } | { readonly offsets: readonly number[] };

/** So many places are counted; who must choose among more learns nothing from their number. */
export const maxCountedMatches = 100;

/**
 * Looks for the one place that an edit means: as it is written, else in spite of other white space,
 * first at the ends of lines only. An escape may stand for itself or for an invisible character, as
 * a reader sees no difference. Where a stricter way fits in several places, no laxer one is tried.
 * @param text with `\n` between lines, like the edit
 */
export function findMatch(text: string, edit: SearchReplace): MatchResult {
  const readings = readingsOf(text, edit);
  const exact = readings.flatMap((reading) =>
    placesOf(text, reading.search).map((start) => ({
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

/** What an edit may mean: its escapes as they are written, and the characters that they show. */
function readingsOf(text: string, edit: SearchReplace): readonly SearchReplace[] {
  const search = restoreInvisible(edit.search, text);
  if (search === edit.search) return [edit];
  return [edit, { search, replace: restoreInvisible(edit.replace, text) }];
}

/** A place that fits, and the reading of the edit that fits there. */
interface Candidate extends Span {
  readonly edit: SearchReplace;
}

function matchResult(
  candidates: readonly Candidate[],
  replace: (candidate: Candidate) => Replacement,
): MatchResult | undefined {
  const [candidate] = candidates;
  if (candidate === undefined) return undefined;
  if (candidates.length === 1) return { replacement: replace(candidate) };
  return { offsets: candidates.map(({ start }) => start).toSorted((one, other) => one - other) };
}

function exactReplacement(text: string, candidate: Candidate): Replacement {
  const { start, end, edit } = candidate;
  const beside = text.slice(lineStart(text, start), start);
  if (beside !== '' && isBlank(beside) && isIndented(edit.search)) {
    return fitReplacement(text, candidate, edit);
  }
  return { start, end, text: indentBlock(text, start, edit) };
}

/** Whether a model wrote an indentation: where it is a part of the line's own, it miscounted. */
function isIndented(search: string): boolean {
  return /^[^\S\n]/.test(search) && !isBlank(search);
}

function tolerantMatch(text: string, readings: readonly SearchReplace[]): MatchResult {
  const fit = (candidate: Candidate): Replacement =>
    fitReplacement(text, candidate, candidate.edit);
  for (const tolerance of ['trailing', 'all'] as const) {
    const squeezed = collapseWhitespace(text, tolerance);
    for (const attempts of [readings, readings.map(withoutBlankEnds)]) {
      const candidates = attempts.flatMap((edit) =>
        spansOf(text, squeezed, edit.search, tolerance).map((span) => ({ ...span, edit })),
      );
      const found = matchResult(candidates, fit);
      if (found !== undefined) return found;
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
  { text: squeezed, offsets }: CollapsedText,
  search: string,
  tolerance: WhitespaceTolerance,
): readonly Span[] {
  const wanted = collapseWhitespace(search, tolerance).text;
  const spans: Span[] = [];
  if (wanted.trim() === '') return spans;
  for (const place of occurrences(squeezed, wanted)) {
    const start = offsets[place] ?? 0;
    const end = (offsets[place + wanted.length - 1] ?? 0) + 1;
    if (cutsWord(text, start) || cutsWord(text, end)) continue;
    spans.push({ start, end });
    if (spans.length === maxCountedMatches) break;
  }
  return spans;
}

/** All offsets, also of places that overlap, up to {@link mostPlaces}. */
function placesOf(text: string, search: string): readonly number[] {
  const places: number[] = [];
  for (const place of occurrences(text, search)) {
    places.push(place);
    if (places.length === maxCountedMatches) break;
  }
  return places;
}

/** What was not written exactly must at least begin and end where words do. */
function cutsWord(text: string, offset: number): boolean {
  return /^[\p{L}\p{N}_$]{2}$/u.test(text.slice(Math.max(0, offset - 1), offset + 1));
}

/** Spaces behind the last line end, or word, say nothing about what follows there. */
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

/** The edit without the empty lines around what it searches for. */
function withoutBlankEnds({ search, replace }: SearchReplace): SearchReplace {
  const head = /^(?:[^\S\n]*\n)+/;
  const hasHead = head.test(search);
  const hasTail = search.slice(search.trimEnd().length).includes('\n');
  const cut = (text: string): string => {
    const rest = hasHead ? text.replace(head, '') : text;
    return hasTail ? rest.trimEnd() : rest;
  };
  return { search: cut(search), replace: cut(replace) };
}

/** What a character that is not seen was shown as: see `revealInvisible`. */
const escape = /\\u\{([0-9a-f]{1,6})\}/g;

/**
 * Puts invisible characters of a file back into what a model wrote, where it wrote them as they were
 * shown to it (threats: T33). Escapes of characters that the file does not have stay text.
 * @param text the file
 */
function restoreInvisible(written: string, text: string): string {
  return written.replace(escape, (shown, digits: string) => {
    const code = Number.parseInt(digits, 16);
    const character = code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
    const isShownSo = character !== '' && revealInvisible(character).text === shown;
    return isShownSo && text.includes(character) ? character : shown;
  });
}

/** So many are looked for in the fastest way, which is slow for a text that repeats itself. */
const maxByIndex = 16;

/**
 * The offsets of a text in another, also where they overlap. Each is found in the time that its way
 * there takes, however often the text repeats itself: who leaves most of them out may look at all.
 */
export function* occurrences(text: string, search: string): Generator<number, void> {
  let place = search === '' ? -1 : text.indexOf(search);
  for (let count = 0; place !== -1 && count < maxByIndex; count++) {
    yield place;
    place = text.indexOf(search, place + 1);
  }
  if (place !== -1) yield* occurrencesFrom(text, search, place);
}

function* occurrencesFrom(text: string, search: string, start: number): Generator<number, void> {
  const borders = bordersOf(search);
  let matched = 0;
  for (let offset = start; offset < text.length; offset++) {
    matched = extend(search, borders, matched, text.charCodeAt(offset));
    if (matched < search.length) continue;
    yield offset + 1 - matched;
    matched = borders[matched] ?? 0;
  }
}

/** For each beginning of a text, by its length, how much of its own end is a beginning too. */
function bordersOf(search: string): Uint32Array {
  const borders = new Uint32Array(search.length + 1);
  for (let length = 1; length < search.length; length++) {
    const code = search.charCodeAt(length);
    borders[length + 1] = extend(search, borders, borders[length] ?? 0, code);
  }
  return borders;
}

/** How much of a beginning stands before and at a character, where `matched` stood before it. */
function extend(search: string, borders: Uint32Array, matched: number, code: number): number {
  let length = matched;
  while (length > 0 && search.charCodeAt(length) !== code) length = borders[length] ?? 0;
  return search.charCodeAt(length) === code ? length + 1 : 0;
}
