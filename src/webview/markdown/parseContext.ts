import type { Token } from 'markdown-it';
import type { Grammar } from './highlight/grammar.ts';
import { fileOfLine, type NamedFile } from './namedFile.ts';

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
  return openBlock === undefined ? text : text + openBlockText(openBlock, prefix);
}

function openBlockText(openBlock: OpenBlock, prefix: string): string {
  switch (openBlock.kind) {
    case 'code':
      return `${openBlock.lines.map((line) => prefix + line).join('\n')}${openBlock.insideLine ? '' : '\n'}`;
    case 'table':
      return `${prefix}${openBlock.head}\n${prefix}${openBlock.delimiter}\n`;
    case 'paragraph':
      return `${prefix}${fillerWord}${openBlock.gap}`;
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
