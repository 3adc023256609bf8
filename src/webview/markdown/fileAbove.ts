import type { Token } from 'markdown-it';
import { depthOf, type Context } from './context.ts';
import type { NamedFile } from './filePath.ts';
import { fileOfLine } from './namedFile.ts';

/** The file that the line above a block names; `index` is that of the block's first token. */
export function fileAbove(
  tokens: readonly Token[],
  index: number,
  { path, leaf, above }: Context,
): NamedFile | undefined {
  const depth = depthOf(path);
  // What is above the block that the text goes on with is settled, and was looked at then.
  if (index === depth) return above;
  const type = tokens[index - 1]?.type;
  if (type !== 'paragraph_close' && type !== 'heading_close') return undefined;
  // A paragraph of which a part is settled says more than a name.
  if (leaf !== undefined && index - 3 === depth) return undefined;
  return fileOfLine(tokens[index - 2]?.content ?? '', type === 'heading_close');
}
