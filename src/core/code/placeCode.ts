import type { Span } from '../edits/hunk.ts';
import { blockEnd } from './declaration.ts';
import { DocumentLines } from './documentLines.ts';
import { isElision, partsOf, type CodePart } from './elision.ts';
import { IndentedCode, indentOfLines } from './indentedCode.ts';
import { placePart } from './placePart.ts';

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
export function placeCode(document: string, code: string): PlacedCode | undefined {
  const there = new DocumentLines(document);
  const lines = code.split('\n').map((line) => line.replace(/\r$/, ''));
  const hasElision = lines.some(isElision);
  // Where the document has such a comment itself, nobody knows which of the two is meant.
  if (hasElision && there.lines.some(isElision)) return undefined;
  const parts = partsOf(lines);
  const spans = placeOpenBlock(there, parts) ?? placeInOrder(there, parts, there.whole);
  return spans && joined(there, parts, spans);
}

type Parts = readonly CodePart[];

/**
 * Parts of one block whose first opens it and whose last closes it: each with a line next to the
 * elision that stands once in the block.
 */
function placeOpenBlock(document: DocumentLines, parts: Parts): readonly Span[] | undefined {
  const [first, ...inner] = parts;
  const last = inner.pop();
  if (first === undefined || last === undefined) return undefined;
  const start = document.onlyDeclaration(first.lines[0] ?? '', document.whole);
  if (start === undefined) return undefined;
  const block = { start, end: blockEnd(document.lines, start) };
  const head = first.lines.length === 1 ? start : document.only(first.lines.at(-1) ?? '', block);
  const tail = last.lines.length === 1 ? block.end - 1 : document.only(last.lines[0] ?? '', block);
  if (head === undefined || tail === undefined || head >= tail) return undefined;
  if (!document.reads(last.lines.slice(-1), block.end - 1)) return undefined;
  const spans = placeInOrder(document, inner, { start: head + 1, end: tail });
  return spans && [{ start, end: head + 1 }, ...spans, { start: tail, end: block.end }];
}

/** Each part for itself, one behind the other; what lies between them stays. */
function placeInOrder(
  document: DocumentLines,
  parts: Parts,
  within: Span,
): readonly Span[] | undefined {
  let { start } = within;
  const spans: Span[] = [];
  for (const part of parts) {
    const span = placePart(document, part, within);
    if (span === undefined || span.start < start) return undefined;
    spans.push(span);
    start = span.end;
  }
  return spans;
}

/** The parts in their places, with what lies between them. */
function joined(
  document: DocumentLines,
  parts: Parts,
  spans: readonly Span[],
): PlacedCode | undefined {
  const lines: string[] = [];
  let end: number | undefined;
  for (const [index, span] of spans.entries()) {
    if (end !== undefined) lines.push(...document.lines.slice(end, span.start));
    lines.push(...indented(document, parts[index]?.lines ?? [], span));
    ({ end } = span);
  }
  const [first] = spans;
  return first === undefined || end === undefined ? undefined : { start: first.start, end, lines };
}

function indented(
  document: DocumentLines,
  part: readonly string[],
  { start, end }: Span,
): readonly string[] {
  const indent = indentOfLines(document.lines.slice(start, end));
  const code = new IndentedCode({ indent, unit: document.unit });
  return (code.push(part.join('\n')) + code.end()).split('\n');
}
