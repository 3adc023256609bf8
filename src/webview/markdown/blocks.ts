import type { Token } from 'markdown-it';

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
    const end = endOf(tokens, first);
    blocks.push({ token, first, end, line: token.map?.[0] ?? 0 });
    first = end;
  }
  return blocks;
}

export function blocksIn(tokens: readonly Token[], { first, end }: Block): Block[] {
  return blocksBetween(tokens, first + 1, end - 1);
}

function endOf(tokens: readonly Token[], first: number): number {
  const open = tokens[first];
  if (open?.nesting !== 1) return first + 1;
  let end = first + 1;
  for (;;) {
    const token = tokens[end];
    end += 1;
    if (token === undefined || (token.level === open.level && token.nesting === -1)) return end;
  }
}
