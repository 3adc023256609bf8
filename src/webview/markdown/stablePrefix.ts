import {
  offsetOfLine,
  blocksBetween,
  blocksIn,
  type Block,
  restOfLine,
  piecesOf,
  taskMark,
} from './blocks.ts';
import {
  fileAbove,
  type ParseContext,
  type ListContainer,
  emptyItem,
  type Container,
  fillerWord,
  fillerLength,
  type OpenCodeBlock,
  type OpenBlock,
} from './parseContext.ts';
import type { ParsedBlocks } from './parser.ts';
import type { Token } from 'markdown-it';
import { FencedLines, fenceLanguage, isMarkdown, parseFence } from '../../core/support/fences.ts';
import { splitCode, maxHighlightedLineLength } from './codeBlock.ts';

/** Where the open text starts, and the state of the parser there. */
export interface StableCut {
  /** Offset in the source where the open text starts. */
  readonly cut: number;
  /** Offset of the outermost open block, relative to the previous one. */
  readonly blockStart: number;
  readonly context: ParseContext;
}

/** The start of a text that is certain not to change, whatever follows. */
export interface StablePrefix extends StableCut {
  /** The path to the open block: its index among its siblings at each level, outermost first. */
  readonly steps: readonly number[];
  /** Number of lines or pieces of the open block that became stable. */
  readonly parts: number;
  /** Indexes of the first tokens of the open lists that are loose. */
  readonly looseLists: readonly number[];
}

/**
 * Finds the stable prefix of a text that ends with a complete line. Blocks are parsed line by line
 * and never reopened, so in each open container all blocks but the last are stable.
 *
 * @param startOf maps a line of the source to an offset in the outermost block
 */
export function findStablePrefix(
  parsed: ParsedBlocks,
  context: ParseContext,
  startOf: (line: number) => number,
): StablePrefix | undefined {
  const walk = walkDown(parsed, context, startOf);
  if (walk === undefined) return undefined;
  const { levels, steps, open, known, blockStart } = walk;
  const path = levels.map(({ container }) => container);
  const looseLists = levels.flatMap(({ container, first }) =>
    container.kind === 'list' && container.loose ? [first] : [],
  );
  const inside = path.every((container) => container.kind === 'quote' || container.inside);
  const above = inside ? fileAbove(parsed.tokens, open.first, context) : undefined;
  const block = inside ? findOpenBlock(parsed, walk, context, startOf) : undefined;
  if (block !== undefined) {
    const { openBlock, parts, cut } = block;
    return { steps, parts, cut, blockStart, looseLists, context: { path, openBlock, above } };
  }
  const isBusy = known && context.openBlock !== undefined;
  if (isBusy || !parsed.source.endsWith('\n')) return undefined;
  const last = levels.at(-1);
  const beforeItem = last?.container.kind === 'list' && !last.container.inside;
  const line = (beforeItem ? last.itemLine : undefined) ?? open.line;
  const stable = { parts: 0, cut: offsetOfLine(parsed.source, line), blockStart, looseLists };
  const index = levels.findIndex(({ itemLine }) => itemLine === line);
  const level = levels[index];
  if (level?.container.kind !== 'list')
    return { ...stable, steps, context: { path, openBlock: undefined, above } };
  // A block on the line of a list marker is continued from that marker.
  const before: ListContainer = { ...level.container, inside: false };
  return {
    ...stable,
    steps: steps.slice(0, level.steps),
    context: { path: [...path.slice(0, index), before], openBlock: undefined, above: undefined },
  };
}

/** The path to the open block of a text, through the last block of each level. */
interface Walk {
  readonly levels: readonly Level[];
  /** The index of the open block among its siblings at each level, outermost first. */
  readonly steps: readonly number[];
  readonly open: Block;
  /** True if the open block is the one that the text continues. */
  readonly known: boolean;
  /** Offset of the outermost block of the path, relative to the previous one. */
  readonly blockStart: number;
}

