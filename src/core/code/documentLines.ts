import type { Span } from '../edits/lineDiff.ts';
import { normalizedLine } from '../edits/omittedCode.ts';
import { indentOf, isBlank } from '../edits/whitespace.ts';

/** Finds lines of a document by their content, ignoring differences in white space. */
export class DocumentLines {
  readonly lines: readonly string[];
  readonly #places = new Map<string, number[]>();
  readonly #declared = new Map<string, number[]>();

  constructor(target: string) {
    this.lines = target.split('\n').map((line) => line.replace(/\r$/, ''));
    for (const [index, line] of this.lines.entries()) {
      pushTo(this.#places, normalizedLine(line), index);
      const declaration = declarationOf(line);
      if (declaration !== undefined) pushTo(this.#declared, keyOf(declaration), index);
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
    const declaration = declarationOf(line);
    if (declaration === undefined) return undefined;
    const indexes = this.#within(this.#declared.get(keyOf(declaration)), within);
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
    const indents = this.lines.map(indentOf).filter((indent) => indent !== '');
    if (indents.some((indent) => indent.startsWith('\t'))) return '\t';
    const widths = indents.map((indent) => indent.length).filter((width) => width > 1);
    return ' '.repeat(widths.reduce((least, width) => Math.min(least, width), 8));
  }

  #within(indexes: readonly number[] = [], { start, end }: Span): readonly number[] {
    return indexes.filter((index) => index >= start && index < end);
  }
}

function keyOf({ kind, name }: Declaration): string {
  return `${kind} ${name}`;
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
export function declarationOf(line: string): Declaration | undefined {
  const text = line.trim().slice(0, 500).replace(modifiers, '');
  const [, kind, name] = keyword.exec(text) ?? [];
  if (kind !== undefined && name !== undefined) return { kind, name };
  const first = /^[\w$]+/.exec(text)?.[0] ?? '';
  const [, type = '', methodName, end] = member.exec(text) ?? [];
  if (methodName === undefined || statements.has(first) || statements.has(methodName))
    return undefined;
  return end !== ')' || type !== '' ? { kind: 'member', name: methodName } : undefined;
}

const containers = new Set(
  'class interface enum struct trait impl module namespace record object protocol'.split(' '),
);

/** True if a declaration contains members. */
export function holdsMembers({ kind }: Declaration): boolean {
  return containers.has(kind);
}

/** Lines on the indentation level of a block that belong to it. */
const continuation =
  /^(?:[)}\]{]|end\b|else\b|elif\b|except\b|catch\b|finally\b|rescue\b|ensure\b|<\/)/;

/**
 * The exclusive end of the block that begins at a line: includes lines with more indentation, and
 * lines on the same level that continue or close it.
 */
export function blockEnd(lines: readonly string[], start: number): number {
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
export function headerKind(line: string): 'comment' | 'decorator' | undefined {
  const text = line.trim();
  if (/^(?:@|\[[A-Z][^\]]*\]$|#\[)/.test(text)) return 'decorator';
  const isComment = /^(?:\/\/|\/\*|\*|#(?!include|define|if|endif|pragma|region)|--|<!--)/.test(
    text,
  );
  return isComment ? 'comment' : undefined;
}

/** Consecutive lines of code between placeholders, or all lines if there are none. */
export interface CodeSegment {
  readonly lines: readonly string[];
  /** A placeholder follows, and the block is not closed before it. */
  readonly isOpen: boolean;
}

/** Splits code at placeholders, without empty lines around each segment. */
export function splitAtPlaceholders(
  lines: readonly string[],
  isPlaceholder: (line: string) => boolean,
): readonly CodeSegment[] {
  const parts: CodeSegment[] = [];
  let start = 0;
  for (let end = 0; end <= lines.length; end++) {
    if (end < lines.length && !isPlaceholder(lines[end] ?? '')) continue;
    const part = withoutBlankEnds(lines.slice(start, end));
    const isOpen = end < lines.length && !isClosed(part);
    if (part.length > 0) parts.push({ lines: part, isOpen });
    start = end + 1;
  }
  return parts;
}

/** True if the last line closes the block that the first line opens. */
function isClosed(lines: readonly string[]): boolean {
  const last = lines.at(-1) ?? '';
  return indentOf(last) === indentOf(lines[0] ?? '') && /^(?:[)}\]]|end\b|<\/)/.test(last.trim());
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => !isBlank(line));
  return start < 0 ? [] : lines.slice(start, lines.findLastIndex((line) => !isBlank(line)) + 1);
}
