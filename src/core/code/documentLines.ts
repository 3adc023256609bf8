import type { Span } from '../edits/lineDiff.ts';
import { indentOf, isBlank } from '../edits/whitespace.ts';

/** The lines of a document, found by what stands in them, in spite of other white space. */
export class DocumentLines {
  readonly lines: readonly string[];
  readonly #places = new Map<string, number[]>();
  readonly #declared = new Map<string, number[]>();

  constructor(target: string) {
    this.lines = target.split('\n').map((line) => line.replace(/\r$/, ''));
    for (const [index, line] of this.lines.entries()) {
      pushTo(this.#places, squeezed(line), index);
      const declaration = declarationOf(line);
      if (declaration !== undefined) pushTo(this.#declared, keyOf(declaration), index);
    }
  }

  get whole(): Span {
    return { start: 0, end: this.lines.length };
  }

  /** The only line, within a part of the document, that reads like this. */
  only(line: string, within: Span): number | undefined {
    return single(this.#within(this.#places.get(squeezed(line)), within));
  }

  /** The only line that declares the same; of several, the only one that reads the same too. */
  onlyDeclaration(line: string, within: Span): number | undefined {
    const declaration = declarationOf(line);
    if (declaration === undefined) return undefined;
    const found = this.#within(this.#declared.get(keyOf(declaration)), within);
    return found.length > 1 ? this.only(line, within) : single(found);
  }

  /** Whether lines read like those from a place on. */
  reads(lines: readonly string[], start: number): boolean {
    return lines.every(
      (line, index) => squeezed(line) === squeezed(this.lines[start + index] ?? ''),
    );
  }

  /** What part of the lines, from none (0) to all (1), stands among these as well. */
  share({ start, end }: Span, others: readonly string[]): number {
    const known = new Set(others.map(squeezed));
    const own = this.lines
      .slice(start, end)
      .map(squeezed)
      .filter((line) => line !== '');
    return own.filter((line) => known.has(line)).length / Math.max(1, own.length);
  }

  /** One level of indentation in the document: a tab, else the fewest spaces that a line has. */
  get unit(): string {
    const indents = this.lines.map(indentOf).filter((indent) => indent !== '');
    if (indents.some((indent) => indent.startsWith('\t'))) return '\t';
    const widths = indents.map((indent) => indent.length).filter((width) => width > 1);
    return ' '.repeat(widths.reduce((least, width) => Math.min(least, width), 8));
  }

  #within(places: readonly number[] = [], { start, end }: Span): readonly number[] {
    return places.filter((place) => place >= start && place < end);
  }
}

function keyOf({ kind, name }: Declaration): string {
  return `${kind} ${name}`;
}

function squeezed(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

function single(places: readonly number[]): number | undefined {
  return places.length === 1 ? places[0] : undefined;
}

function pushTo(lists: Map<string, number[]>, key: string, value: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** What a line declares. */
interface Declaration {
  /** A keyword such as `class`; `member` for a method that has none. */
  readonly kind: string;
  readonly name: string;
}

const modifiers =
  /^(?:(?:export|default|declare|public|private|protected|internal|static|async|abstract|final|override|readonly|virtual|sealed|partial|inline|extern|unsafe|suspend|open|data|pub(?:\([^)]*\))?)\s+)*/;
const keyword =
  /^(?:const\s+)?(function|class|interface|enum|type|struct|trait|impl|def|fn|func|fun|module|namespace|record|object|protocol|const|let|var|val)\b\s*\*?\s*(?:\([^)]*\)\s*)?([\p{L}_$#][\p{L}\p{N}_$.?!]*)/u;
/** A method: behind its type, or in front of its block. No quotes and arrows: these are calls. */
const member =
  /^(?:get\s+|set\s+)?((?:[\w<>[\],.?]+\s+)*?)([\p{L}_$#~][\p{L}\p{N}_$]*)\s*(?:<[^>]*>)?\((?:(?!=>)[^;'"`])*(\{\s*\}?|\))\s*$/u;
const statements = new Set(
  'if for while switch catch return await yield throw new else do with super match foreach using lock elif unless'.split(
    ' ',
  ),
);

/** What the line declares; undefined where that cannot be told from one line. */
export function declarationOf(line: string): Declaration | undefined {
  const text = line.trim().slice(0, 500).replace(modifiers, '');
  const [, kind, name] = keyword.exec(text) ?? [];
  if (kind !== undefined && name !== undefined) return { kind, name };
  const first = /^[\w$]+/.exec(text)?.[0] ?? '';
  const [, type = '', called, end] = member.exec(text) ?? [];
  if (called === undefined || statements.has(first) || statements.has(called)) return undefined;
  return end !== ')' || type !== '' ? { kind: 'member', name: called } : undefined;
}

const holders = new Set(
  'class interface enum struct trait impl module namespace record object protocol'.split(' '),
);

/** Whether what is declared is there for what is declared in it. */
export function holdsMembers({ kind }: Declaration): boolean {
  return holders.has(kind);
}

/** Lines that stand on the level of a block and belong to it. */
const continuation =
  /^(?:[)}\]{]|end\b|else\b|elif\b|except\b|catch\b|finally\b|rescue\b|ensure\b|<\/)/;

/**
 * The end, exclusive, of the block that begins with a line: what is indented further, and the lines
 * on its own level that go on or close it.
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
    // A bracket alone closes the block.
    if (depth === level && /^[)}\]]+[;,]?$/.test(line.trim())) break;
  }
  return end;
}

/** A line of the comment, or of the decorators, above a declaration. */
export function headerKind(line: string): 'comment' | 'decorator' | undefined {
  const text = line.trim();
  if (/^(?:@|\[[A-Z][^\]]*\]$|#\[)/.test(text)) return 'decorator';
  const isComment = /^(?:\/\/|\/\*|\*|#(?!include|define|if|endif|pragma|region)|--|<!--)/.test(
    text,
  );
  return isComment ? 'comment' : undefined;
}

const comment = /^(?:\/\/+|#+|--+|;+|%+|\/\*+|<!--|\{\/\*)\s*(.*?)\s*(?:\*\/\}?|-->)?$/;
const dots = /\.{3}|…/;
const placeholderWords =
  /\b(?:existing|rest|remaining|unchanged|others?|same|previous|omitted|before|code|here)\b/i;

/** Whether a line of code stands for what is there already: `// ... existing code ...`. */
export function isPlaceholderComment(line: string): boolean {
  const text = line.trim();
  if (text === '…') return true;
  const said = comment.exec(text)?.[1];
  if (said === undefined || said.length > 120 || !dots.test(said)) return false;
  return /^(?:\.{3}|…)$/.test(said) || placeholderWords.test(said);
}

/** Lines of code that belong together: between the elisions, or all of it. */
export interface CodeSegment {
  readonly lines: readonly string[];
  /** An elision follows, and nothing tells that the block ended before it. */
  readonly isOpen: boolean;
}

/** The parts of code between its elisions, without empty lines around each. */
export function splitAtPlaceholders(lines: readonly string[]): readonly CodeSegment[] {
  const parts: CodeSegment[] = [];
  let start = 0;
  for (let end = 0; end <= lines.length; end++) {
    if (end < lines.length && !isPlaceholderComment(lines[end] ?? '')) continue;
    const part = withoutBlankEnds(lines.slice(start, end));
    const isOpen = end < lines.length && !isClosed(part);
    if (part.length > 0) parts.push({ lines: part, isOpen });
    start = end + 1;
  }
  return parts;
}

/** Whether the last line closes what the first begins. */
function isClosed(lines: readonly string[]): boolean {
  const last = lines.at(-1) ?? '';
  return indentOf(last) === indentOf(lines[0] ?? '') && /^(?:[)}\]]|end\b|<\/)/.test(last.trim());
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => !isBlank(line));
  return start < 0 ? [] : lines.slice(start, lines.findLastIndex((line) => !isBlank(line)) + 1);
}
