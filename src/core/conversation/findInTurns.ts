import type { Part, Turn } from './conversation.ts';

/** A question or a part of an answer in which something was found. */
export interface FindMatch {
  /** Identifier of the turn. */
  readonly turn: string;
  /** Index of the part of the answer; absent for the question. */
  readonly part?: number | undefined;
  readonly hits: number;
}

/** Characters that are searched in one go. */
const pieceLength = 200_000;

/**
 * Looks through turns, oldest first. Yields after each piece of work, of some milliseconds, with the
 * place where something was found in it: the caller decides how fast it goes on.
 */
export function* findInTurns(
  turns: Iterable<Turn>,
  pattern: RegExp,
): Generator<FindMatch | undefined, void> {
  let searched = 0;
  for (const { id: turn, question: message, parts } of turns) {
    for (const [part, text] of [[undefined, message.text] as const, ...parts.map(textAt)]) {
      let hits = 0;
      for (const piece of piecesOf(text)) {
        hits += countHits(piece, pattern);
        searched += piece.length;
        if (searched < pieceLength) continue;
        searched = 0;
        yield undefined;
      }
      if (hits > 0) yield { turn, part, hits };
    }
  }
}

function textAt(part: Part, index: number): readonly [number, string] {
  if (part.type !== 'tool-call') return [index, part.text];
  return [index, `${part.title ?? part.name}\n${part.arguments}`];
}

/** A long text is cut at the end of a line where there is one. */
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

/** In Markdown as it was written, and as it reads: marks may stand in the middle of the words. */
function countHits(text: string, pattern: RegExp): number {
  const reads = text.replaceAll(marks, '$1');
  const written = countMatches(text, pattern);
  return reads.length === text.length ? written : Math.max(written, countMatches(reads, pattern));
}

/** What Markdown does not show: emphasis, code, strikethrough, escapes, and where links lead. */
const marks =
  /\*+|`+|~~|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])|\\(?=[!-/:-@[-`{-~])|!?\[([^\][\n]{0,1000})\]\([^()\n]{0,2000}\)/gu;

function countMatches(text: string, pattern: RegExp): number {
  let count = 0;
  for (const match of text.matchAll(pattern)) count += match.length > 0 ? 1 : 0;
  return count;
}

/**
 * What a query looks for: its words in any case, with any white space between them. Undefined where
 * it has none. Both ends use it, so that what one counts is what the other shows.
 */
export function findPattern(query: string): RegExp | undefined {
  const words = query.trim().split(/\s+/u);
  if (words[0] === '') return undefined;
  return new RegExp(words.map(escapePattern).join('\\s+'), 'giu');
}

function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/gu, '\\$&');
}
