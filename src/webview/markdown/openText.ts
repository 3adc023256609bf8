import { contextText, topLevel, type Container, type Context } from './context.ts';
import type { Settlement } from './settlement.ts';

/**
 * The text of the outermost open block: what of it is settled, and what is still parsed. Positions
 * in the block count from its beginning.
 */
export class OpenText {
  #settled: string[] = [];
  #settledLength = 0;
  #text = '';
  #context: Context = topLevel;
  #contextText = '';
  /** Where the block begins in the document. */
  #blockStart = 0;

  get context(): Context {
    return this.#context;
  }

  /** What is not settled. */
  get text(): string {
    return this.#text;
  }

  append(text: string): void {
    this.#text += text;
  }

  /** What a parser is given to read the beginning of the text, so long, where it stands. */
  source(length = this.#text.length): string {
    return this.#contextText + this.#text.slice(0, length);
  }

  /** From a position in a source to the one in the block. */
  inBlock(position: number): number {
    return position - this.#contextText.length + this.#settledLength;
  }

  /** From a position in a source to the one in the document. */
  inDocument(position: number): number {
    return this.#blockStart + this.inBlock(position);
  }

  /** A part of the block. */
  between(start: number, end: number): string {
    const from = start - this.#settledLength;
    const settled = from < 0 ? this.#settled.join('').slice(start, end) : '';
    return settled + this.#text.slice(Math.max(0, from), Math.max(0, end - this.#settledLength));
  }

  /** Takes what is settled off the text, and forgets what came before the block that is open now. */
  settle({ cut, context, blockStart }: Pick<Settlement, 'cut' | 'context' | 'blockStart'>): void {
    const length = this.inBlock(cut) - this.#settledLength;
    this.#settled.push(this.#text.slice(0, length));
    this.#settledLength += length;
    this.#text = this.#text.slice(length);
    this.#enter(blockStart > 0 ? shift(context, blockStart) : context);
    if (blockStart > 0) this.#forget(blockStart);
  }

  /**
   * Opens again what is settled of the container of this depth, or of the block inside the
   * innermost one.
   */
  reopen(depth: number): void {
    const { path, leaf, above } = this.#context;
    const start = path[depth]?.start ?? leaf?.start;
    if (start === undefined) return;
    const text = this.#settled.join('');
    this.#settled = [text.slice(0, start)];
    this.#settledLength = start;
    this.#text = text.slice(start) + this.#text;
    this.#enter({
      path: pathTo(path.slice(0, depth), start),
      leaf: undefined,
      above: depth === path.length ? above : undefined,
    });
  }

  #enter(context: Context): void {
    this.#context = context;
    this.#contextText = contextText(context);
  }

  #forget(length: number): void {
    this.#settled = [this.#settled.join('').slice(length)];
    this.#settledLength -= length;
    this.#blockStart += length;
  }
}

/** A block on the line of an item's marker is read from that marker on. */
function pathTo(path: readonly Container[], start: number): readonly Container[] {
  const index = path.findIndex(
    (container) => container.kind === 'list' && container.itemStart === start,
  );
  const list = path[index];
  return list?.kind === 'list' ? [...path.slice(0, index), { ...list, inside: false }] : path;
}

function shift({ path, leaf, above }: Context, by: number): Context {
  const shifted = path.map((container) =>
    container.kind === 'list'
      ? { ...container, start: container.start - by, itemStart: container.itemStart - by }
      : { ...container, start: container.start - by },
  );
  return {
    path: shifted,
    leaf: leaf === undefined ? undefined : { ...leaf, start: leaf.start - by },
    above,
  };
}
