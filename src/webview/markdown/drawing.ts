import type { Token } from 'markdown-it';
import { blocksBetween, blocksIn, type Block } from './blocks.ts';
import type { Grammar } from './highlight/grammar.ts';
import type { VNode } from './vnode.ts';

/** What a parsed text is to look like, and which nodes belong to which block. */
export interface Drawing {
  readonly pages: readonly VNode[];
  readonly tokens: readonly Token[];
  /** The first node of each block, by the index of its first token. */
  readonly nodes: ReadonlyMap<number, VNode>;
  /** The parts of code, tables and paragraphs, likewise. */
  readonly parts: ReadonlyMap<number, BlockParts>;
  /** Tables with more rows than the first group takes. */
  readonly longTables: readonly VNode[];
  /** Where the text of a page begins in the document. */
  readonly pageStarts: ReadonlyMap<VNode, number>;
}

/** Lines of code, rows of a table, or pieces of a paragraph. */
export interface BlockParts {
  readonly holder: VNode;
  /** The first node of each. */
  readonly starts: readonly VNode[];
  /** What the grammar knows after the last complete line. */
  readonly grammar?: Grammar | undefined;
}

/** The node before which everything is settled, or the one of which the whole content is. */
export interface StableBoundary {
  readonly node: VNode;
  readonly isEnd: boolean;
  /** What the grammar knows there. */
  readonly grammar?: Grammar | undefined;
}

/**
 * Follows the steps of a settlement. What is held back from the page ends the way early. Where that
 * is the outermost block, or the first one of another, there is no border: it may go on with what is
 * in the page, or begin a page of its own.
 */
export function findStableBoundary(
  { tokens, nodes, parts, pages }: Drawing,
  steps: readonly number[],
  partCount: number,
): StableBoundary | undefined {
  let blocks: readonly Block[] = blocksBetween(tokens, 0, tokens.length);
  let holder = pages.at(-1);
  let border: StableBoundary | undefined;
  for (const [level, step] of steps.entries()) {
    const isHeldBack = blocks.length <= step;
    if (isHeldBack && (level === 0 || step === 0)) return undefined;
    // A link definition has no node: the border is before what comes after it.
    const block = blocks.slice(step).find(({ first }) => nodes.has(first));
    const node = block === undefined ? undefined : nodes.get(block.first);
    if (block === undefined || node === undefined) return boundaryAtEnd(holder);
    if (block !== blocks[step]) return { node, isEnd: false };
    const cut = parts.get(block.first);
    border =
      cut === undefined || partCount === 0
        ? { node, isEnd: false }
        : boundaryAtPart(cut, partCount);
    holder = node;
    blocks = block.token.nesting === 1 ? blocksIn(tokens, block) : [];
  }
  return border;
}

function boundaryAtEnd(node: VNode | undefined): StableBoundary | undefined {
  return node === undefined ? undefined : { node, isEnd: true };
}

/** Where a part of a block begins; the end of the block where there is no such part yet. */
export function boundaryAtPart(
  { starts, holder, grammar }: BlockParts,
  count: number,
): StableBoundary {
  const node = starts[count];
  return { node: node ?? holder, isEnd: node === undefined, grammar };
}
