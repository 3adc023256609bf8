import type { Token } from 'markdown-it';
import { blocksBetween, blocksIn, type Block } from './blocks.ts';
import type { Grammar } from './highlight/grammar.ts';
import type { VNode } from './vnode.ts';

export interface Drawing {
  readonly pages: readonly VNode[];
  readonly tokens: readonly Token[];
  /** The first node of each block, by the index of the block's first token. */
  readonly nodes: ReadonlyMap<number, VNode>;
  /** The parts of code blocks, tables and paragraphs, by the same index. */
  readonly parts: ReadonlyMap<number, BlockParts>;
  /** Tables with more rows than fit in one group. */
  readonly longTables: readonly VNode[];
  /** Offset in the document of each page's text. */
  readonly pageStarts: ReadonlyMap<VNode, number>;
}

/** Lines of a code block, rows of a table, or pieces of a paragraph. */
export interface BlockParts {
  readonly holder: VNode;
  /** The first node of each part. */
  readonly starts: readonly VNode[];
  /** The state of the grammar after the last complete line. */
  readonly grammar?: Grammar | undefined;
}

/** The end of the stable nodes: before `node`, or at the end of its content if `isEnd`. */
export interface StableBoundary {
  readonly node: VNode;
  readonly isEnd: boolean;
  readonly grammar?: Grammar | undefined;
}

/**
 * Finds the end of the stable nodes along the path to the open block. The path ends early if later
 * text is held back. There is no boundary if the outermost block, or the first one in its parent,
 * is held back: it may continue the rendered block, or start a new page.
 */
export function findStableBoundary(
  { tokens, nodes, parts, pages }: Drawing,
  steps: readonly number[],
  partCount: number,
): StableBoundary | undefined {
  let blocks: readonly Block[] = blocksBetween(tokens, 0, tokens.length);
  let holder = pages.at(-1);
  let boundary: StableBoundary | undefined;
  for (const [level, step] of steps.entries()) {
    const isHeldBack = blocks.length <= step;
    if (isHeldBack && (level === 0 || step === 0)) return undefined;
    // A link definition has no node: the boundary is before the next block.
    const block = blocks.slice(step).find(({ first }) => nodes.has(first));
    const node = block === undefined ? undefined : nodes.get(block.first);
    if (block === undefined || node === undefined) return boundaryAtEnd(holder);
    if (block !== blocks[step]) return { node, isEnd: false };
    const blockParts = parts.get(block.first);
    boundary =
      blockParts === undefined || partCount === 0
        ? { node, isEnd: false }
        : boundaryAtPart(blockParts, partCount);
    holder = node;
    blocks = block.token.nesting === 1 ? blocksIn(tokens, block) : [];
  }
  return boundary;
}

function boundaryAtEnd(node: VNode | undefined): StableBoundary | undefined {
  return node === undefined ? undefined : { node, isEnd: true };
}

/** The boundary before a part of a block; at the end of the block if the part doesn't exist yet. */
export function boundaryAtPart(
  { starts, holder, grammar }: BlockParts,
  count: number,
): StableBoundary {
  const node = starts[count];
  return { node: node ?? holder, isEnd: node === undefined, grammar };
}