interface Level {
  readonly container: Container;
  /** The first line of a list's open item. */
  readonly itemLine: number | undefined;
  /** Number of steps to that item. */
  readonly steps: number;
  /** Index of its first token. */
  readonly first: number;
}

/** @param startOf maps a line of the source to an offset in the outermost block */
function walkDown(
  parsed: ParsedBlocks,
  { path, openBlock }: ParseContext,
  startOf: (line: number) => number,
): Walk | undefined {
  const { tokens, openings } = parsed;
  const lines = parsed.source.split('\n');
  const levels: Level[] = [];
  const steps: number[] = [];
  let known = true;
  let blockStart = 0;
  let margin = 0;
  let quotes = 0;
  let blocks: readonly Block[] = blocksBetween(tokens, 0, tokens.length);
  for (;;) {
    const open = blocks.at(-1);
    if (open === undefined) return undefined;
    known &&= blocks.length === 1;
    if (steps.length === 0 && !(known && (path.length > 0 || openBlock !== undefined)))
      blockStart = startOf(open.line);
    steps.push(blocks.length - 1);
    const walk: Walk = { levels, steps, open, known, blockStart };
    if (open.token.type === 'blockquote_open') {
      blocks = blocksIn(tokens, open);
      if (blocks.length === 0) return walk;
      const start = (known ? path[levels.length]?.start : undefined) ?? startOf(open.line);
      const container: Container = { kind: 'quote', start };
      levels.push({ container, itemLine: undefined, steps: steps.length, first: open.first });
      margin = 0;
      quotes += 1;
    } else if (isList(open.token)) {
      const items = blocksIn(tokens, open);
      const item = items.at(-1);
      if (item === undefined) return undefined;
      const previous = known ? path[levels.length] : undefined;
      const start = previous?.start ?? startOf(open.line);
      known &&= items.length === 1;
      steps.push(items.length - 1);
      blocks = blocksIn(tokens, item);
      const opening = openings.get(blocks[0]?.first ?? -1);
      const list: ListContainer = {
        kind: 'list',
        start,
        itemStart:
          known && previous?.kind === 'list' && previous.inside
            ? previous.itemStart
            : startOf(item.line),
        inside: true,
        digits: item.token.info,
        marker: item.token.markup,
        indent: opening?.indent ?? 0,
        loose:
          (previous?.kind === 'list' && previous.loose) || isLoose(tokens, items, lines, quotes),
      };
      const inside = opening !== undefined && emptyItem(list, margin) !== undefined;
      const container = { ...list, inside };
      levels.push({ container, itemLine: item.line, steps: steps.length, first: open.first });
      if (!inside) return { ...walk, known };
      margin = list.indent;
    } else return walk;
  }
}

export function isList({ type }: Token): boolean {
  return type === 'bullet_list_open' || type === 'ordered_list_open';
}

/** True if blank lines separate the items of a list, or the blocks within one. */
export function isLoose(
  tokens: readonly Token[],
  items: readonly Block[],
  lines: readonly string[],
  quotes: number,
): boolean {
  const blank = new RegExp(`^(?:[ \\t]*>){0,${quotes}}[ \\t]*$`);
  const followsBlank = (block: Block, index: number): boolean =>
    index > 0 && blank.test(lines[block.line - 1] ?? '');
  return (
    items.some(followsBlank) || items.some((item) => blocksIn(tokens, item).some(followsBlank))
  );
}

/**
 * Unhides the paragraphs of lists whose stable part is loose. The parser sees only the rest of
 * these lists, and may consider them tight.
 */
export function showLooseParagraphs(tokens: readonly Token[], { path }: ParseContext): void {
  let index = 0;
  for (const container of path) {
    if (container.kind === 'list' && container.loose) showParagraphs(tokens, index);
    index += container.kind === 'list' ? 2 : 1;
  }
}

/** Unhides the paragraphs of the list that starts at this token. */
export function showParagraphs(tokens: readonly Token[], first: number): void {
  const level = tokens[first]?.level ?? 0;
  for (let index = first + 1; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined || token.level <= level) return;
    if (token.level === level + 2 && /^paragraph_/.test(token.type)) token.hidden = false;
  }
}

