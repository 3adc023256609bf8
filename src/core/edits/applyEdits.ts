import { maskSecrets, masksIn, unmaskSecrets } from '../support/secretTokens.ts';
import { truncateText } from '../support/text.ts';
import { ToolError } from '../support/toolError.ts';
import { findMatch, maxCountedMatches } from './findMatch.ts';
import type { SearchReplace } from './fitReplacement.ts';
import { commonPrefixAndSuffix } from './lineDiff.ts';
import { NormalizedText, withLineEndings, withoutByteOrderMark } from './lineEndings.ts';
import { omittingCommentIn } from './omittedCode.ts';

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
  let edited = body;
  for (const [index, edit] of edits.entries()) {
    const result = applyEdit(edited, edit, index);
    if ('text' in result) {
      edited = result.text;
      continue;
    }
    const { problem } = result;
    if (edits.length === 1) throw new ToolError(problem);
    throw new ToolError(`Edit ${index + 1} of ${edits.length}: ${problem}\nNo edit was made.`);
  }
  if (edited === body) throw new ToolError('The edits change nothing.');
  return text.slice(0, text.length - body.length) + edited;
}

/** @param index number of edits that were applied before */
function applyEdit(
  current: string,
  edit: SearchReplace,
  index: number,
): { readonly text: string } | { readonly problem: string } {
  const normalized = new NormalizedText(current);
  const { text } = normalized;
  const search = withLineEndings(withoutByteOrderMark(edit.search), '\n');
  const replace = withLineEndings(withoutByteOrderMark(edit.replace), '\n');
  if (search === '' && text === '') return { text: replace };
  if (search === '') {
    return { problem: 'search is empty. Search for a line next to the new text.' };
  }
  if (search === replace) return { problem: 'search and replace are the same.' };
  const match = findMatch(text, { search, replace });
  if ('offsets' in match) {
    const { offsets } = match;
    if (offsets.length > 0) return { problem: severalMatches(text, offsets) };
    const nearest = nearestLines(text.split('\n'), search.split('\n'));
    if (nearest === '') {
      return { problem: 'search is not in the file, nor anything like it. Read the file.' };
    }
    const when = index === 0 ? '' : ', after the edits before this';
    return { problem: `search is not in the file. The nearest lines${when}:\n${nearest}` };
  }
  const { start, end, text: replacement } = match.replacement;
  const omission = omittingCommentIn(text.slice(start, end), replacement);
  if (omission !== undefined) {
    return {
      problem: `This line of replace stands for code that the edit would delete: ${shortened(omission.trim())}\nWrite that code in full, or search only for the lines that change.`,
    };
  }
  // Unchanged text keeps its own line endings.
  const { head, tail } = commonPrefixAndSuffix(text.slice(start, end), replacement);
  const inserted = replacement.slice(head, replacement.length - tail);
  return { text: normalized.replace(start + head, end - tail, inserted) };
}

/** Tells the model of several matches, at ascending offsets. */
function severalMatches(text: string, offsets: readonly number[]): string {
  const lines = text.split('\n');
  let line = 0;
  let counted = 0;
  const matches = offsets.slice(0, maxListedMatches).map((offset) => {
    for (; counted < offset; counted++) if (text[counted] === '\n') line++;
    return withLineNumbers(lines, line, line + 1);
  });
  const isAll = offsets.length < maxCountedMatches;
  const count = isAll ? String(offsets.length) : `${maxCountedMatches} or more`;
  return `search matches ${count} places. Add lines around it until only one matches:\n${matches.join('\n')}`;
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

/**
 * The lines of a file that are most similar to the search text, with their numbers: those in which
 * most of its words occur in the same order. Empty if no word occurs.
 */
function nearestLines(lines: readonly string[], wanted: readonly string[]): string {
  const wordsOf = (line: string): readonly string[] =>
    line.slice(0, 1000).match(/[\p{L}\p{N}_]+/gu) ?? [];
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
  for (const [word, indexes] of occurring) {
    for (const position of searched.get(word)?.slice(0, 3) ?? []) {
      for (const index of indexes) {
        const start = Math.max(0, index - position);
        votes.set(start, (votes.get(start) ?? 0) + 1 / indexes.length);
      }
    }
  }
  let best: number | undefined;
  for (const [start, count] of votes) {
    if (best === undefined || count > (votes.get(best) ?? 0)) best = start;
  }
  if (best === undefined) return '';
  const from = Math.max(0, best - 1);
  return withLineNumbers(lines, from, from + Math.min(wanted.length + 2, maxLines));
}

/** Adds an index to the list of a key, once. */
function pushTo(lists: Map<string, number[]>, key: string, value: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else if (list.at(-1) !== value) list.push(value);
}

/**
 * Applies edits to the text that the model has seen, with secrets masked, and restores the secrets:
 * edits around a secret preserve it, and none can be guessed by searching for its parts.
 *
 * @throws {ToolError} if an edit does not match, or writes a mask that matches no secret of the
 * file
 */
export function applyMaskedEdits(text: string, edits: readonly SearchReplace[]): string {
  const maskedFile = maskSecrets(text);
  if (maskedFile.isAmbiguous) {
    throw new ToolError(
      'Masked parts of this file cannot be told apart. Ask the person to edit it.',
    );
  }
  const masked = edits.map((edit) => ({ ...edit, search: maskSecrets(edit.search).text }));
  const edited = applyEdits(maskedFile.text, masked);
  const after = unmaskSecrets(edited, maskedFile);
  refuseMasks(after, text);
  return after;
}

/**
 * Restores the secrets of a file in code that a model wrote for it.
 *
 * @param file text of the file; empty for a new one
 * @returns undefined if a mask matches no secret of the file
 */
export function restoreMasks(written: string, file: string): string | undefined {
  if (masksIn(written).length === 0) return written;
  const maskedFile = maskSecrets(file);
  const restored = maskedFile.isAmbiguous ? written : unmaskSecrets(written, maskedFile);
  return masksIn(restored).every((mask) => file.includes(mask)) ? restored : undefined;
}

/**
 * Refuses a text with masks that the file did not contain before.
 *
 * @param before the text of the file; empty for a new one
 * @throws {ToolError} if the text has other masks
 */
export function refuseMasks(text: string, before: string): void {
  const unknown = masksIn(text).find((mask) => !before.includes(mask));
  if (unknown === undefined) return;
  throw new ToolError(
    `${unknown} stands for a secret that this file does not have, or not any more. Nothing was written. Leave it out, or read the file again.`,
  );
}
