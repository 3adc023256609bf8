import { scanPiece, type PieceOfFile } from './demoScanner.ts';

/** A function or class that a piece of code defines. */
export interface Definition {
  readonly kind: 'function' | 'class';
  readonly name: string;
  readonly params: readonly string[];
  /** First line in the piece, counted from 0. */
  readonly line: number;
  /** Line on which its parameters end, counted from 0. */
  readonly lastLine: number;
  /** The code of these lines, without strings and comments. */
  readonly header: string;
}

const script =
  /^[ \t]*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\s*(?:\*\s*)?([\w$]+)\s*(?:<[^()]{0,200}>)?\s*(?=\()/;
const scriptConst =
  /^[ \t]*(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*(?::[^=]{0,200})?=\s*(?:async\s*)?(?:function\b\s*(?:\*\s*)?(?:[\w$]+\s*)?)?(?:<[^()]{0,100}>\s*)?(?=\()/;
const scriptMethod =
  /^[ \t]+(?:(?:public|private|protected|static|async|override|abstract|get|set)\s+){0,4}(#?[\w$]+)\s*(?:<[^()]{0,200}>)?(?=\()/;
const typed = /^[ \t]*(?:(?:[\w:<>,*&[\]?]+)[ \t]+){1,6}[*&]*(~?\w[\w:]*)\s*(?=\()/;
const spelled =
  /^[ \t]*(?:(?:pub(?:\([^)]{0,40}\))?|public|private|protected|internal|static|async|unsafe|const|override|open|final|inline|suspend|local|extern|abstract|mutating)\s+){0,6}(?:function|func|fun|fn|def|defp|sub)\s+(?:\([^()]{0,80}\)\s*)?([\w.:]+[?!]?)\s*(?:<[^()]{0,200}>|\[[^\]]{0,200}\])?\s*(?=\(|$|do\b|\{)/;
const classes =
  /^[ \t]*(?:(?:export|default|abstract|public|final|sealed|open|data|pub|partial|static|internal|private)\s+){0,5}(?:class|interface|struct|enum|trait|record|object|protocol)\s+(\w+)/;

const scripts = [script, scriptConst, scriptMethod];
const patterns: Readonly<Record<string, readonly RegExp[]>> = {
  typescript: scripts,
  javascript: scripts,
  typescriptreact: scripts,
  javascriptreact: scripts,
  java: [typed],
  c: [typed],
  cpp: [typed],
  csharp: [typed],
  dart: [typed],
};

/** Languages in which a parameter is a type and then a name. */
const typeFirst = /^(?:java|c|cpp|csharp|dart|objective-c|groovy)$/;
const keywords =
  /^(?:if|for|foreach|while|switch|catch|return|else|new|throw|case|do|function|typeof|await|yield|with|using|lock|sizeof|super|this|delete|goto|synchronized|when|constructor)$/;
const statements =
  /^[ \t]*(?:return|else|new|throw|case|goto|delete|await|yield|package|import|using|typedef|#)\b/;

const maxDefinitions = 30;

/** Finds the functions and classes of a piece, as far as the demo can read it. */
export function findDefinitions(file: PieceOfFile): readonly Definition[] {
  const { language } = file;
  const { code } = scanPiece(file);
  const lines = code.split('\n').map((line) => line.slice(0, 500));
  return lines
    .flatMap((_, line) => definitionAt(lines, line, language) ?? [])
    .slice(0, maxDefinitions);
}

function definitionAt(
  lines: readonly string[],
  line: number,
  language: string,
): Definition | undefined {
  const text = lines[line]?.replace(/\r$/, '') ?? '';
  const [, className] = classes.exec(text) ?? [];
  if (className !== undefined) {
    return { kind: 'class', name: className, params: [], line, lastLine: line, header: text };
  }
  if (patterns[language] !== undefined && statements.test(text)) return undefined;
  for (const pattern of patterns[language] ?? [spelled]) {
    const match = pattern.exec(text);
    const name = match?.[1] ?? '';
    if (match === null || keywords.test(name)) continue;
    const following = [text.slice(match[0].length), ...lines.slice(line + 1, line + 40)].join('\n');
    const list = listOf(following);
    if (list === undefined || !begins(pattern, list.rest)) continue;
    const { length } = following.slice(0, following.length - list.rest.length).split('\n');
    const lastLine = line + length - 1;
    const header = lines.slice(line, lastLine + 1).join('\n');
    const params = typeFirst.test(language) ? list.items.map(lastWord) : list.items.map(firstWord);
    const known = params.filter((param) => param !== '' && !/^(?:self|cls|this)$/.test(param));
    return { kind: 'function', name, params: [...new Set(known)], line, lastLine, header };
  }
  return undefined;
}

/** Whether the text after the parameters begins a body. */
function begins(pattern: RegExp, following: string): boolean {
  if (pattern === scriptConst) return /^\s*(?::[^={};]{1,200})?(?:=>|\{)/.test(following);
  if (pattern === scriptMethod) return /^\s*(?::[^;={}()]{1,200})?\{/.test(following);
  if (pattern === typed) {
    return /^\s*(?:(?:const|noexcept|override|final|async\*?)\s*){0,3}(?:throws\s[\w.,\s]{1,200})?\{/.test(
      following,
    );
  }
  return true;
}

/** The items of a list in parentheses at the beginning; no items if there is none. */
function listOf(text: string): { items: readonly string[]; rest: string } | undefined {
  if (!text.startsWith('(')) return { items: [], rest: text };
  const items: string[] = [];
  let depth = 0;
  let item = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (/[)\]}]/.test(character)) depth--;
    if (depth === 0 && at > 0) return { items: [...items, item], rest: text.slice(at + 1) };
    if (character === ',' && depth === 1) {
      items.push(item);
      item = '';
    } else if (depth > 0) item += character;
    if (/[([{]/.test(character)) depth++;
  }
  return undefined;
}

function firstWord(item: string): string {
  const name = item
    .trim()
    .replace(
      /^(?:(?:public|private|protected|readonly|override|mut|ref|inout|val|var|final|vararg|const)\s+)+/,
      '',
    )
    .replace(/^(?:\.{3}|[*&]+)/, '');
  const [, label] = /^[\w$]+\s+(\w+)\s*:/.exec(name) ?? [];
  return label ?? /^\$?[\p{L}_$][\w$]*(?=\s*(?:[:=?,]|$|\s[\w*[\].]+$))/u.exec(name)?.[0] ?? '';
}

function lastWord(item: string): string {
  const name = item
    .replace(/=[^]*$/, '')
    .replace(/\[\w*\]\s*$/, '')
    .trim();
  return /[\s*&>\]](\w+)$/.exec(name)?.[1] ?? '';
}

/** A name as words: `maxCount` and `max_count` are "max count". */
export function wordsOf(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .trim()
    .toLowerCase();
}
