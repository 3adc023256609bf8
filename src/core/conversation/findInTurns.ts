import { partText, type Turn } from './conversation.ts';

/** Number of characters that are searched before yielding. */
const pieceLength = 200_000;

/** A message, or a part of a reply, that contains matches. */
export interface FindMatch {
  readonly turn: string;
  /** Index of the part of the reply; absent for the message. */
  readonly part?: number | undefined;
  readonly hits: number;
}

/**
 * Searches turns, oldest first. Yields every few milliseconds of work, and for each message or part
 * that has matches, so that the caller can spread the search over time.
 */
export function* findInTurns(
  turns: Iterable<Turn>,
  pattern: RegExp,
): Generator<FindMatch | undefined, void> {
  let searched = 0;
  for (const { id: turn, question: message, parts } of turns) {
    for (const [index, text] of [message.text, ...parts.map(partText)].entries()) {
      let hits = 0;
      for (const piece of piecesOf(text)) {
        hits += countHits(piece, pattern);
        searched += piece.length;
        if (searched < pieceLength) continue;
        searched = 0;
        yield undefined;
      }
      if (hits > 0) yield { turn, part: index === 0 ? undefined : index - 1, hits };
    }
  }
}

function* piecesOf(text: string): Generator<string, void> {
  let start = 0;
  while (text.length - start > pieceLength) {
    const lineEnd = text.lastIndexOf('\n', start + pieceLength);
    const end = lineEnd > start ? lineEnd : start + pieceLength;
    yield text.slice(start, end);
    start = end;
  }
  yield text.slice(start);
}

/**
 * Counts matches both in the Markdown source and without markup, which may interrupt words; returns
 * the larger count.
 */
function countHits(text: string, pattern: RegExp): number {
  const displayed = text.replaceAll(marks, '$1');
  const inSource = countMatches(text, pattern);
  return displayed.length === text.length
    ? inSource
    : Math.max(inSource, countMatches(displayed, pattern));
}

/** Invisible markup: emphasis, code, strikethrough, escapes, and link targets. */
const marks =
  /\*+|`+|~~|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])|\\(?=[!-/:-@[-`{-~])|!?\[([^\][\n]{0,1000})\]\([^()\n]{0,2000}\)/gu;

function countMatches(text: string, pattern: RegExp): number {
  let count = 0;
  for (const match of text.matchAll(pattern)) count += match.length > 0 ? 1 : 0;
  return count;
}

/**
 * The pattern of a query: its words in any case, separated by any white space. Undefined if the
 * query has no words. Host and view share it, so that the host counts what the view highlights.
 */
export function findPattern(query: string): RegExp | undefined {
  const words = query.trim().split(/\s+/u);
  if (words[0] === '') return undefined;
  return new RegExp(words.map(wordPattern).join('\\s+'), 'giu');
}

/** The pattern of a word in any Unicode normalization. */
export function wordPattern(word: string): string {
  return anyOf(composedForms(word).map(escapePattern));
}

/**
 * The distinct spellings of a word: as is, composed and decomposed. File names on macOS are
 * decomposed.
 */
export function composedForms(word: string): readonly string[] {
  return [...new Set([word, word.normalize('NFC'), word.normalize('NFD')])];
}

export function anyOf(patterns: readonly string[]): string {
  const [only] = patterns;
  return patterns.length === 1 && only !== undefined ? only : `(?:${patterns.join('|')})`;
}

export function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/gu, '\\$&');
}
