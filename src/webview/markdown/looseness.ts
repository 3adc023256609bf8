import type { Token } from 'markdown-it';
import { blocksIn, type Block } from './blocks.ts';
import type { Context } from './context.ts';

/** Whether a blank line stands between the items of a list, or between the blocks of one. */
export function isLoose(
  tokens: readonly Token[],
  items: readonly Block[],
  lines: readonly string[],
  quotes: number,
): boolean {
  const blank = new RegExp(`^(?:[ \\t]*>){0,${quotes}}[ \\t]*$`);
  const followsBlank = (block: Block, index: number): boolean =>
    index > 0 && blank.test(lines[block.line - 1] ?? '');
  return (
    items.some(followsBlank) || items.some((item) => blocksIn(tokens, item).some(followsBlank))
  );
}

/**
 * Shows the paragraphs in lists that are loose by what is settled. The parser sees only the rest of
 * these lists, and may take them for tight ones.
 */
export function loosen(tokens: readonly Token[], { path }: Context): void {
  let index = 0;
  for (const container of path) {
    if (container.kind === 'list' && container.loose) showParagraphs(tokens, index);
    index += container.kind === 'list' ? 2 : 1;
  }
}

/** The same for the list that begins at this token. */
export function showParagraphs(tokens: readonly Token[], first: number): void {
  const level = tokens[first]?.level ?? 0;
  for (let index = first + 1; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined || token.level <= level) return;
    if (token.level === level + 2 && /^paragraph_/.test(token.type)) token.hidden = false;
  }
}
