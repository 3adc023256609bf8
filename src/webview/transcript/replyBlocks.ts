import type { Part, ToolCallPart } from '../../core/conversation/conversation.ts';

/** A block of a reply: one part, or the calls of one model response. */
export type ReplyBlock =
  | { readonly type: 'part'; readonly index: number; readonly part: Exclude<Part, ToolCallPart> }
  | { readonly type: 'calls'; readonly index: number; readonly calls: readonly ToolCallPart[] };

/** The blocks of a reply in order, each with the index of its first part. */
export function replyBlocks(parts: readonly Part[]): readonly ReplyBlock[] {
  const blocks: ReplyBlock[] = [];
  let calls: ToolCallPart[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.type !== 'tool-call') {
      blocks.push({ type: 'part', index, part });
      calls = [];
    } else if (calls[0]?.round === part.round) {
      calls.push(part);
    } else {
      calls = [part];
      blocks.push({ type: 'calls', index, calls });
    }
  }
  return blocks;
}

/** True if two blocks render the same. */
export function isSameBlock(block: ReplyBlock, other: ReplyBlock): boolean {
  if (block.type === 'part' || other.type === 'part')
    return 'part' in block && 'part' in other && block.part === other.part;
  const { calls } = other;
  return block.calls.length === calls.length && block.calls.every((call, at) => call === calls[at]);
}
