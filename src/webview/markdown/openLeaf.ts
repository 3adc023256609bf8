import type { Token } from 'markdown-it';
import { offsetOfLine } from './lines.ts';
import type { ParsedBlocks } from './parser.ts';

/** The innermost block at the end of a text, in the middle of a line. */
export interface OpenLeaf {
  readonly leaf: Token;
  /** Of the leaf among the tokens. */
  readonly index: number;
  /** What there is of the last line. */
  readonly line: string;
}

/** Of the innermost block at the end; of its first token, where it is still empty. */
export function lastLeafIndex(tokens: readonly Token[]): number {
  return tokens.findLastIndex(({ nesting }) => nesting !== -1);
}

/** Undefined where the text ends with a line, or with one that belongs to no leaf. */
export function findOpenLeaf({ source, tokens }: ParsedBlocks): OpenLeaf | undefined {
  const start = source.lastIndexOf('\n') + 1;
  const line = source.slice(start);
  const index = lastLeafIndex(tokens);
  const leaf = tokens[index];
  const lastLine = leaf?.map?.[1];
  if (leaf === undefined || lastLine === undefined || line === '') return undefined;
  return offsetOfLine(source, lastLine - 1) === start ? { leaf, index, line } : undefined;
}

/** Whether a blank line ended the last block: only a fence goes on with more of them. */
export function isClosed({ source, tokens }: ParsedBlocks): boolean {
  if (!source.endsWith('\n\n')) return false;
  const { type, map } = tokens[lastLeafIndex(tokens)] ?? {};
  return type !== 'fence' || offsetOfLine(source, map?.[1] ?? 0) < source.length;
}
