import type { Span } from '../edits/lineDiff.ts';
import { isBlank } from '../edits/whitespace.ts';
import { CodeIndenter, indentOfLines } from './codeIndenter.ts';
import {
  blockEnd,
  DocumentLines,
  isPlaceholderComment,
  splitAtPlaceholders,
  declarationOf,
  headerKind,
  holdsMembers,
  type CodeSegment,
} from './documentLines.ts';

/** The lines of a document, from `start` up to, and without, `end`, and what comes in their place. */
export interface PlacedCode extends Span {
  readonly lines: readonly string[];
}

/**
 * Where a block of code belongs in a document, and what its lines become: indented as they are there,
 * and with what is there in place of a comment such as `// ... existing code ...`. Undefined where
 * that is not sure: nothing is guessed, and nothing is lost that the code does not mean.
 *
 * A part of the code has its place where the document has its lines once; declares once what the part
 * declares, with no members that the part does not have; or has its first and its last line once,
 * with half of what is between them. Around an elision both parts must have their places.
 */
export function placeCode(target: string, code: string): PlacedCode | undefined {
  const there = new DocumentLines(target);
  const lines = code.split('\n').map((line) => line.replace(/\r$/, ''));
  const hasElision = lines.some(isPlaceholderComment);
  // Where the document has such a comment itself, nobody knows which of the two is meant.
  if (hasElision && there.lines.some(isPlaceholderComment)) return undefined;
  const parts = splitAtPlaceholders(lines);
  const spans = placeOpenBlock(there, parts) ?? placeInOrder(there, parts, there.whole);
  return spans && joined(there, parts, spans);
}

type Parts = readonly CodeSegment[];

/**
 * Parts of one block whose first opens it and whose last closes it: each with a line next to the
 * elision that stands once in the block.
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

/** Each part for itself, one behind the other; what lies between them stays. */
function placeInOrder(
  target: DocumentLines,
  parts: Parts,
  within: Span,
): readonly Span[] | undefined {
  let { start } = within;
  const spans: Span[] = [];
  for (const part of parts) {
    const span = placePart(target, part, within);
    if (span === undefined || span.start < start) return undefined;
    spans.push(span);
    start = span.end;
  }
  return spans;
}

/** The parts in their places, with what lies between them. */
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

/** The place of a part of the code within a part of the document; undefined where it is not sure. */
function placePart(target: DocumentLines, part: CodeSegment, within: Span): Span | undefined {
  const { lines, isOpen } = part;
  const block = isOpen ? undefined : placeDeclared(target, lines, within);
  return block ?? placeBetween(target, lines, within);
}

/** The block that declares what the part declares, and nothing else. */
function placeDeclared(
  target: DocumentLines,
  part: readonly string[],
  within: Span,
): Span | undefined {
  const top = part.findIndex((line) => !isBlank(line) && headerKind(line) === undefined);
  const line = part[top] ?? '';
  const declaration = declarationOf(line);
  const isOne = blockEnd(part, top) === part.length && isBalanced(part);
  if (declaration === undefined || !isOne) return undefined;
  const start = target.onlyDeclaration(line, within);
  if (start === undefined) return undefined;
  const block = { start, end: blockEnd(target.lines, start) };
  if (block.end > within.end) return undefined;
  if (holdsMembers(declaration) && !hasMembers(part, target.lines, block)) return undefined;
  return top === 0 ? block : withHeader(target.lines, block, part.slice(0, top));
}

/** Whether as many brackets close as open: code that was cut off has fewer. */
function isBalanced(lines: readonly string[]): boolean {
  const text = lines.join('\n');
  const opening = text.match(/[([{]/g) ?? [];
  return opening.length === (text.match(/[)\]}]/g) ?? []).length;
}

/** Whether the part declares all that is declared in the block. */
function hasMembers(
  part: readonly string[],
  lines: readonly string[],
  { start, end }: Span,
): boolean {
  const named = new Set(part.map((line) => declarationOf(line)?.name));
  for (let index = start + 1; index < end;) {
    const line = lines[index] ?? '';
    const name = declarationOf(line)?.name;
    if (name !== undefined && !named.has(name)) return false;
    index = isBlank(line) ? index + 1 : blockEnd(lines, index);
  }
  return true;
}

/** The block with the comment above it, in whose place that of the part comes. */
function withHeader(
  lines: readonly string[],
  block: Span,
  header: readonly string[],
): Span | undefined {
  let { start } = block;
  while (headerKind(lines[start - 1] ?? '') !== undefined) start--;
  const has = (all: readonly string[]): boolean =>
    all.some((line) => headerKind(line) === 'decorator');
  // A decorator that the part leaves out may be meant to stay, or to go.
  return has(lines.slice(start, block.start)) && !has(header) ? undefined : { ...block, start };
}

/** What lies between the first and the last line of the part, where both stand once. */
function placeBetween(
  target: DocumentLines,
  part: readonly string[],
  within: Span,
): Span | undefined {
  const [first = ''] = part;
  const start = target.only(first, within);
  const last = target.only(part.at(-1) ?? '', within);
  const end = last === undefined ? exactEnd(target, part, start) : last + 1;
  if (start === undefined || end === undefined || end <= start) return undefined;
  const named = new Set([undefined, ...part.map((line) => declarationOf(line)?.name)]);
  const old = target.lines.slice(start, end).map((line) => declarationOf(line)?.name);
  // What is declared between them and not in the part may have been left out by mistake.
  if (old.some((name) => !named.has(name))) return undefined;
  return target.share({ start, end }, part) >= 0.5 ? { start, end } : undefined;
}

/** The end of lines that stand there as they are. */
function exactEnd(
  target: DocumentLines,
  part: readonly string[],
  start: number | undefined,
): number | undefined {
  return start !== undefined && target.reads(part, start) ? start + part.length : undefined;
}

/**
 * Code of a reply as a file has it: line feeds alone between its lines and none at its end, and
 * without a first line that only names the file, unless the file begins with that line too.
 * @param path as the reply named it, without which no line is such a name
 * @param file the text of the file
 */
export function normalizeReplyCode(code: string, path: string | undefined, file: string): string {
  const lines = code.replaceAll('\r\n', '\n').replace(/\n+$/, '').split('\n');
  const [first = '', ...rest] = lines;
  const isName = path !== undefined && namesOnly(first, path) && !hasLine(file, first);
  return (isName ? withoutBlankStart(rest) : lines).join('\n');
}

/** A comment is marks, maybe a word for "file", the path, and marks. */
function namesOnly(line: string, path: string): boolean {
  const at = line.indexOf(path);
  if (at < 0) return false;
  const before = line.slice(0, at).replace(/(?:file|filename|filepath|path):\s*/i, '');
  const after = line.slice(at + path.length).replace(/^(?::\d+(?:[-–:]\d+)*|#L\d+(?:-L?\d+)?)/, '');
  const isComment = /^\s*(?:\/\/+|\/\*+|<!--|\(\*|#+|--+|;+|%+)\s*(?:\.[\\/])?$/.test(before);
  return isComment && /^\s*(?:\*+\/|-->|\*\))?\s*$/.test(after);
}

function hasLine(file: string, line: string): boolean {
  return file.split(/\r?\n/, 3).includes(line);
}

function withoutBlankStart(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first);
}
