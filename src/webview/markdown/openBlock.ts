import { FencedLines, fenceLanguage, isMarkdown, parseFence } from '../../core/support/fences.ts';
import { blocksIn, type Block } from './blocks.ts';
import { splitCode, maxHighlightedLineLength, type CodePiece } from './codeLines.ts';
import { offsetOfLine, restOfLine } from './lines.ts';
import {
  fillerWord,
  fillerLength,
  type OpenCodeBlock,
  type ParseContext,
  type OpenBlock,
} from './parseContext.ts';
import type { Opening, ParsedBlocks } from './parser.ts';
import { piecesOf, taskMark } from './pieces.ts';
import type { Walk } from './walk.ts';

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
export function findOpenBlock(
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
  const pieces = stablePieces(content.slice(filled), source, previous?.insideLine ?? false);
  const isFence = type === 'fence';
  const firstLine = open.line + (isFence ? 1 : 0);
  const length = filled + pieces.reduce((sum, { text }) => sum + text.length, 0);
  const cut = positionInSource(source, firstLine, content, length);
  if (pieces.length === 0 || opening === undefined || cut === undefined) return undefined;
  const fences = isFence
    ? openFences(content, length, previous?.fences[0] ?? fenceLine(open, opening))
    : [];
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

/** All pieces except an incomplete last line. */
function stablePieces(content: string, source: string, insideLine: boolean): CodePiece[] {
  const pieces = splitCode(content, insideLine);
  return source.endsWith('\n') ? pieces : pieces.slice(0, -1);
}

/** The opening line of a block, and the fences inside that are open after its first characters. */
function openFences(content: string, length: number, opening: string): readonly string[] {
  const outer = parseFence(opening);
  if (outer === undefined || !isMarkdown(fenceLanguage(outer))) return [opening];
  const lines = new FencedLines(outer, true);
  for (const line of content.slice(0, length).match(/[^\n]*\n|[^\n]+$/g) ?? []) lines.push(line);
  return [opening, ...lines.summary];
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

function fenceLine({ token }: Block, { column, indent }: Opening): string {
  return `${' '.repeat(Math.max(0, column - indent))}${token.markup}${token.info}`;
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
  const pieces = stableTextPieces(content, skipped);
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

/**
 * All pieces except the last. A line that may be a table head isn't split unless it is too long.
 */
function stableTextPieces(content: string, skipped: number): string[] {
  const pieces = piecesOf(content.slice(skipped)).slice(0, -1);
  const line = content.lastIndexOf('\n') + 1;
  const isHead = content.includes('|', line) && content.length - line <= maxHeadLength;
  if (!isHead) return pieces;
  let end = skipped;
  return pieces.filter((piece) => (end += piece.length) < line);
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
