import type { Token } from 'markdown-it';
import { closeInline, trimEnd } from './closeInline.ts';
import { offsetOfLine, lastBlockIndex } from './lines.ts';
import type { ParsedBlocks } from './parser.ts';
import { withoutTableHead } from './table.ts';

/** A row up to its last unescaped `|`. */
const wholeCells = /^.*(?<!\\)\|/;
const partOfFence = /^[\s>]*(?:`+|~+)$/;

const endsFence = (line: string): boolean => partOfFence.test(line);

/**
 * Completes the open end of a streamed reply for display: closes unfinished emphasis, code and
 * links, and holds back a last line whose kind is undecided, so that no raw syntax flashes up. The
 * text itself isn't changed.
 */
export function completeTail({ source: text, tokens }: ParsedBlocks): string {
  const index = lastBlockIndex(tokens);
  const lastBlock = tokens[index];
  if (lastBlock === undefined) return text;
  // In an empty list item or quote, only its own line is undecided.
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
  // The line may now consist of its marker only.
  const completed = withoutLastLine(closed, isUndecided);
  // An equal text needn't be parsed again.
  return completed === trimEnd(text) ? text : completed;
}

function withoutLastLine(text: string, isHeld: (line: string) => boolean): string {
  const start = text.lastIndexOf('\n') + 1;
  return isHeld(text.slice(start)) ? text.slice(0, start) : text;
}

/** Only the last cell of a table row can be unfinished. */
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
 * True if a paragraph may become a link definition, which isn't rendered, or the title of the one
 * above.
 */
function mayDefineLink(tokens: readonly Token[], blockIndex: number): boolean {
  const { content = '', map } = tokens[blockIndex] ?? {};
  const above = tokens[blockIndex - 2];
  const isBelow = above?.type === 'reference_definition' && above.map?.[1] === map?.[0];
  return label.test(content) || (isBelow && title.test(content));
}

/** Quote and list markers at the start of a line that are followed by more text. */
const containers = /(?:[\s>]|(?:\d{1,9}[.)]|[-+*])(?=\s)){0,200}/y;
const opening = /^(?:(?:\d{1,9}[.)]?|[-+*]|#{1,6})\s*|[-=_*~`|:\s]*)$/;
const task = /^\[[ xX]?\]?\s*$/;

/**
 * True if a line may still become a list item, heading, rule, table or plain text, including items
 * nested on one line. `[ ]` is a task only after a list marker.
 */
export function isUndecided(line: string): boolean {
  containers.lastIndex = 0;
  const [before = ''] = containers.exec(line) ?? [];
  const content = line.slice(before.length);
  return opening.test(content) || (/[^\s>]/.test(before) && task.test(content));
}
