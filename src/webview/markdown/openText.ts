import { contextText, topLevel, type Container, type ParseContext } from './parseContext.ts';
import type { StablePrefix } from './stablePrefix.ts';

/**
 * The text of the outermost open block: what of it is settled, and what is still parsed. Positions
 * in the block count from its beginning.
 */
export class OpenText {
  #stable: string[] = [];
  #stableLength = 0;
  #text = '';
  #context: ParseContext = topLevel;
  #contextText = '';
  /** Where the block begins in the document. */
  #blockStart = 0;

  get context(): ParseContext {
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
    return position - this.#contextText.length + this.#stableLength;
  }

  /** From a position in a source to the one in the document. */
  inDocument(position: number): number {
    return this.#blockStart + this.inBlock(position);
  }

  /** A part of the block. */
  between(start: number, end: number): string {
    const from = start - this.#stableLength;
    const settled = from < 0 ? this.#stable.join('').slice(start, end) : '';
    return settled + this.#text.slice(Math.max(0, from), Math.max(0, end - this.#stableLength));
  }

  /** Takes what is settled off the text, and forgets what came before the block that is open now. */
  commitStablePrefix({
    cut,
    context,
    blockStart,
  }: Pick<StablePrefix, 'cut' | 'context' | 'blockStart'>): void {
    const length = this.inBlock(cut) - this.#stableLength;
    this.#stable.push(this.#text.slice(0, length));
    this.#stableLength += length;
    this.#text = this.#text.slice(length);
    this.#enter(blockStart > 0 ? shift(context, blockStart) : context);
    if (blockStart > 0) this.#forget(blockStart);
  }

  /**
   * Opens again what is settled of the container of this depth, or of the block inside the
   * innermost one.
   */
  reopen(depth: number): void {
    const { path, openBlock, above } = this.#context;
    const start = path[depth]?.start ?? openBlock?.start;
    if (start === undefined) return;
    const text = this.#stable.join('');
    this.#stable = [text.slice(0, start)];
    this.#stableLength = start;
    this.#text = text.slice(start) + this.#text;
    this.#enter({
      path: pathTo(path.slice(0, depth), start),
      openBlock: undefined,
      above: depth === path.length ? above : undefined,
    });
  }

  #enter(context: ParseContext): void {
    this.#context = context;
    this.#contextText = contextText(context);
  }

  #forget(length: number): void {
    this.#stable = [this.#stable.join('').slice(length)];
    this.#stableLength -= length;
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

function shift({ path, openBlock, above }: ParseContext, by: number): ParseContext {
  const shifted = path.map((container) =>
    container.kind === 'list'
      ? { ...container, start: container.start - by, itemStart: container.itemStart - by }
      : { ...container, start: container.start - by },
  );
  return {
    path: shifted,
    openBlock: openBlock === undefined ? undefined : { ...openBlock, start: openBlock.start - by },
    above,
  };
}
