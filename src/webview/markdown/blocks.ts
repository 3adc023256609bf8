import type { Token } from 'markdown-it';
import { endsInFormula } from './delimiters.ts';
import { parseInline, type ParsedBlocks } from './parser.ts';

export interface Block {
  readonly token: Token;
  /** Index of the first token, and of the token after the last. */
  readonly first: number;
  readonly end: number;
  readonly line: number;
}

/** The sibling blocks between two token indexes. */
export function blocksBetween(tokens: readonly Token[], from: number, to: number): Block[] {
  const blocks: Block[] = [];
  let first = from;
  while (first < to) {
    const token = tokens[first];
    if (token === undefined) break;
    let end = first + 1;
    let last = token;
    while (token.nesting === 1 && !(last.nesting === -1 && last.level === token.level)) {
      const next = tokens[end];
      end += 1;
      if (next === undefined) break;
      last = next;
    }
    blocks.push({ token, first, end, line: token.map?.[0] ?? 0 });
    first = end;
  }
  return blocks;
}

export function blocksIn(tokens: readonly Token[], { first, end }: Block): Block[] {
  return blocksBetween(tokens, first + 1, end - 1);
}

/** Offset of the start of a line. Line 0 starts at the offset `from`. */
export function offsetOfLine(text: string, line: number, from = 0): number {
  let offset = from;
  for (let index = 0; index < line; index++) {
    const end = text.indexOf('\n', offset);
    if (end < 0) return text.length;
    offset = end + 1;
  }
  return offset;
}

/** Offsets of the starts of lines, which must be in ascending order. */
export function offsetsOfLines(text: string, lines: readonly number[]): number[] {
  let line = 0;
  let offset = 0;
  return lines.map((next) => {
    offset = offsetOfLine(text, next - line, offset);
    line = next;
    return offset;
  });
}

export function restOfLine(text: string, position: number): string {
  const end = text.indexOf('\n', position);
  return text.slice(position, end < 0 ? undefined : end);
}

export function startOfLine(text: string, position: number): number {
  return position === 0 ? 0 : text.lastIndexOf('\n', position - 1) + 1;
}

/** The innermost block at the end of a text that ends within a line. */
interface UnfinishedBlock {
  readonly token: Token;
  readonly index: number;
  readonly line: string;
}

/** Index of the innermost block at the end; of its opening token if it is empty. */
export function lastBlockIndex(tokens: readonly Token[]): number {
  return tokens.findLastIndex(({ nesting }) => nesting !== -1);
}

/** Undefined if the text ends with a complete line, or with one that belongs to no such block. */
export function findUnfinishedBlock({ source, tokens }: ParsedBlocks): UnfinishedBlock | undefined {
  const start = source.lastIndexOf('\n') + 1;
  const line = source.slice(start);
  const index = lastBlockIndex(tokens);
  const token = tokens[index];
  const lastLine = token?.map?.[1];
  if (token === undefined || lastLine === undefined || line === '') return undefined;
  return offsetOfLine(source, lastLine - 1) === start ? { token, index, line } : undefined;
}

/** True if a blank line closed the last block. Only its closing line closes a fence. */
export function endsClosed({ source, tokens }: ParsedBlocks): boolean {
  if (!source.endsWith('\n\n')) return false;
  const { type, map } = tokens[lastBlockIndex(tokens)] ?? {};
  return type !== 'fence' || offsetOfLine(source, map?.[1] ?? 0) < source.length;
}

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
    // After the first single space or line break between two words.
    const boundary = /\S[ \n](?=\S)/g;
    boundary.lastIndex = Math.max(least, last ?? 0) - 2;
    const end = boundary.test(text) ? boundary.lastIndex : undefined;
    if (end === undefined || end > maxPieceLength) break;
    if (isClosed(text.slice(0, end))) return end;
    last = end + 1;
  }
  if (text.length <= maxPieceLength + 1) return undefined;
  const space = text.lastIndexOf(' ', maxPieceLength);
  if (space >= maxPieceLength / 2) return space + 1;
  const splitsPair = /[\uDC00-\uDFFF]/.test(text.charAt(maxPieceLength));
  return splitsPair ? maxPieceLength - 1 : maxPieceLength;
}

/** True if no emphasis, code, link or formula is open at the end of a text. */
function isClosed(text: string): boolean {
  if (endsInFormula(text)) return false;
  if (!opensSomething.test(text)) return true;
  // Emphasis characters surrounded by spaces open nothing.
  return parseInline(text, {}).every(
    ({ type, content }) =>
      type !== 'text' || !opensSomething.test(content.replaceAll(/ [*_~]+ /g, ' ')),
  );
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
