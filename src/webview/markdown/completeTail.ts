import { closeInline } from './closeInline.ts';
import type { ParsedBlocks } from './parser.ts';
import { offsetOfLine } from './lines.ts';
import { mayDefineLink } from './openDefinition.ts';
import { lastLeafIndex } from './openLeaf.ts';
import { withoutTableHead } from './tableHead.ts';
import { trimEnd } from './trimEnd.ts';
import { isUndecided } from './undecidedLine.ts';

export { isUndecided } from './undecidedLine.ts';

/** Up to the last bar of a row that is none of a cell's text. */
const wholeCells = /^.*(?<!\\)\|/;
const partOfFence = /^[\s>]*(?:`+|~+)$/;

const endsFence = (line: string): boolean => partOfFence.test(line);

/**
 * The still open end of a reply as it is shown meanwhile: unfinished emphasis, code and links are
 * closed, and a last line that could yet become anything is held back, so that no raw syntax
 * flashes up. Only for display: the text itself stays what it is.
 */
export function completeTail({ source: text, tokens }: ParsedBlocks): string {
  const index = lastLeafIndex(tokens);
  const leaf = tokens[index];
  if (leaf === undefined) return text;
  // An item or a quote that is still empty: what comes before it is finished.
  if (leaf.nesting === 1) return withoutLastLine(text, isUndecided);
  if (leaf.type === 'fence') return withoutLastLine(text, endsFence);
  if (leaf.type === 'code_block' || leaf.type === 'hr') return text;
  if (/^t[hd]_close$/.test(tokens[index + 1]?.type ?? '')) return completeRow(text);
  if (mayDefineLink(tokens, index)) return text.slice(0, offsetOfLine(text, leaf.map?.[0] ?? 0));
  const lines = withoutLastLine(text, isUndecided);
  const isHeading = tokens[index - 1]?.markup.startsWith('#') === true;
  const decided = isHeading ? lines : withoutTableHead(lines);
  const start = leaf.map === null ? 0 : offsetOfLine(decided, leaf.map[0]);
  const closed = decided.slice(0, start) + closeInline(decided.slice(start));
  // Of a line whose first word is still open, nothing may be left but its marker.
  const completed = withoutLastLine(closed, isUndecided);
  // The same text need not be parsed again.
  return completed === trimEnd(text) ? text : completed;
}

function withoutLastLine(text: string, isHeld: (line: string) => boolean): string {
  const start = text.lastIndexOf('\n') + 1;
  return isHeld(text.slice(start)) ? text.slice(0, start) : text;
}

/** Only the last cell of a table can be unfinished. */
function completeRow(text: string): string {
  if (text.endsWith('\n')) return text;
  const line = text.lastIndexOf('\n') + 1;
  const [row = ''] = wholeCells.exec(text.slice(line)) ?? [];
  const cell = line + row.length;
  return text.slice(0, cell) + closeInline(text.slice(cell));
}
