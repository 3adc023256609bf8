import type { Span } from '../edits/lineDiff.ts';
import { becomesComment, isDots, isPlaceholder, omissionIn } from '../edits/omittedCode.ts';
import { isBlank } from '../edits/whitespace.ts';
import { trimEndOf } from '../support/text.ts';
import { CodeIndenter, indentOfLines } from './codeIndenter.ts';
import {
  blockEnd,
  DocumentLines,
  splitAtPlaceholders,
  declarationOf,
  headerKind,
  holdsMembers,
  type CodeSegment,
} from './documentLines.ts';

/** Lines of a document, from `start` up to but not including `end`, and their replacement. */
export interface PlacedCode extends Span {
  readonly lines: readonly string[];
}

/**
 * Finds where a block of code belongs in a document. The resulting lines are indented as there, and
 * placeholders such as `// ... existing code ...` are replaced with the existing lines. Undefined if
 * the location is not certain: nothing is guessed, and nothing is removed that the code does not
 * mean to remove. So code is not placed if one of its lines stands for lines that would go.
 *
 * A segment of the code is placed if the document contains its lines once; or has a single
 * declaration of the same thing, without members that the segment lacks; or contains its first and
 * its last line once, and half of the lines between them. Segments around a placeholder must both
 * be placed.
 */
export function placeCode(target: string, code: string): PlacedCode | undefined {
  const documentLines = new DocumentLines(target);
  const lines = code.split('\n').map((line) => line.replace(/\r$/, ''));
  // Dots alone are code where the document has them too, as in a stub of Python.
  const hasDots = documentLines.lines.some(isDots);
  const standsForCode = (line: string): boolean =>
    isPlaceholder(line) && !(hasDots && isDots(line));
  // If the document contains such a comment itself, it is ambiguous.
  const isAmbiguous = documentLines.lines.some((line) => isPlaceholder(line) && !isDots(line));
  if (isAmbiguous && lines.some(standsForCode)) return undefined;
  const parts = splitAtPlaceholders(lines, standsForCode);
  const spans =
    placeOpenBlock(documentLines, parts) ?? placeInOrder(documentLines, parts, documentLines.whole);
  if (spans === undefined || spans.some((span, index) => loses(documentLines, parts[index], span)))
    return undefined;
  return joined(documentLines, parts, spans);
}

/** True if a line of the segment stands for lines of the document, which would be deleted. */
function loses({ lines }: DocumentLines, segment: CodeSegment | undefined, span: Span): boolean {
  const existing = lines.slice(span.start, span.end);
  const code = segment?.lines ?? [];
  return omissionIn(existing, code) !== undefined || becomesComment(existing, code);
}

type Parts = readonly CodeSegment[];

/**
 * Places the segments of one block that is opened by the first and closed by the last: each needs a
 * line next to the placeholder that occurs once in the block.
 */
function placeOpenBlock(target: DocumentLines, parts: Parts): readonly Span[] | undefined {
  const [first, ...inner] = parts;
  const last = inner.pop();
  if (first === undefined || last === undefined) return undefined;
  const start = target.onlyDeclaration(first.lines[0] ?? '', target.whole);
  if (start === undefined) return undefined;
  const block = { start, end: blockEnd(target.lines, start) };
  const head = first.lines.length === 1 ? start : target.only(first.lines.at(-1) ?? '', block);
  const tail = last.lines.length === 1 ? block.end - 1 : target.only(last.lines[0] ?? '', block);
  if (head === undefined || tail === undefined || head >= tail) return undefined;
  if (!target.reads(last.lines.slice(-1), block.end - 1)) return undefined;
  const spans = placeInOrder(target, inner, { start: head + 1, end: tail });
  return spans && [{ start, end: head + 1 }, ...spans, { start: tail, end: block.end }];
}

/** Places each segment separately, in order; the lines between them stay. */
function placeInOrder(
  target: DocumentLines,
  parts: Parts,
  within: Span,
): readonly Span[] | undefined {
  let { start } = within;
  const spans: Span[] = [];
  for (const part of parts) {
    const { lines, isOpen } = part;
    const block = isOpen ? undefined : placeDeclared(target, lines, within);
    const span = block ?? placeBetween(target, lines, within);
    if (span === undefined || span.start < start) return undefined;
    spans.push(span);
    start = span.end;
  }
  return spans;
}

/** Joins the placed segments and the lines between them. */
function joined(
  target: DocumentLines,
  parts: Parts,
  spans: readonly Span[],
): PlacedCode | undefined {
  const [first] = spans;
  const last = spans.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const lines = spans.flatMap((span, index) => [
    ...target.lines.slice(spans[index - 1]?.end ?? span.start, span.start),
    ...indented(target, parts[index]?.lines ?? [], span),
  ]);
  return { start: first.start, end: last.end, lines };
}

