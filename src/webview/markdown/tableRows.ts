import type { Parts } from './drawing.ts';
import { sketchElement, type Sketch } from './sketch.ts';

/** The browser skips groups of so many rows while they are out of sight. */
const rowsOfGroup = 25;

/** The rows of a table's body. Those of a long one stand in groups, of which all but the first are `later`. */
export class TableRows implements Parts {
  readonly starts: Sketch[] = [];
  readonly table: Sketch;
  #group: Sketch | undefined;
  #number: number;

  /** @param settled how many rows are in the page already */
  constructor(table: Sketch, settled: number) {
    this.table = table;
    this.#number = settled;
  }

  get holder(): Sketch {
    return this.#group === undefined || this.#startsGroup ? this.table : this.#group;
  }

  /** Whether there is more than one group. */
  get isLong(): boolean {
    return this.#number > rowsOfGroup;
  }

  add(row: Sketch): void {
    const isFirst = this.#startsGroup;
    if (this.#group === undefined || isFirst) this.#group = this.#addGroup();
    this.#group.children.push(row);
    this.starts.push(isFirst ? this.#group : row);
    this.#number += 1;
  }

  get #startsGroup(): boolean {
    return this.#number % rowsOfGroup === 0;
  }

  #addGroup(): Sketch {
    const isLater = this.#number >= rowsOfGroup;
    const group = sketchElement('tbody', isLater ? { class: 'later' } : {});
    this.table.children.push(group);
    return group;
  }
}
