import type { Edit } from './edit.ts';
import { lineStart } from './lineStart.ts';
import { indentOf, isBlank } from './whiteSpace.ts';

/**
 * The replacement for a place that was found as it is written. A model that searches for a line
 * without its indentation may also write the block around it as if it began at the margin: such a
 * block, which ends with a bracket there, is moved to where the line is.
 */
export function indentBlock(text: string, start: number, { search, replace }: Edit): string {
  const indent = text.slice(lineStart(text, start), start);
  if (indent === '' || !isBlank(indent) || search.includes('\n')) return replace;
  const lines = replace.split('\n');
  if (!isBlock(lines)) return replace;
  return lines
    .map((line, index) => (index === 0 || isBlank(line) ? line : indent + line))
    .join('\n');
}

/** Whether lines begin and end at the margin, and their brackets are in pairs from one to the other. */
function isBlock(lines: readonly string[]): boolean {
  const [first = '', ...rest] = lines;
  const last = rest.findLast((line) => !isBlank(line)) ?? '';
  if (indentOf(first) !== '' || !/^[)\]}]/.test(last)) return false;
  let depth = 0;
  for (const [index, line] of lines.entries()) {
    for (const bracket of line.match(/[()[\]{}]/g) ?? []) {
      depth += '([{'.includes(bracket) ? 1 : -1;
    }
    // Between the first line and the last, something else begins at the margin.
    if (depth === 0 && index < lines.length - 1 && !isBlank(lines[index + 1] ?? '')) return false;
  }
  return depth === 0;
}
