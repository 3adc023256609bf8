import { longestLine } from './codeLines.ts';
import type { Code, Context } from './context.ts';
import { standIn } from './leaf.ts';

/** Complete lines of code at the beginning of a text that goes on with the open block. */
export interface MoreCode {
  readonly count: number;
  readonly length: number;
  /** The open block with them. */
  readonly leaf: Code;
}

/** A line that closes a fence, or may yet. */
const mayClose = /^ {0,3}[`~]/m;

/**
 * Finds out whether a text is only more lines of a fence that stands in no quote and no list: the
 * parser would tell nothing about these that is not known.
 */
export function moreCode({ path, leaf }: Context, text: string): MoreCode | undefined {
  const [opening = ''] = leaf?.kind === 'code' ? leaf.lines : [];
  const length = text.lastIndexOf('\n') + 1;
  if (leaf?.kind !== 'code' || path.length > 0 || leaf.insideLine || length === 0) return undefined;
  if (!/^[`~]/.test(opening) || text.length > longestLine || mayClose.test(text)) return undefined;
  const lines = text.slice(0, length).split('\n').slice(0, -1);
  const stands = standIn(opening, `${lines.at(-1) ?? ''}\n`);
  const settled = leaf.settled + lines.length;
  return { count: lines.length, length, leaf: { ...leaf, ...stands, settled } };
}
