import { truncateText } from '../support/text.ts';
import { ToolError } from '../support/toolError.ts';
import { findMatch, maxCountedMatches } from './findMatch.ts';
import type { SearchReplace } from './fitReplacement.ts';
import { omittingCommentIn } from './omittedCode.ts';
import { NormalizedText, withLineEndings, withoutByteOrderMark } from './lineEndings.ts';
import { commonPrefixAndSuffix } from './splices.ts';

/** Maximum number of displayed lines, and of characters in each. */
const maxLines = 12;
const maxLineLength = 200;

/** Maximum number of search lines whose words are compared. */
const maxSearchedLines = 100;

/** Maximum number of matches of an ambiguous search that are listed. */
const maxListedMatches = 10;

/**
 * Applies edits one after another. Line endings, a byte order mark and the end of the file are
 * unchanged unless an edit changes them.
 *
 * @throws {ToolError} if an edit matches nowhere or in several places, or has a comment in the place
 *   of code; its message is for the model
 */
export function applyEdits(text: string, edits: readonly SearchReplace[]): string {
  if (edits.length === 0) throw new ToolError('edits is empty.');
  const body = withoutByteOrderMark(text);
  const edited = edits.reduce(
    (current, edit, index) => applyEdit(current, edit, index, edits.length),
    body,
  );
  if (edited === body) throw new ToolError('The edits change nothing.');
  return text.slice(0, text.length - body.length) + edited;
}

function applyEdit(current: string, edit: SearchReplace, index: number, count: number): string {
  const normalized = new NormalizedText(current);
  const { text } = normalized;
  const { search, replace } = {
    search: withLineEndings(withoutByteOrderMark(edit.search), '\n'),
    replace: withLineEndings(withoutByteOrderMark(edit.replace), '\n'),
  };
  const where = count === 1 ? '' : `Edit ${index + 1} of ${count}: `;
  const fail = (problem: string): never => {
    const note = count === 1 ? '' : '\nNo edit was made.';
    throw new ToolError(where + problem + note);
  };
  if (search === '' && text === '') return replace;
  if (search === '') return fail('search is empty. Search for a line next to the new text.');
  if (search === replace) return fail('search and replace are the same.');
  const match = findMatch(text, { search, replace });
  if ('offsets' in match) {
    const { offsets } = match;
    return fail(offsets.length === 0 ? notFound(text, search, index) : severalFound(text, offsets));
  }
  const { start, end, text: replacement } = match.replacement;
  const omission = omittingCommentIn(text.slice(start, end), replacement);
  if (omission !== undefined) {
    return fail(
      `This line of replace stands for code that the edit would delete: ${shortened(omission.trim())}\nWrite that code in full, or search only for the lines that change.`,
    );
  }
  // Unchanged text keeps its own line endings.
  const { head, tail } = commonPrefixAndSuffix(text.slice(start, end), replacement);
  const inserted = replacement.slice(head, replacement.length - tail);
  return normalized.replace(start + head, end - tail, inserted);
}

function notFound(text: string, search: string, index: number): string {
  const nearest = nearestLines(text, search);
  if (nearest === '') return 'search is not in the file, nor anything like it. Read the file.';
  const when = index === 0 ? '' : ', after the edits before this';
  return `search is not in the file. The nearest lines${when}:\n${nearest}`;
}

function severalFound(text: string, offsets: readonly number[]): string {
  const lines = text.split('\n');
  const numbers = lineNumbers(text, offsets.slice(0, maxListedMatches));
  const matches = numbers.map((number) => withLineNumbers(lines, number - 1, number)).join('\n');
  const count =
    offsets.length < maxCountedMatches ? String(offsets.length) : `${maxCountedMatches} or more`;
  return `search matches ${count} places. Add lines around it until only one matches:\n${matches}`;
}

/** Line numbers, counted from 1, of ascending offsets. */
function lineNumbers(text: string, offsets: readonly number[]): readonly number[] {
  let line = 1;
  let counted = 0;
  return offsets.map((offset) => {
    for (; counted < offset; counted++) if (text[counted] === '\n') line++;
    return line;
  });
}

/**
 * The lines of a text that are most similar to the search text, with line numbers; empty if none is
 * similar.
 */
function nearestLines(text: string, search: string): string {
  const lines = text.split('\n');
  const wanted = search.split('\n');
  const start = mostSimilarStart(lines, wanted);
  if (start === undefined) return '';
  const from = Math.max(0, start - 1);
  return withLineNumbers(
    lines,
    from,
    Math.min(lines.length, from + Math.min(wanted.length + 2, maxLines)),
  );
}

/** Formats lines as `read_file` does: the number, counted from 1, a tab, the line. */
function withLineNumbers(lines: readonly string[], from: number, to: number): string {
  return lines
    .slice(from, to)
    .map((line, index) => `${from + index + 1}\t${shortened(line)}`)
    .join('\n');
}

function shortened(line: string): string {
  return line.length > maxLineLength ? `${truncateText(line, maxLineLength)}…` : line;
}

/** The line after which most words of the search text occur in the same order. */
function mostSimilarStart(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const searched = new Map<string, number[]>();
  for (const [index, line] of wanted.slice(0, maxSearchedLines).entries()) {
    for (const word of wordsOf(line)) pushTo(searched, word, index);
  }
  const occurring = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    for (const word of wordsOf(line)) {
      if (searched.has(word)) pushTo(occurring, word, index);
    }
  }
  // Each word votes for the line at which the search text would start; rare words have more weight.
  const votes = new Map<number, number>();
  for (const [word, places] of occurring) {
    for (const position of searched.get(word)?.slice(0, 3) ?? []) {
      for (const index of places) {
        const start = Math.max(0, index - position);
        votes.set(start, (votes.get(start) ?? 0) + 1 / places.length);
      }
    }
  }
  let bestStart: number | undefined;
  for (const [start, count] of votes) {
    if (bestStart === undefined || count > (votes.get(bestStart) ?? 0)) bestStart = start;
  }
  return bestStart;
}

function pushTo(lists: Map<string, number[]>, key: string, value: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else if (list.at(-1) !== value) list.push(value);
}

function wordsOf(line: string): readonly string[] {
  return line.slice(0, 1000).match(/[\p{L}\p{N}_]+/gu) ?? [];
}
