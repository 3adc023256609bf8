import type { Token } from 'markdown-it';
import type { Grammar } from './grammar.ts';
import { fileOfLine, type NamedFile } from './namedFile.ts';
import type { StableCut } from './stablePrefix.ts';

/**
 * Position in the document of the text that is still parsed. The stable prefix isn't parsed again;
 * the placeholder lines of `contextText` put the parser inside the same quotes and lists, in the
 * middle of the same block.
 */
export interface ParseContext {
  /** The open quotes and lists, outermost first. */
  readonly path: readonly Container[];
  /** The block that the text continues, if a part of it is stable. */
  readonly openBlock: OpenBlock | undefined;
  /** The file mentioned in the line above the next block. */
  readonly above: NamedFile | undefined;
}

export type Container = QuoteContainer | ListContainer;

interface QuoteContainer {
  readonly kind: 'quote';
  /** Offset in the source of its outermost block. */
  readonly start: number;
}

/** A list, within its last item or before the next one. */
export interface ListContainer {
  readonly kind: 'list';
  readonly start: number;
  readonly itemStart: number;
  /** True if the text continues an item; otherwise a marker is next. */
  readonly inside: boolean;
  /** Empty for bullets. */
  readonly digits: string;
  readonly marker: string;
  readonly indent: number;
  /** True if blank lines separate its items, or the blocks within one. */
  readonly loose: boolean;
}

export type OpenBlock = OpenCodeBlock | OpenTableBlock | OpenParagraphBlock;

/** A fenced or indented code block with stable first lines. */
export interface OpenCodeBlock {
  readonly kind: 'code';
  readonly start: number;
  /**
   * Placeholder for the stable part, relative to its container: the fences, and more if needed.
   */
  readonly lines: readonly string[];
  /** The opening line, and in Markdown the fences inside that aren't closed. */
  readonly fences: readonly string[];
  /** Number of content characters in the placeholder. */
  readonly filler: number;
  /** True if the stable part ends within a long line. */
  readonly insideLine: boolean;
  readonly stableCount: number;
  readonly grammar: Grammar | undefined;
}

/** A table with stable first rows. */
interface OpenTableBlock {
  readonly kind: 'table';
  readonly start: number;
  readonly head: string;
  readonly delimiter: string;
  readonly stableCount: number;
}

/** A paragraph with stable first pieces. */
interface OpenParagraphBlock {
  readonly kind: 'paragraph';
  readonly start: number;
  /** White space between the stable text and the rest. */
  readonly gap: ' ' | '\n' | '';
  /** True if the stable text ends in a line that may still become a table head. */
  readonly insideLine: boolean;
}

export const topLevel: ParseContext = { path: [], openBlock: undefined, above: undefined };

export function depthOf(path: readonly Container[]): number {
  return path.reduce((depth, { kind }) => depth + (kind === 'list' ? 2 : 1), 0);
}

/** Placeholder for the stable text of a paragraph: a word without any Markdown meaning. */
export const fillerWord = 'x';

/** Number of placeholder characters at the start of the open paragraph. */
export function fillerLength(openBlock: OpenBlock | undefined): number {
  return openBlock?.kind === 'paragraph' ? fillerWord.length + openBlock.gap.length : 0;
}

/** The placeholder lines for the stable prefix. */
export function contextText({ path, openBlock }: ParseContext): string {
  let prefix = '';
  let margin = 0;
  let text = '';
  for (const container of path) {
    if (container.kind === 'quote') {
      prefix += '> ';
      margin = 0;
    } else if (container.inside) {
      // The item starts with an empty line, so that its content may start in any column.
      text += `${prefix}${emptyItem(container, margin) ?? ''}\n`;
      prefix += ' '.repeat(container.indent - margin);
      margin = container.indent;
    }
  }
  switch (openBlock?.kind) {
    case 'code': {
      const lines = openBlock.lines.map((line) => prefix + line).join('\n');
      return `${text}${lines}${openBlock.insideLine ? '' : '\n'}`;
    }
    case 'table':
      return `${text}${prefix}${openBlock.head}\n${prefix}${openBlock.delimiter}\n`;
    case 'paragraph':
      return `${text}${prefix}${fillerWord}${openBlock.gap}`;
    case undefined:
      return text;
  }
}

/**
 * The indented marker of an empty item whose content starts in the same column; undefined if there
 * is none.
 */
export function emptyItem(
  { digits, marker, indent }: ListContainer,
  margin: number,
): string | undefined {
  const width = indent - margin - 1;
  const number = digits === '' ? '' : '1'.padStart(Math.min(Math.max(width - 1, 1), 9), '0');
  const spaces = width - number.length - marker.length;
  return spaces < 0 || spaces > 3 ? undefined : `${' '.repeat(spaces)}${number}${marker}`;
}

/** The file mentioned above a block; `index` is that of the block's first token. */
export function fileAbove(
  tokens: readonly Token[],
  index: number,
  { path, openBlock, above }: ParseContext,
): NamedFile | undefined {
  const depth = depthOf(path);
  // The line above the continued block is stable, and its file is known.
  if (index === depth) return above;
  const type = tokens[index - 1]?.type;
  if (type !== 'paragraph_close' && type !== 'heading_close') return undefined;
  // A paragraph that is long enough to have a stable part is more than a name.
  if (openBlock !== undefined && index - 3 === depth) return undefined;
  return fileOfLine(tokens[index - 2]?.content ?? '', type === 'heading_close');
}

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
    if (blockStart === 0) return;
    this.#stable = [this.#stable.join('').slice(blockStart)];
    this.#stableLength -= blockStart;
    this.#blockStart += blockStart;
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
    // A block on the line of a list marker is parsed again from that marker.
    const around = path.slice(0, depth);
    const index = around.findIndex(
      (container) => container.kind === 'list' && container.itemStart === start,
    );
    const list = around[index];
    const before: readonly Container[] =
      list?.kind === 'list' ? [...around.slice(0, index), { ...list, inside: false }] : around;
    this.#enter({
      path: before,
      openBlock: undefined,
      above: depth === path.length ? above : undefined,
    });
  }

  #enter(context: ParseContext): void {
    this.#context = context;
    this.#contextText = contextText(context);
  }
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
