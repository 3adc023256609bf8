import type { Token } from 'markdown-it';
import { blocksBetween, blocksIn } from './blocks.ts';
import { fillerWord, type ParseContext, type OpenBlock } from './parseContext.ts';
import type { ParsedBlocks } from './parser.ts';
import { isLoose, isList } from './walk.ts';

/**
 * Checks whether text that was considered stable has to be parsed again: a paragraph may become a
 * heading by the line below it, and a list may become loose by its last item. Returns the depth
 * from which the context is invalid, counted from the outermost container, or undefined if all of
 * it is valid.
 */
export function findContradiction(parsed: ParsedBlocks, context: ParseContext): number | undefined {
  const { tokens, source } = parsed;
  const lines = source.split('\n');
  let from = 0;
  let quotes = 0;
  for (const [depth, container] of context.path.entries()) {
    const token = tokens[from];
    if (token === undefined) return depth;
    if (container.kind === 'quote') {
      if (token.type !== 'blockquote_open') return depth;
      quotes += 1;
      from += 1;
    } else {
      if (!isList(token)) return depth;
      const list = blocksBetween(tokens, from, tokens.length)[0];
      const items = list === undefined ? [] : blocksIn(tokens, list);
      if (!container.loose && isLoose(tokens, items, lines, quotes)) return depth;
      from += 2;
    }
  }
  const { openBlock } = context;
  if (openBlock === undefined || continues(openBlock, tokens, from)) return undefined;
  return depthOfOpenBlock(openBlock, context.path);
}

function continues(openBlock: OpenBlock, tokens: readonly Token[], index: number): boolean {
  if (!typesOf(openBlock).includes(tokens[index]?.type ?? '')) return false;
  if (openBlock.kind !== 'paragraph') return true;
  const content = tokens[index + 1]?.content ?? '';
  return content !== fillerWord && !(openBlock.insideLine && belowIsDelimiter.test(content));
}

/**
 * A delimiter row that turns the line above into a table head; the parser sees only a part of that
 * line.
 */
const belowIsDelimiter = /^[^\n]*\n[ \t]*[|:-][-|: \t]*(?:\n|$)/;

/** A tight list renders paragraphs without an element, so the list has to be reopened as well. */
function depthOfOpenBlock({ kind }: OpenBlock, path: ParseContext['path']): number {
  const list = path.at(-1);
  const isTight = kind === 'paragraph' && list?.kind === 'list' && !list.loose;
  return isTight ? path.length - 1 : path.length;
}

function typesOf(openBlock: OpenBlock): readonly string[] {
  switch (openBlock.kind) {
    case 'code':
      return ['fence', 'code_block'];
    case 'table':
      return ['table_open'];
    case 'paragraph':
      return ['paragraph_open'];
  }
}
