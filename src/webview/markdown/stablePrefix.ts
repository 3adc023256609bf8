import { offsetOfLine } from './lines.ts';
import { findOpenBlock } from './openBlock.ts';
import { fileAbove, type ParseContext, type ListContainer } from './parseContext.ts';
import type { ParsedBlocks } from './parser.ts';
import { walkDown, type Walk } from './walk.ts';

/** Where the open text starts, and the state of the parser there. */
export interface StableCut {
  /** Offset in the source where the open text starts. */
  readonly cut: number;
  /** Offset of the outermost open block, relative to the previous one. */
  readonly blockStart: number;
  readonly context: ParseContext;
}

/** The start of a text that is certain not to change, whatever follows. */
export interface StablePrefix extends StableCut {
  /** The path to the open block: its index among its siblings at each level, outermost first. */
  readonly steps: readonly number[];
  /** Number of lines or pieces of the open block that became stable. */
  readonly parts: number;
  /** Indexes of the first tokens of the open lists that are loose. */
  readonly looseLists: readonly number[];
}

/**
 * Finds the stable prefix of a text that ends with a complete line. Blocks are parsed line by line
 * and never reopened, so in each open container all blocks but the last are stable.
 *
 * @param startOf maps a line of the source to an offset in the outermost block
 */
export function findStablePrefix(
  parsed: ParsedBlocks,
  context: ParseContext,
  startOf: (line: number) => number,
): StablePrefix | undefined {
  const walk = walkDown(parsed, context, startOf);
  if (walk === undefined) return undefined;
  const inside = walk.levels.every(
    ({ container }) => container.kind === 'quote' || container.inside,
  );
  const block = inside ? findOpenBlock(parsed, walk, context, startOf) : undefined;
  const path = walk.levels.map(({ container }) => container);
  const above = inside ? fileAbove(parsed.tokens, walk.open.first, context) : undefined;
  if (block !== undefined) {
    const { openBlock, parts, cut } = block;
    const looseLists = looseListsOf(walk);
    return {
      ...walk,
      parts,
      cut,
      context: { path, openBlock, above },
      looseLists,
    };
  }
  const isBusy = walk.known && context.openBlock !== undefined;
  return isBusy || !parsed.source.endsWith('\n') ? undefined : atOpenBlock(parsed, walk, above);
}

/** A block on the line of a list marker is continued from that marker. */
function atOpenBlock(parsed: ParsedBlocks, walk: Walk, above: ParseContext['above']): StablePrefix {
  const { levels, steps, open, blockStart } = walk;
  const last = levels.at(-1);
  const beforeItem = last?.container.kind === 'list' && !last.container.inside;
  const line = (beforeItem ? last.itemLine : undefined) ?? open.line;
  const path = levels.map(({ container }) => container);
  const cut = offsetOfLine(parsed.source, line);
  const stablePrefix = {
    steps,
    parts: 0,
    cut,
    blockStart,
    context: { path, openBlock: undefined, above },
    looseLists: looseListsOf(walk),
  };
  const index = levels.findIndex(({ itemLine }) => itemLine === line);
  const level = levels[index];
  if (level?.container.kind !== 'list') return stablePrefix;
  const before: ListContainer = { ...level.container, inside: false };
  return {
    ...stablePrefix,
    steps: steps.slice(0, level.steps),
    context: { path: [...path.slice(0, index), before], openBlock: undefined, above: undefined },
  };
}

function looseListsOf({ levels }: Walk): number[] {
  return levels.flatMap(({ container, first }) =>
    container.kind === 'list' && container.loose ? [first] : [],
  );
}
