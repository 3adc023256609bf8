import { truncateText } from '../support/text.ts';
import { ToolError } from '../support/toolError.ts';
import { findMatch, maxCountedMatches } from './findMatch.ts';
import type { SearchReplace } from './fitReplacement.ts';
import { NormalizedText, withLineEndings, withoutByteOrderMark } from './lineEndings.ts';
import { commonPrefixAndSuffix } from './splices.ts';

/** Places of an ambiguous search that are named. */
const maxNamed = 10;

/**
 * The text after edits, each made in what the ones before left. Line ends, a byte order mark and
 * the end of the file stay as they are where no edit says otherwise.
 * @throws {ToolError} where an edit fits nowhere or in several places; its words are for the model.
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
  const whole = new NormalizedText(current);
  const { text } = whole;
  const { search, replace } = {
    search: withLineEndings(withoutByteOrderMark(edit.search), '\n'),
    replace: withLineEndings(withoutByteOrderMark(edit.replace), '\n'),
  };
  const where = count === 1 ? '' : `Edit ${index + 1} of ${count}: `;
  const fail = (problem: string): never => {
    const note = count === 1 ? '' : '\nNo edit was made.';
    throw new ToolError(where + problem + note);
  };
  if (search === '') return fail('search is empty. Search for a line next to the new text.');
  if (search === replace) return fail('search and replace are the same.');
  const found = findMatch(text, { search, replace });
  if ('offsets' in found) {
    const { offsets } = found;
    return fail(offsets.length === 0 ? notFound(text, search, index) : severalFound(text, offsets));
  }
  const { start, end, text: replacement } = found.replacement;
  // What stays the same keeps its own line ends.
  const { head, tail } = commonPrefixAndSuffix(text.slice(start, end), replacement);
  const inserted = replacement.slice(head, replacement.length - tail);
  return whole.replace(start + head, end - tail, inserted);
}

function notFound(text: string, search: string, index: number): string {
  const nearest = nearestLines(text, search);
  if (nearest === '') return 'search is not in the file, nor anything like it. Read the file.';
  const when = index === 0 ? '' : ', after the edits before this';
  return `search is not in the file. The nearest lines${when}:\n${nearest}`;
}

function severalFound(text: string, offsets: readonly number[]): string {
  const lines = text.split('\n');
  const numbers = lineNumbers(text, offsets.slice(0, maxNamed));
  const shown = numbers.map((number) => withLineNumbers(lines, number - 1, number)).join('\n');
  const count =
    offsets.length < maxCountedMatches ? String(offsets.length) : `${maxCountedMatches} or more`;
  return `search matches ${count} places. Add lines around it until only one matches:\n${shown}`;
}

/** The lines, from 1, of offsets that grow. */
function lineNumbers(text: string, offsets: readonly number[]): readonly number[] {
  let line = 1;
  let counted = 0;
  return offsets.map((offset) => {
    for (; counted < offset; counted++) if (text[counted] === '\n') line++;
    return line;
  });
}

/** So many lines are shown, and so many characters of each. */
const maxLines = 12;
const maxLineLength = 200;

/** Words of more lines than these are not looked for. */
const maxSearched = 100;

/**
 * The lines of a text that look most like those that were searched for, with their numbers; empty
 * where nothing does.
 */
function nearestLines(text: string, search: string): string {
  const lines = text.split('\n');
  const wanted = search.split('\n');
  const start = likeliest(lines, wanted);
  if (start === undefined) return '';
  const from = Math.max(0, start - 1);
  return withLineNumbers(
    lines,
    from,
    Math.min(lines.length, from + Math.min(wanted.length + 2, maxLines)),
  );
}

/** Lines as `read_file` shows them: the number from 1, a tab, the line. */
function withLineNumbers(lines: readonly string[], from: number, to: number): string {
  return lines
    .slice(from, to)
    .map((line, index) => `${from + index + 1}\t${shortened(line)}`)
    .join('\n');
}

function shortened(line: string): string {
  return line.length > maxLineLength ? `${truncateText(line, maxLineLength)}…` : line;
}

/** Where most words of the searched lines stand, in their order. */
function likeliest(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const searched = new Map<string, number[]>();
  for (const [index, line] of wanted.slice(0, maxSearched).entries()) {
    for (const word of wordsOf(line)) pushTo(searched, word, index);
  }
  const standing = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    for (const word of wordsOf(line)) {
      if (searched.has(word)) pushTo(standing, word, index);
    }
  }
  // Each word votes for the line at which the searched text would begin; rare words say more.
  const votes = new Map<number, number>();
  for (const [word, places] of standing) {
    for (const place of searched.get(word)?.slice(0, 3) ?? []) {
      for (const index of places) {
        const begin = Math.max(0, index - place);
        votes.set(begin, (votes.get(begin) ?? 0) + 1 / places.length);
      }
    }
  }
  let best: number | undefined;
  for (const [begin, count] of votes) {
    if (best === undefined || count > (votes.get(best) ?? 0)) best = begin;
  }
  return best;
}

function pushTo(lists: Map<string, number[]>, key: string, value: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else if (list.at(-1) !== value) list.push(value);
}

function wordsOf(line: string): readonly string[] {
  return line.slice(0, 1000).match(/[\p{L}\p{N}_]+/gu) ?? [];
}
