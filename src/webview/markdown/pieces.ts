import type { Token } from 'markdown-it';
import { endsInFormula } from './formula/delimiters.ts';
import { parseInline } from './parser.ts';

/** Approximate length of a paragraph piece. Pieces become stable one after the other. */
export const minPieceLength = 1000;
/** Maximum length of a piece: emphasis, code and links don't extend beyond it. */
const maxPieceLength = 16_000;

const opensSomething = /[*_~`[<]/;

/**
 * Splits a paragraph into pieces, between two words with no open emphasis, code or link, so that
 * each can be parsed separately. A cut depends only on the text before it: a growing text keeps its
 * pieces.
 */
export function piecesOf(content: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (;;) {
    const length = lengthOfPiece(content.slice(start, start + maxPieceLength + 2));
    if (length === undefined) break;
    pieces.push(content.slice(start, start + length));
    start += length;
  }
  return [...pieces, content.slice(start)];
}

/** Undefined if the text is one piece, or may still become one. */
function lengthOfPiece(text: string): number | undefined {
  let last: number | undefined;
  for (let least = minPieceLength; least < maxPieceLength; least *= 2) {
    const end = wordBoundary(text, Math.max(least, last ?? 0));
    if (end === undefined || end > maxPieceLength) break;
    if (isClosed(text.slice(0, end))) return end;
    last = end + 1;
  }
  return text.length > maxPieceLength + 1 ? forcedLength(text) : undefined;
}

/** The offset after the first single space or line break between two words. */
function wordBoundary(text: string, from: number): number | undefined {
  const boundary = /\S[ \n](?=\S)/g;
  boundary.lastIndex = from - 2;
  return boundary.exec(text) === null ? undefined : boundary.lastIndex;
}

function forcedLength(text: string): number {
  const space = text.lastIndexOf(' ', maxPieceLength);
  if (space >= maxPieceLength / 2) return space + 1;
  const splitsPair = /[\uDC00-\uDFFF]/.test(text.charAt(maxPieceLength));
  return splitsPair ? maxPieceLength - 1 : maxPieceLength;
}

function isClosed(text: string): boolean {
  if (endsInFormula(text)) return false;
  return !opensSomething.test(text) || parseInline(text, {}).every(isStable);
}

/** Emphasis characters surrounded by spaces open nothing. */
function isStable({ type, content }: Token): boolean {
  return type !== 'text' || !opensSomething.test(content.replaceAll(/ [*_~]+ /g, ' '));
}

const mark = /^\[[ xX]\] /;

/**
 * True if a block starts on the line of its item's marker. The parser always sees that line of such
 * a block, unless a part of the block is stable.
 */
export function opensItem(tokens: readonly Token[], index: number): boolean {
  const item = tokens[index - 1];
  return item?.type === 'list_item_open' && item.map?.[0] === tokens[index]?.map?.[0];
}

/** The mark of a task list item, including the following space; empty if there is none. */
export function taskMark(tokens: readonly Token[], paragraph: number): string {
  const isParagraph = tokens[paragraph]?.type === 'paragraph_open';
  if (!isParagraph || !opensItem(tokens, paragraph)) return '';
  return mark.exec(tokens[paragraph + 1]?.content ?? '')?.[0] ?? '';
}
