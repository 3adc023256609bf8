import type { Token } from 'markdown-it';

const mark = /^\[[ xX]\] /;

/**
 * Whether a block stands on the line of an item's marker. Of such a block the parser always sees
 * that line, unless a part of the block is settled.
 */
export function opensItem(tokens: readonly Token[], index: number): boolean {
  const item = tokens[index - 1];
  return item?.type === 'list_item_open' && item.map?.[0] === tokens[index]?.map?.[0];
}

/** The mark that makes an item a task, with the space after it; empty where a paragraph has none. */
export function taskMark(tokens: readonly Token[], paragraph: number): string {
  const isParagraph = tokens[paragraph]?.type === 'paragraph_open';
  if (!isParagraph || !opensItem(tokens, paragraph)) return '';
  return mark.exec(tokens[paragraph + 1]?.content ?? '')?.[0] ?? '';
}
