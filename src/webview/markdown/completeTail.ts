import { closeInline } from './closeInline.ts';
import { parseBlocks } from './parser.ts';
import { offsetOfLine } from './stableLength.ts';

/** A last line that may still become a list, a heading, a rule, a table or plain text. */
const undecided = /^[\s>]*(?:[-+*]|\d{1,9}[.)]?|#{1,6}|[-=_*~`|:\s]+)\s*$/;
const partOfFence = /^[\s>]*(?:`+|~+)$/;

/**
 * The still open end of a reply as it is shown meanwhile: unfinished emphasis, code and links are
 * closed, and a last line that could yet become anything is held back, so that no raw syntax
 * flashes up. Only for display: the text itself stays what it is.
 */
export function completeTail(text: string): string {
  const tokens = parseBlocks(text);
  const index = tokens.findLastIndex((token) => token.nesting === 0);
  const leaf = tokens[index];
  if (leaf === undefined) return text;
  if (leaf.type === 'fence') return withoutLastLine(text, partOfFence);
  if (leaf.type === 'code_block') return text;
  if (/^t[hd]_close$/.test(tokens[index + 1]?.type ?? '')) return completeRow(text);
  const decided = withoutTableHead(withoutLastLine(text, undecided));
  const start = leaf.map === null ? 0 : offsetOfLine(decided, leaf.map[0]);
  return decided.slice(0, start) + closeInline(decided.slice(start));
}

function withoutLastLine(text: string, pattern: RegExp): string {
  const start = text.lastIndexOf('\n') + 1;
  return pattern.test(text.slice(start)) ? text.slice(0, start) : text;
}

/** A row of cells is a table only once the line below it says so. */
function withoutTableHead(text: string): string {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  const start = text.lastIndexOf('\n', end - 1) + 1;
  const before = text.lastIndexOf('\n', start - 2) + 1;
  const isRow =
    text.startsWith('|', start) && !text.startsWith('|', before === start ? -1 : before);
  return isRow || (text.startsWith('|', start) && start === 0) ? text.slice(0, start) : text;
}

/** Only the last cell of a table can be unfinished. */
function completeRow(text: string): string {
  if (text.endsWith('\n')) return text;
  const cell = Math.max(text.lastIndexOf('|'), text.lastIndexOf('\n')) + 1;
  return text.slice(0, cell) + closeInline(text.slice(cell));
}
