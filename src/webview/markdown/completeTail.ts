import type { Token } from 'markdown-it';
import { closeInline, trimEnd } from './closeInline.ts';
import { offsetOfLine, lastBlockIndex } from './lines.ts';
import type { ParsedBlocks } from './parser.ts';
import { withoutTableHead } from './table.ts';

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
  const index = lastBlockIndex(tokens);
  const lastBlock = tokens[index];
  if (lastBlock === undefined) return text;
  // An item or a quote that is still empty: what comes before it is finished.
  if (lastBlock.nesting === 1) return withoutLastLine(text, isUndecided);
  if (lastBlock.type === 'fence') return withoutLastLine(text, endsFence);
  if (lastBlock.type === 'code_block' || lastBlock.type === 'hr') return text;
  if (/^t[hd]_close$/.test(tokens[index + 1]?.type ?? '')) return completeRow(text);
  if (mayDefineLink(tokens, index))
    return text.slice(0, offsetOfLine(text, lastBlock.map?.[0] ?? 0));
  const lines = withoutLastLine(text, isUndecided);
  const isHeading = tokens[index - 1]?.markup.startsWith('#') === true;
  const decided = isHeading ? lines : withoutTableHead(lines);
  const start = lastBlock.map === null ? 0 : offsetOfLine(decided, lastBlock.map[0]);
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

const label = /^\[[^\][]*\]:\s*$/;
const title = /^(?:"(?:\\[^]|[^"\\])*|'(?:\\[^]|[^'\\])*|\((?:\\[^]|[^()\\])*)\\?$/;

/**
 * Whether the text of a leaf may still become the definition of a link, of which nothing is shown,
 * or the title of the one right above it.
 */
function mayDefineLink(tokens: readonly Token[], blockIndex: number): boolean {
  const { content = '', map } = tokens[blockIndex] ?? {};
  const above = tokens[blockIndex - 2];
  const isBelow = above?.type === 'reference_definition' && above.map?.[1] === map?.[0];
  return label.test(content) || (isBelow && title.test(content));
}

/** Quotes and the markers of items that a line begins with, as far as something follows on them. */
const containers = /(?:[\s>]|(?:\d{1,9}[.)]|[-+*])(?=\s)){0,200}/y;
const opening = /^(?:(?:\d{1,9}[.)]?|[-+*]|#{1,6})\s*|[-=_*~`|:\s]*)$/;
const task = /^\[[ xX]?\]?\s*$/;

/**
 * Whether a line may still become anything: a list, a heading, a rule, a table or plain text. Items
 * that begin with items are no exception, and the box of a task is one only after a marker.
 */
export function isUndecided(line: string): boolean {
  containers.lastIndex = 0;
  const [before = ''] = containers.exec(line) ?? [];
  const rest = line.slice(before.length);
  return opening.test(rest) || (/[^\s>]/.test(before) && task.test(rest));
}
