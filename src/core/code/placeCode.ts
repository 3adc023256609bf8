import type { Span } from '../edits/lineDiff.ts';
import {
  becomesComment,
  isDots,
  isPlaceholder,
  normalizedLine,
  omissionIn,
} from '../edits/omittedCode.ts';
import { indentOf, isBlank } from '../edits/whitespace.ts';
import { linesOf, trimEndOf } from '../support/text.ts';
import { CodeIndenter, indentOfLines, usesTabs } from './codeExtractor.ts';

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
  const lines = linesOf(code);
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
  const [first] = spans ?? [];
  const last = spans?.at(-1);
  if (spans === undefined || first === undefined || last === undefined) return undefined;
  const { unit } = documentLines;
  const placed: string[] = [];
  let copied = first.start;
  for (const [index, { start, end }] of spans.entries()) {
    const existing = documentLines.lines.slice(start, end);
    const segment = parts[index]?.lines ?? [];
    // A line of the segment may stand for lines of the document, which would be deleted.
    if (omissionIn(existing, segment) !== undefined || becomesComment(existing, segment))
      return undefined;
    const style = { indent: indentOfLines(existing), unit };
    const indenter = new CodeIndenter(style);
    const indented = indenter.push(segment.join('\n')) + indenter.end();
    // The lines between segments stay.
    placed.push(...documentLines.lines.slice(copied, start), ...indented.split('\n'));
    copied = end;
  }
  return { start: first.start, end: last.end, lines: placed };
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

