import { contextText, topLevel, type Container, type ParseContext } from './parseContext.ts';
import type { StableCut } from './stablePrefix.ts';

/**
 * The text of the outermost open block: its stable prefix, and the rest, which is still parsed.
 * Offsets in the block are relative to its start.
 */
export class OpenText {
  #stable: string[] = [];
  #stableLength = 0;
  #text = '';
  #context: ParseContext = topLevel;
  #contextText = '';
  /** Offset of the block in the document. */
  #blockStart = 0;

  get context(): ParseContext {
    return this.#context;
  }

  /** The text after the stable prefix. */
  get text(): string {
    return this.#text;
  }

  append(text: string): void {
    this.#text += text;
  }

  /**
   * The parser's input: placeholders for the stable prefix, and the first `length` characters of
   * the text.
   */
  source(length = this.#text.length): string {
    return this.#contextText + this.#text.slice(0, length);
  }

  /** Maps an offset in a source to one in the block. */
  inBlock(position: number): number {
    return position - this.#contextText.length + this.#stableLength;
  }

  /** Maps an offset in a source to one in the document. */
  inDocument(position: number): number {
    return this.#blockStart + this.inBlock(position);
  }

  between(start: number, end: number): string {
    const from = start - this.#stableLength;
    const stable = from < 0 ? this.#stable.join('').slice(start, end) : '';
    return stable + this.#text.slice(Math.max(0, from), Math.max(0, end - this.#stableLength));
  }

  /** Removes the stable prefix from the text, and everything before the new open block. */
  commitStablePrefix({ cut, context, blockStart }: StableCut): void {
    const length = this.inBlock(cut) - this.#stableLength;
    this.#stable.push(this.#text.slice(0, length));
    this.#stableLength += length;
    this.#text = this.#text.slice(length);
    this.#enter(blockStart > 0 ? shift(context, blockStart) : context);
    if (blockStart > 0) this.#dropPrefix(blockStart);
  }

  /** Makes the container at this depth unstable again, or the open block in the innermost one. */
  reopen(depth: number): void {
    const { path, openBlock, above } = this.#context;
    const start = path[depth]?.start ?? openBlock?.start;
    if (start === undefined) return;
    const text = this.#stable.join('');
    this.#stable = [text.slice(0, start)];
    this.#stableLength = start;
    this.#text = text.slice(start) + this.#text;
    this.#enter({
      path: pathBeforeMarker(path.slice(0, depth), start),
      openBlock: undefined,
      above: depth === path.length ? above : undefined,
    });
  }

  #enter(context: ParseContext): void {
    this.#context = context;
    this.#contextText = contextText(context);
  }

  #dropPrefix(length: number): void {
    this.#stable = [this.#stable.join('').slice(length)];
    this.#stableLength -= length;
    this.#blockStart += length;
  }
}

/** A block on the line of a list marker is parsed again from that marker. */
function pathBeforeMarker(path: readonly Container[], start: number): readonly Container[] {
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
