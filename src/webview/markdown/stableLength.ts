import { parseBlocks } from './parser.ts';

/**
 * How much of a growing text (cut at a line's end) is certain not to be read differently whatever
 * follows. Blocks are read line by line and never reopened, so all but the last are certain. The
 * end of the last but one counts, not the start of the last: between the two there may be link
 * definitions, which leave no token and may still grow by a title.
 */
export function stableLength(completeLines: string): number {
  const blocks = parseBlocks(completeLines).filter(
    (token) => token.level === 0 && token.nesting >= 0,
  );
  const end = blocks.at(-2)?.map?.[1];
  return end === undefined ? 0 : offsetOfLine(completeLines, end);
}

/** Where a line starts; lines are counted from 0. */
export function offsetOfLine(text: string, line: number): number {
  let offset = 0;
  for (let index = 0; index < line; index++) {
    const end = text.indexOf('\n', offset);
    if (end < 0) return text.length;
    offset = end + 1;
  }
  return offset;
}
