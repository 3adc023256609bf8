import type { Token } from 'markdown-it';
import type { ParsedBlocks } from './parser.ts';

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
export function isClosed({ source, tokens }: ParsedBlocks): boolean {
  if (!source.endsWith('\n\n')) return false;
  const { type, map } = tokens[lastBlockIndex(tokens)] ?? {};
  return type !== 'fence' || offsetOfLine(source, map?.[1] ?? 0) < source.length;
}
