import type { Span } from '../edits/hunk.ts';
import { isBlank } from '../edits/whiteSpace.ts';
import { blockEnd, declarationOf, headerKind, holdsMembers } from './declaration.ts';
import type { DocumentLines } from './documentLines.ts';
import type { CodePart } from './elision.ts';

/** The place of a part of the code within a part of the document; undefined where it is not sure. */
export function placePart(document: DocumentLines, part: CodePart, within: Span): Span | undefined {
  const { lines, isOpen } = part;
  const block = isOpen ? undefined : placeDeclared(document, lines, within);
  return block ?? placeBetween(document, lines, within);
}

/** The block that declares what the part declares, and nothing else. */
function placeDeclared(
  document: DocumentLines,
  part: readonly string[],
  within: Span,
): Span | undefined {
  const top = part.findIndex((line) => !isBlank(line) && headerKind(line) === undefined);
  const line = part[top] ?? '';
  const declaration = declarationOf(line);
  const isOne = blockEnd(part, top) === part.length && isBalanced(part);
  if (declaration === undefined || !isOne) return undefined;
  const start = document.onlyDeclaration(line, within);
  if (start === undefined) return undefined;
  const block = { start, end: blockEnd(document.lines, start) };
  if (block.end > within.end) return undefined;
  if (holdsMembers(declaration) && !hasMembers(part, document.lines, block)) return undefined;
  return top === 0 ? block : withHeader(document.lines, block, part.slice(0, top));
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
  document: DocumentLines,
  part: readonly string[],
  within: Span,
): Span | undefined {
  const [first = ''] = part;
  const start = document.only(first, within);
  const last = document.only(part.at(-1) ?? '', within);
  const end = last === undefined ? exactEnd(document, part, start) : last + 1;
  if (start === undefined || end === undefined || end <= start) return undefined;
  return document.share({ start, end }, part) >= 0.5 ? { start, end } : undefined;
}

/** The end of lines that stand there as they are. */
function exactEnd(
  document: DocumentLines,
  part: readonly string[],
  start: number | undefined,
): number | undefined {
  return start !== undefined && document.reads(part, start) ? start + part.length : undefined;
}
