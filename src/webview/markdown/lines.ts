import type { Token } from 'markdown-it';
import type { ParsedBlocks } from './parser.ts';

/** Where a line starts; lines are counted from 0, at a position that may be that of a later one. */
export function offsetOfLine(text: string, line: number, from = 0): number {
  let offset = from;
  for (let index = 0; index < line; index++) {
    const end = text.indexOf('\n', offset);
    if (end < 0) return text.length;
    offset = end + 1;
  }
  return offset;
}

/** Where each of these lines starts, of which none is above the one before it. */
export function offsetsOfLines(text: string, lines: readonly number[]): number[] {
  let line = 0;
  let offset = 0;
  return lines.map((next) => {
    offset = offsetOfLine(text, next - line, offset);
    line = next;
    return offset;
  });
}

/** The text of a line from a position in it. */
export function restOfLine(text: string, position: number): string {
  const end = text.indexOf('\n', position);
  return text.slice(position, end < 0 ? undefined : end);
}

/** Where the line of a position starts. */
export function startOfLine(text: string, position: number): number {
  return position === 0 ? 0 : text.lastIndexOf('\n', position - 1) + 1;
}

/** The innermost block at the end of a text, in the middle of a line. */
interface UnfinishedBlock {
  readonly token: Token;
  /** Of the leaf among the tokens. */
  readonly index: number;
  /** What there is of the last line. */
  readonly line: string;
}

/** Of the innermost block at the end; of its first token, where it is still empty. */
export function lastBlockIndex(tokens: readonly Token[]): number {
  return tokens.findLastIndex(({ nesting }) => nesting !== -1);
}

/** Undefined where the text ends with a line, or with one that belongs to no leaf. */
export function findUnfinishedBlock({ source, tokens }: ParsedBlocks): UnfinishedBlock | undefined {
  const start = source.lastIndexOf('\n') + 1;
  const line = source.slice(start);
  const index = lastBlockIndex(tokens);
  const token = tokens[index];
  const lastLine = token?.map?.[1];
  if (token === undefined || lastLine === undefined || line === '') return undefined;
  return offsetOfLine(source, lastLine - 1) === start ? { token, index, line } : undefined;
}

/** Whether a blank line ended the last block: only a fence goes on with more of them. */
export function isClosed({ source, tokens }: ParsedBlocks): boolean {
  if (!source.endsWith('\n\n')) return false;
  const { type, map } = tokens[lastBlockIndex(tokens)] ?? {};
  return type !== 'fence' || offsetOfLine(source, map?.[1] ?? 0) < source.length;
}