/** A longer table head is shown as text until the delimiter row follows. */
const maxHeadLength = 4000;

/** Text that may still become a link definition is not cut. */
const definition = /^\[(?!\^)[^\]]*\]:/;

/** A line that closes the fence, or may still do so. */
const mayClose = /^ {0,3}[`~]/m;

interface OpenBlockPrefix {
  readonly openBlock: OpenBlock;
  readonly parts: number;
  readonly cut: number;
}

/** Code becomes stable line by line, a table row by row, and a paragraph piece by piece. */
function findOpenBlock(
  parsed: ParsedBlocks,
  walk: Walk,
  context: ParseContext,
  startOf: (line: number) => number,
): OpenBlockPrefix | undefined {
  const before =
    walk.known && walk.levels.length === context.path.length ? context.openBlock : undefined;
  const start = before?.start ?? startOf(walk.open.line);
  const isLineOpen = !parsed.source.endsWith('\n');
  if (isLineOpen && walk.open.token.type === 'table_open') return undefined;
  switch (walk.open.token.type) {
    case 'fence':
    case 'code_block':
      return openCodeBlock(parsed, walk, start, before);
    case 'table_open':
      return openTable(parsed, walk, start, before);
    case 'paragraph_open':
      return openParagraph(parsed, walk, start, before);
    default:
      return undefined;
  }
}

function openCodeBlock(
  { source, openings }: ParsedBlocks,
  { open }: Walk,
  start: number,
  before: OpenBlock | undefined,
): OpenBlockPrefix | undefined {
  const { type, content } = open.token;
  const previous = before?.kind === 'code' ? before : undefined;
  const opening = openings.get(open.first);
  const filled = previous?.filler ?? 0;
  const all = splitCode(content.slice(filled), previous?.insideLine ?? false);
  const pieces = source.endsWith('\n') ? all : all.slice(0, -1);
  const isFence = type === 'fence';
  const firstLine = open.line + (isFence ? 1 : 0);
  const length = filled + pieces.reduce((sum, { text }) => sum + text.length, 0);
  const cut = positionInSource(source, firstLine, content, length);
  if (pieces.length === 0 || opening === undefined || cut === undefined) return undefined;
  const fences: string[] = [];
  if (isFence) {
    const { token } = open;
    const indent = ' '.repeat(Math.max(0, opening.column - opening.indent));
    const openingLine = previous?.fences[0] ?? `${indent}${token.markup}${token.info}`;
    fences.push(openingLine);
    const outer = parseFence(openingLine);
    if (outer !== undefined && isMarkdown(fenceLanguage(outer))) {
      const lines = new FencedLines(outer, true);
      const stableLines = content.slice(0, length).match(/[^\n]*\n|[^\n]+$/g) ?? [];
      for (const line of stableLines) lines.push(line);
      fences.push(...lines.summary);
    }
  }
  const stableCount = (previous?.stableCount ?? 0) + pieces.length;
  const openBlock: OpenBlock = {
    kind: 'code',
    start,
    stableCount,
    grammar: undefined,
    ...codePlaceholder(fences, pieces.at(-1)?.text ?? ''),
  };
  return { openBlock, parts: pieces.length, cut };
}

/** Placeholder for the stable part of a code block with these fences; indented if it has none. */
function codePlaceholder(
  fences: readonly string[],
  last: string,
): Pick<OpenCodeBlock, 'fences' | 'lines' | 'filler' | 'insideLine'> {
  const insideLine = !last.endsWith('\n');
  if (fences.length === 0)
    return { fences, lines: [`    ${fillerWord}`], filler: insideLine ? 1 : 2, insideLine };
  // A blank line at the end of its code may make a list loose.
  const end = insideLine ? [fillerWord] : last.trim() === '' ? [''] : [];
  const code = [...fences.slice(1), ...end].map((line) => `${line}\n`).join('');
  const filler = insideLine ? code.length - 1 : code.length;
  return { fences, lines: [...fences, ...end], filler, insideLine };
}

function openTable(
  { source, tokens, openings }: ParsedBlocks,
  { open }: Walk,
  start: number,
  before: OpenBlock | undefined,
): OpenBlockPrefix | undefined {
  const body = blocksIn(tokens, open)[1];
  const opening = openings.get(open.first);
  if (body === undefined || opening === undefined) return undefined;
  const rows = blocksIn(tokens, body);
  const previous = before?.kind === 'table' ? before : undefined;
  const openBlock: OpenBlock = {
    kind: 'table',
    start,
    head: previous?.head ?? restOfLine(source, opening.position),
    delimiter: previous?.delimiter ?? restOfLine(source, opening.below),
    stableCount: (previous?.stableCount ?? 0) + rows.length,
  };
  const cut = offsetOfLine(source, (rows.at(-1)?.line ?? open.line) + 1);
  return { openBlock, parts: rows.length, cut };
}

function openParagraph(
  { source, tokens }: ParsedBlocks,
  { open }: Walk,
  start: number,
  before: OpenBlock | undefined,
): OpenBlockPrefix | undefined {
  const content = tokens[open.first + 1]?.content ?? '';
  const skipped = before === undefined ? taskMark(tokens, open.first).length : fillerLength(before);
  let pieces = piecesOf(content.slice(skipped)).slice(0, -1);
  // A line that may be a table head isn't split unless it is too long.
  const lastLine = content.lastIndexOf('\n') + 1;
  if (content.includes('|', lastLine) && content.length - lastLine <= maxHeadLength) {
    let end = skipped;
    pieces = pieces.filter((piece) => (end += piece.length) < lastLine);
  }
  if (pieces.length === 0 || definition.test(content)) return undefined;
  const length = pieces.reduce((sum, piece) => sum + piece.length, skipped);
  const stableText = content.slice(0, length);
  const cut = positionInSource(source, open.line, content, stableText.length);
  if (cut === undefined) return undefined;
  const space = stableText.at(-1);
  const gap = space === ' ' || space === '\n' ? space : '';
  const insideLine = gap !== '\n' && !content.includes('\n', length);
  return { openBlock: { kind: 'paragraph', start, gap, insideLine }, parts: pieces.length, cut };
}

/** Maps an offset in the content to one in the source; undefined if a tab was split. */
function positionInSource(
  source: string,
  firstLine: number,
  content: string,
  position: number,
): number | undefined {
  const above = content.slice(0, position).split('\n');
  const column = above.at(-1)?.length ?? 0;
  const start = offsetOfLine(source, firstLine + above.length - 1);
  if (column === 0) return start;
  const line = restOfLine(source, start).trimEnd();
  const inside = restOfLine(content, position - column).trimEnd();
  return line.endsWith(inside) ? start + line.length - inside.length + column : undefined;
}

/** Complete lines of code at the start of a text that continues the open block. */
interface MoreCode {
  readonly count: number;
  readonly length: number;
  readonly openBlock: OpenCodeBlock;
}

/** Returns the lines if the text only continues a top-level fence, which needn't be parsed. */
export function moreCode({ path, openBlock }: ParseContext, text: string): MoreCode | undefined {
  const length = text.lastIndexOf('\n') + 1;
  if (openBlock?.kind !== 'code' || path.length > 0 || openBlock.insideLine || length === 0)
    return undefined;
  const { fences } = openBlock;
  if (
    !/^[`~]/.test(fences[0] ?? '') ||
    text.length > maxHighlightedLineLength ||
    mayClose.test(text)
  )
    return undefined;
  const lines = text.slice(0, length).split('\n').slice(0, -1);
  const placeholder = codePlaceholder(fences, `${lines.at(-1) ?? ''}\n`);
  const stableCount = openBlock.stableCount + lines.length;
  return { count: lines.length, length, openBlock: { ...openBlock, ...placeholder, stableCount } };
}
