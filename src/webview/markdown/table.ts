import type { BlockParts } from './drawing.ts';
import { elementVNode, type VNode } from './vnode.ts';

/** Number of rows in a group. The browser skips the layout of invisible groups. */
const rowsPerGroup = 25;

/** Longer lines are probably text with a `|`, and must not be held back. */
const maxHeadLength = 80;

const delimiter = /^[\s|:-]+$/;
const codeOrEscape = /`[^`]*`?|\\.|\$[^\s$][^$]*\$?/g;
const singleBar = /(?<!\|)\|(?!\|)/;

/**
 * The rows of a table's body. A long table has several groups, all except the first with the class
 * `later`.
 */
export class TableRows implements BlockParts {
  readonly starts: VNode[] = [];
  readonly table: VNode;
  #group: VNode | undefined;
  #number: number;

  /** @param stableCount number of rows that are rendered already */
  constructor(table: VNode, stableCount: number) {
    this.table = table;
    this.#number = stableCount;
  }

  get holder(): VNode {
    return this.#group === undefined || this.#startsGroup ? this.table : this.#group;
  }

  /** True if there is more than one group. */
  get isLong(): boolean {
    return this.#number > rowsPerGroup;
  }

  add(row: VNode): void {
    const isFirst = this.#startsGroup;
    if (this.#group === undefined || isFirst) this.#group = this.#addGroup();
    this.#group.children.push(row);
    this.starts.push(isFirst ? this.#group : row);
    this.#number += 1;
  }

  get #startsGroup(): boolean {
    return this.#number % rowsPerGroup === 0;
  }

  #addGroup(): VNode {
    const isLater = this.#number >= rowsPerGroup;
    const group = elementVNode('tbody', isLater ? { class: 'later' } : {});
    this.table.children.push(group);
    return group;
  }
}

const aligned = new WeakSet<HTMLElement>();

/**
 * Gives later rows of a long table the column widths of its first group, which alone has table
 * layout: otherwise each new row would lay out and paint all rows before it.
 *
 * @param frame the element around the table
 */
export function alignColumns(frame: ParentNode | null): void {
  const table = frame?.querySelector('table') ?? undefined;
  // A document without layout has no column widths.
  if (table === undefined || aligned.has(table) || !('ResizeObserver' in globalThis)) return;
  aligned.add(table);
  const cells = table.querySelectorAll('thead th');
  const observer = new ResizeObserver(() => {
    const widths = Array.from(cells, (cell) => cell.getBoundingClientRect().width);
    const inPixels = widths.map((width) => `${String(width)}px`);
    table.style.setProperty('--columns', inPixels.join(' '));
    const width = widths.reduce((sum, column) => sum + column, 0);
    table.style.setProperty('--width', `${String(width)}px`);
  });
  for (const cell of cells) observer.observe(cell);
}

/** Holds back a row that becomes a table head only by the line below it. */
export function withoutTableHead(text: string): string {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  const start = text.lastIndexOf('\n', end - 1) + 1;
  const line = text.slice(start, end);
  if (!line.includes('|') || delimiter.test(line)) return text;
  const above = text.slice(0, start).split('\n').at(-2) ?? '';
  if (line.startsWith('|')) return above.startsWith('|') ? text : text.slice(0, start);
  const cell = above.includes('|') ? undefined : firstCell(line);
  return cell === undefined ? text : text.slice(0, start + cell);
}

/**
 * The length of the first cell of a row without a leading `|`. It is shown, since it stays in place
 * when the table follows. A `|` in code or a formula, or a `||`, is probably an operator.
 */
function firstCell(line: string): number | undefined {
  if (line.length > maxHeadLength) return undefined;
  const words = line.replaceAll(codeOrEscape, ({ length }) => 'x'.repeat(length));
  return singleBar.exec(words)?.index;
}