function indented(
  target: DocumentLines,
  part: readonly string[],
  { start, end }: Span,
): readonly string[] {
  const indent = indentOfLines(target.lines.slice(start, end));
  const code = new CodeIndenter({ indent, unit: target.unit });
  return (code.push(part.join('\n')) + code.end()).split('\n');
}

/** The block with the same declaration as the segment and no other members. */
function placeDeclared(
  target: DocumentLines,
  part: readonly string[],
  within: Span,
): Span | undefined {
  const top = part.findIndex((line) => !isBlank(line) && headerKind(line) === undefined);
  const line = part[top] ?? '';
  const declaration = declarationOf(line);
  const isSingleBlock = blockEnd(part, top) === part.length && isBalanced(part);
  if (declaration === undefined || !isSingleBlock) return undefined;
  const start = target.onlyDeclaration(line, within);
  if (start === undefined) return undefined;
  const block = { start, end: blockEnd(target.lines, start) };
  if (block.end > within.end) return undefined;
  if (holdsMembers(declaration) && !hasMembers(part, target.lines, block)) return undefined;
  return top === 0 ? block : withHeader(target.lines, block, part.slice(0, top));
}

/** True if brackets are balanced: truncated code has fewer closing ones. */
function isBalanced(lines: readonly string[]): boolean {
  const text = lines.join('\n');
  const opening = text.match(/[([{]/g) ?? [];
  return opening.length === (text.match(/[)\]}]/g) ?? []).length;
}

/** True if the segment declares everything that the block declares. */
function hasMembers(
  part: readonly string[],
  lines: readonly string[],
  { start, end }: Span,
): boolean {
  const declaredNames = new Set(part.map((line) => declarationOf(line)?.name));
  for (let index = start + 1; index < end;) {
    const line = lines[index] ?? '';
    const name = declarationOf(line)?.name;
    if (name !== undefined && !declaredNames.has(name)) return false;
    index = isBlank(line) ? index + 1 : blockEnd(lines, index);
  }
  return true;
}

/** Extends the block to the comment above it, which the segment's comment replaces. */
function withHeader(
  lines: readonly string[],
  block: Span,
  header: readonly string[],
): Span | undefined {
  let { start } = block;
  while (headerKind(lines[start - 1] ?? '') !== undefined) start--;
  const has = (all: readonly string[]): boolean =>
    all.some((line) => headerKind(line) === 'decorator');
  // A decorator that the segment omits may be meant to stay or to be removed.
  return has(lines.slice(start, block.start)) && !has(header) ? undefined : { ...block, start };
}

/** The lines between the first and the last line of the segment, if both occur once. */
function placeBetween(
  target: DocumentLines,
  part: readonly string[],
  within: Span,
): Span | undefined {
  const [first = ''] = part;
  const start = target.only(first, within);
  const last = target.only(part.at(-1) ?? '', within);
  const isExact = start !== undefined && target.reads(part, start);
  const end = last !== undefined ? last + 1 : isExact ? start + part.length : undefined;
  if (start === undefined || end === undefined || end <= start) return undefined;
  const declaredNames = new Set([undefined, ...part.map((line) => declarationOf(line)?.name)]);
  const existingNames = target.lines.slice(start, end).map((line) => declarationOf(line)?.name);
  // Declarations between them that the segment lacks may have been omitted by mistake.
  if (existingNames.some((name) => !declaredNames.has(name))) return undefined;
  return target.share({ start, end }, part) >= 0.5 ? { start, end } : undefined;
}

/**
 * Normalizes code of a reply for a file: line feeds between lines, none at the end, and no first
 * line with only the path, unless the file also starts with that line.
 *
 * @param path as in the reply; if undefined, no line counts as a path
 * @param file the text of the file
 */
export function normalizeReplyCode(code: string, path: string | undefined, file: string): string {
  const lines = trimEndOf(code.replaceAll('\r\n', '\n'), '\n').split('\n');
  const [first = '', ...remaining] = lines;
  const startsWithPath =
    path !== undefined && isPathComment(first, path) && !file.split(/\r?\n/, 3).includes(first);
  return (startsWithPath ? withoutBlankStart(remaining) : lines).join('\n');
}

/**
 * True if a line is a comment that contains only the path, optionally with a word such as "file".
 */
function isPathComment(line: string, path: string): boolean {
  const at = line.indexOf(path);
  if (at < 0) return false;
  const before = line.slice(0, at).replace(/(?:file|filename|filepath|path):\s*/i, '');
  const after = line.slice(at + path.length).replace(/^(?::\d+(?:[-–:]\d+)*|#L\d+(?:-L?\d+)?)/, '');
  const isComment = /^\s*(?:\/\/+|\/\*+|<!--|\(\*|#+|--+|;+|%+)\s*(?:\.[\\/])?$/.test(before);
  return isComment && /^(?:\*+\/|-->|\*\))?$/.test(after.trim());
}

function withoutBlankStart(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first);
}
