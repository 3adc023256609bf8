import type { Token } from 'markdown-it';
import { blocksBetween, blocksIn } from './blocks.ts';
import { fillerWord, type ParseContext, type OpenBlock } from './parseContext.ts';
import type { ParsedBlocks } from './parser.ts';
import { isLoose, isList } from './walk.ts';

/**
 * Checks whether stable text must be parsed again: the line below can turn a paragraph into a
 * heading, and the last item can make a list loose. Returns the depth from which the context is
 * invalid, counted from the outermost container; undefined if it is valid.
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

/** A delimiter row that makes the line above a table head, of which the parser sees only a part. */
const belowIsDelimiter = /^[^\n]*\n[ \t]*[|:-][-|: \t]*(?:\n|$)/;

/** A tight list renders paragraphs without an element, so the list must be reopened as well. */
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
