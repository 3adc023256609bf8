import { indentOf, isBlank } from '../edits/whiteSpace.ts';

/** What a line declares. */
export interface Declaration {
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
