import type { Token } from 'markdown-it';
import type { Grammar } from './highlight/grammar.ts';
import { fileOfLine, type NamedFile } from './namedFile.ts';

/**
 * Where in a document the text that is still parsed begins. What is settled is not parsed again;
 * the few lines of `contextText` stand for it, so that the parser finds itself inside the same
 * quotes and lists, and in the middle of the same block.
 */
export interface ParseContext {
  /** The quotes and lists that are open, outermost first. */
  readonly path: readonly Container[];
  /** The block that goes on, where a part of it is settled. */
  readonly openBlock: OpenBlock | undefined;
  /** The file that the line above the next block names. */
  readonly above: NamedFile | undefined;
}

export type Container = QuoteContainer | ListContainer;

interface QuoteContainer {
  readonly kind: 'quote';
  /** Where it starts in the source of its outermost block. */
  readonly start: number;
}

/** A list, in its last item or before its next one. */
export interface ListContainer {
  readonly kind: 'list';
  readonly start: number;
  /** Where that item starts. */
  readonly itemStart: number;
  /** Whether the text goes on inside an item; else an item's marker comes next. */
  readonly inside: boolean;
  /** Empty for bullets. */
  readonly digits: string;
  /** The bullet, or what follows on the number. */
  readonly marker: string;
  /** The column where the item's content begins. */
  readonly indent: number;
  /** Whether a blank line stands between its items, or between the blocks of one. */
  readonly loose: boolean;
}

export type OpenBlock = OpenCodeBlock | OpenTableBlock | OpenParagraphBlock;

/** A fence or an indented block, whose first lines are settled. */
export interface OpenCodeBlock {
  readonly kind: 'code';
  readonly start: number;
  /** What stands for the settled part, as its container sees it: the line that opens it, and more. */
  readonly lines: readonly string[];
  /** How many characters of these are content. */
  readonly filler: number;
  /** Whether the settled part ends in the middle of a long line. */
  readonly insideLine: boolean;
  /** How many pieces are settled. */
  readonly stableCount: number;
  /** What the grammar knows after them. */
  readonly grammar: Grammar | undefined;
}

/** A table whose first rows are settled. */
interface OpenTableBlock {
  readonly kind: 'table';
  readonly start: number;
  readonly head: string;
  readonly delimiter: string;
  /** How many rows are settled. */
  readonly stableCount: number;
}

/** A paragraph whose first pieces are settled. */
interface OpenParagraphBlock {
  readonly kind: 'paragraph';
  readonly start: number;
  /** What stood between the settled text and the rest. */
  readonly gap: ' ' | '\n' | '';
  /** Whether the settled text ends in a line that may still become the head of a table. */
  readonly insideLine: boolean;
}

export const topLevel: ParseContext = { path: [], openBlock: undefined, above: undefined };

/** How many tokens open these containers. */
export function depthOf(path: readonly Container[]): number {
  return path.reduce((depth, { kind }) => depth + (kind === 'list' ? 2 : 1), 0);
}

/** Stands for the settled text of a paragraph: a word that nothing reads as anything else. */
export const fillerWord = 'x';

/** How much of the open paragraph's text only stands for what is settled. */
export function fillerLength(openBlock: OpenBlock | undefined): number {
  return openBlock?.kind === 'paragraph' ? fillerWord.length + openBlock.gap.length : 0;
}

/** The lines that stand for what is settled. */
export function contextText({ path, openBlock }: ParseContext): string {
  let prefix = '';
  let margin = 0;
  let text = '';
  for (const container of path) {
    if (container.kind === 'quote') {
      prefix += '> ';
      margin = 0;
    } else if (container.inside) {
      // The item begins with an empty line, so that its content may begin in any column.
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
 * The marker of an item whose content begins in the same column, with its indentation; undefined
 * where there is none.
 */
export function emptyItem(
  { digits, marker, indent }: Pick<ListContainer, 'digits' | 'marker' | 'indent'>,
  margin: number,
): string | undefined {
  const width = indent - margin - 1;
  const number = digits === '' ? '' : '1'.padStart(Math.min(Math.max(width - 1, 1), 9), '0');
  const spaces = width - number.length - marker.length;
  return spaces < 0 || spaces > 3 ? undefined : `${' '.repeat(spaces)}${number}${marker}`;
}

/** The file that the line above a block names; `index` is that of the block's first token. */
export function fileAbove(
  tokens: readonly Token[],
  index: number,
  { path, openBlock, above }: ParseContext,
): NamedFile | undefined {
  const depth = depthOf(path);
  // What is above the block that the text goes on with is settled, and was looked at then.
  if (index === depth) return above;
  const type = tokens[index - 1]?.type;
  if (type !== 'paragraph_close' && type !== 'heading_close') return undefined;
  // A paragraph of which a part is settled says more than a name.
  if (openBlock !== undefined && index - 3 === depth) return undefined;
  return fileOfLine(tokens[index - 2]?.content ?? '', type === 'heading_close');
}