/** The block with the same declaration as the segment and no other members. */
function placeDeclared(
  target: DocumentLines,
  part: readonly string[],
  within: Span,
): Span | undefined {
  const top = part.findIndex((line) => !isBlank(line) && headerKind(line) === undefined);
  const line = part[top] ?? '';
  const declaration = declarationOf(line);
  // Truncated code has fewer closing brackets.
  const text = part.join('\n');
  const isBalanced = (text.match(/[([{]/g) ?? []).length === (text.match(/[)\]}]/g) ?? []).length;
  const isSingleBlock = blockEnd(part, top) === part.length && isBalanced;
  if (declaration === undefined || !isSingleBlock) return undefined;
  const start = target.onlyDeclaration(line, within);
  if (start === undefined) return undefined;
  const block = { start, end: blockEnd(target.lines, start) };
  if (block.end > within.end) return undefined;
  if (containers.has(declaration.kind) && !hasMembers(part, target.lines, block)) return undefined;
  if (top === 0) return block;
  // The segment's comment replaces the one above the block.
  let first = start;
  while (headerKind(target.lines[first - 1] ?? '') !== undefined) first--;
  const hasDecorator = (lines: readonly string[]): boolean =>
    lines.some((header) => headerKind(header) === 'decorator');
  // A decorator that the segment omits may be meant to stay or to be removed.
  const isLost =
    hasDecorator(target.lines.slice(first, start)) && !hasDecorator(part.slice(0, top));
  return isLost ? undefined : { start: first, end: block.end };
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
  if (!startsWithPath) return lines.join('\n');
  const filled = remaining.findIndex((line) => line.trim() !== '');
  return filled < 0 ? '' : remaining.slice(filled).join('\n');
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

/** Finds lines of a document by their content, ignoring differences in white space. */
class DocumentLines {
  readonly lines: readonly string[];
  readonly #places = new Map<string, number[]>();
  readonly #declared = new Map<string, number[]>();

  constructor(target: string) {
    this.lines = linesOf(target);
    for (const [index, line] of this.lines.entries()) {
      pushTo(this.#places, normalizedLine(line), index);
      pushTo(this.#declared, declarationKey(line), index);
    }
  }

  get whole(): Span {
    return { start: 0, end: this.lines.length };
  }

  /** The index of the only line within a range that has this text. */
  only(line: string, within: Span): number | undefined {
    return onlyElement(this.#within(this.#places.get(normalizedLine(line)), within));
  }

  /**
   * The index of the only line with the same declaration; of several, the only one with the same
   * text.
   */
  onlyDeclaration(line: string, within: Span): number | undefined {
    const key = declarationKey(line);
    const indexes = this.#within(key === '' ? [] : this.#declared.get(key), within);
    return indexes.length > 1 ? this.only(line, within) : onlyElement(indexes);
  }

  /** True if lines have the same text as those from an index on. */
  reads(lines: readonly string[], start: number): boolean {
    return lines.every(
      (line, index) => normalizedLine(line) === normalizedLine(this.lines[start + index] ?? ''),
    );
  }

  /** The fraction of the lines in a range, from 0 to 1, that occur in `others`. */
  share({ start, end }: Span, others: readonly string[]): number {
    const known = new Set(others.map(normalizedLine));
    const normalized = this.lines
      .slice(start, end)
      .map(normalizedLine)
      .filter((line) => line !== '');
    return normalized.filter((line) => known.has(line)).length / Math.max(1, normalized.length);
  }

  /**
   * One level of indentation in the document: a tab, otherwise the smallest number of spaces of any
   * line.
   */
  get unit(): string {
    if (usesTabs(this.lines) === true) return '\t';
    const indents = this.lines.filter((line) => line.startsWith('  ')).map(indentOf);
    return ' '.repeat(indents.reduce((least, { length }) => Math.min(least, length), 8));
  }

  #within(indexes: readonly number[] = [], { start, end }: Span): readonly number[] {
    return indexes.filter((index) => index >= start && index < end);
  }
}

/** What a line declares; empty for other lines. */
function declarationKey(line: string): string {
  const declaration = declarationOf(line);
  return declaration === undefined ? '' : `${declaration.kind} ${declaration.name}`;
}

function onlyElement(places: readonly number[]): number | undefined {
  return places.length === 1 ? places[0] : undefined;
}

function pushTo(lists: Map<string, number[]>, key: string, value: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

interface Declaration {
  /** A keyword such as `class`; `member` for a method without a keyword. */
  readonly kind: string;
  readonly name: string;
}

const modifiers =
  /^(?:(?:export|default|declare|public|private|protected|internal|static|async|abstract|final|override|readonly|virtual|sealed|partial|inline|extern|unsafe|suspend|open|data|pub(?:\([^)]*\))?)\s+)*/;
const keyword =
  /^(?:const\s+)?(function|class|interface|enum|type|struct|trait|impl|def|fn|func|fun|module|namespace|record|object|protocol|const|let|var|val)\b\s*\*?\s*(?:\([^)]*\)\s*)?([\p{L}_$#][\p{L}\p{N}_$.?!]*)/u;
/**
 * A method: a name after its type, or before its block. Quotes and arrows are excluded, since they
 * occur in calls.
 */
const member =
  /^(?:get\s+|set\s+)?((?:[\w<>[\],.?]+\s+)*?)([\p{L}_$#~][\p{L}\p{N}_$]*)\s*(?:<[^>]*>)?\((?:(?!=>)[^;'"`])*(\{\s*\}?|\))\s*$/u;
const statements = new Set(
  'if for while switch catch return await yield throw new else do with super match foreach using lock elif unless'.split(
    ' ',
  ),
);

/** The declaration in a line; undefined if it cannot be determined from one line. */
function declarationOf(line: string): Declaration | undefined {
  const text = line.trim().slice(0, 500).replace(modifiers, '');
  const [, kind, name] = keyword.exec(text) ?? [];
  if (kind !== undefined && name !== undefined) return { kind, name };
  const first = /^[\w$]+/.exec(text)?.[0] ?? '';
  const [, type = '', methodName, end] = member.exec(text) ?? [];
  if (methodName === undefined || statements.has(first) || statements.has(methodName))
    return undefined;
  return end !== ')' || type !== '' ? { kind: 'member', name: methodName } : undefined;
}

/** Kinds of declarations that contain members. */
const containers = new Set(
  'class interface enum struct trait impl module namespace record object protocol'.split(' '),
);

/** Lines on the indentation level of a block that belong to it. */
const continuation =
  /^(?:[)}\]{]|end\b|else\b|elif\b|except\b|catch\b|finally\b|rescue\b|ensure\b|<\/)/;

/**
 * The exclusive end of the block that begins at a line: includes lines with more indentation, and
 * lines on the same level that continue or close it.
 */
function blockEnd(lines: readonly string[], start: number): number {
  const level = indentOf(lines[start] ?? '').length;
  let end = start + 1;
  for (let index = start + 1; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (isBlank(line)) continue;
    const depth = indentOf(line).length;
    const belongs = depth > level || (depth === level && continuation.test(line.trim()));
    if (!belongs) break;
    end = index + 1;
    // A line with only brackets closes the block.
    if (depth === level && /^[)}\]]+[;,]?$/.test(line.trim())) break;
  }
  return end;
}

/** Kind of a line above a declaration that belongs to it; undefined for any other line. */
function headerKind(line: string): 'comment' | 'decorator' | undefined {
  const text = line.trim();
  if (/^(?:@|\[[A-Z][^\]]*\]$|#\[)/.test(text)) return 'decorator';
  const isComment = /^(?:\/\/|\/\*|\*|#(?!include|define|if|endif|pragma|region)|--|<!--)/.test(
    text,
  );
  return isComment ? 'comment' : undefined;
}

/** Consecutive lines of code between placeholders, or all lines if there are none. */
interface CodeSegment {
  readonly lines: readonly string[];
  /** A placeholder follows, and the block is not closed before it. */
  readonly isOpen: boolean;
}

/** Splits code at placeholders, without empty lines around each segment. */
function splitAtPlaceholders(
  lines: readonly string[],
  isPlaceholder: (line: string) => boolean,
): readonly CodeSegment[] {
  const parts: CodeSegment[] = [];
  let start = 0;
  for (let end = 0; end <= lines.length; end++) {
    if (end < lines.length && !isPlaceholder(lines[end] ?? '')) continue;
    const segment = lines.slice(start, end);
    const filled = segment.findIndex((line) => !isBlank(line));
    const part =
      filled < 0 ? [] : segment.slice(filled, segment.findLastIndex((line) => !isBlank(line)) + 1);
    const [first = '', last = ''] = [part[0], part.at(-1)];
    // The last line may close the block that the first line opens.
    const isClosed =
      indentOf(last) === indentOf(first) && /^(?:[)}\]]|end\b|<\/)/.test(last.trim());
    if (part.length > 0) parts.push({ lines: part, isOpen: end < lines.length && !isClosed });
    start = end + 1;
  }
  return parts;
}
