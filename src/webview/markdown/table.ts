import type { BlockParts } from './drawing.ts';
import { elementVNode, type VNode } from './vnode.ts';

/** The browser skips groups of so many rows while they are out of sight. */
const rowsOfGroup = 25;

/** The rows of a table's body. Those of a long one stand in groups, of which all but the first are `later`. */
export class TableRows implements BlockParts {
  readonly starts: VNode[] = [];
  readonly table: VNode;
  #group: VNode | undefined;
  #number: number;

  /** @param settled how many rows are in the page already */
  constructor(table: VNode, stableCount: number) {
    this.table = table;
    this.#number = stableCount;
  }

  get holder(): VNode {
    return this.#group === undefined || this.#startsGroup ? this.table : this.#group;
  }

  /** Whether there is more than one group. */
  get isLong(): boolean {
    return this.#number > rowsOfGroup;
  }

  add(row: VNode): void {
    const isFirst = this.#startsGroup;
    if (this.#group === undefined || isFirst) this.#group = this.#addGroup();
    this.#group.children.push(row);
    this.starts.push(isFirst ? this.#group : row);
    this.#number += 1;
  }

  get #startsGroup(): boolean {
    return this.#number % rowsOfGroup === 0;
  }

  #addGroup(): VNode {
    const isLater = this.#number >= rowsOfGroup;
    const group = elementVNode('tbody', isLater ? { class: 'later' } : {});
    this.table.children.push(group);
    return group;
  }
}

/** Tables whose later rows know the columns. */
const aligned = new WeakSet<HTMLElement>();

/**
 * Gives the later rows of a long table the columns of its first ones, which alone are laid out as a
 * table: else each new row would lay out and paint all the rows before it.
 *
 * @param frame the element around the table
 */
export function alignColumns(frame: ParentNode | null): void {
  const table = frame?.querySelector('table') ?? undefined;
  // A document that is never laid out has no columns.
  if (table === undefined || aligned.has(table) || !('ResizeObserver' in globalThis)) return;
  aligned.add(table);
  const cells = table.querySelectorAll('thead th');
  const observer = new ResizeObserver(() => {
    const widths = Array.from(cells, (cell) => cell.getBoundingClientRect().width);
    const inPixels = widths.map((width) => `${String(width)}px`);
    table.style.setProperty('--columns', inPixels.join(' '));
    const width = widths.reduce((sum, one) => sum + one, 0);
    table.style.setProperty('--width', `${String(width)}px`);
  });
  for (const cell of cells) observer.observe(cell);
}

/** A line that is longer is rather text with a bar in it: it may not be kept from the reader. */
const maxHeadLength = 80;

const delimiter = /^[\s|:-]+$/;
const codeOrEscape = /`[^`]*`?|\\./g;
const singleBar = /(?<!\|)\|(?!\|)/;

/** A row of cells is a table only once the line below it says so. */
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
 * How long the first cell is where a row begins without a bar. It stays in its place when the table
 * comes, and is shown. Bars in code and double ones are much more often those of a programmer.
 */
function firstCell(line: string): number | undefined {
  if (line.length > maxHeadLength) return undefined;
  const words = line.replaceAll(codeOrEscape, ({ length }) => 'x'.repeat(length));
  return singleBar.exec(words)?.index;
}
