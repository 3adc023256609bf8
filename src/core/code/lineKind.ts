import { isRemark, refuses } from './chatPhrases.ts';
import { codeEvidence } from './codeEvidence.ts';
import { beginsComment, familyOf, isStatementWord, isTextLanguage } from './wordyLanguages.ts';

/**
 * What a line of a reply is for itself:
 * - `code`: certainly code
 * - `hint`: a comment, or indented: code where nothing speaks against it
 * - `prose`: a sentence, a heading or an item of a list
 * - `unclear`: may be either, for example a single word
 */
export type LineKind = 'blank' | 'code' | 'hint' | 'prose' | 'unclear';

/** Characters of a long line that are looked at, at its beginning and its end. */
const maxStart = 300;
const maxEnd = 100;

/**
 * Tells what a line is, by its beginning and its end alone, so that the time does not depend on its
 * length.
 * @param language VS Code's id of the file that the reply is for; empty if unknown
 */
export function lineKind(line: string, language: string): LineKind {
  const text = shortened(line);
  const trimmed = text.trim();
  if (trimmed === '') return 'blank';
  const family = familyOf(language);
  if (beginsComment(family, trimmed)) return 'hint';
  if (/^[rRbBuUfF]{0,2}(?:"""|''')/.test(trimmed)) return 'code';
  if (isEntry(trimmed, family)) return 'code';
  if (isStatement(trimmed, family)) return 'code';
  if (isProse(trimmed)) return 'prose';
  if (isListItem(text) && !(listLanguages.has(family) && /^\s*-/.test(text))) return 'prose';
  if (hasChatWord(withoutStrings(trimmed))) return 'unclear';
  const evidence = codeEvidence(withoutInlineCode(trimmed), family);
  if (evidence === 'none') return /^(?:\t| {2,})/.test(text) ? 'hint' : 'unclear';
  return evidence === 'sure' ? 'code' : 'hint';
}

/** Whether a line is a sentence for a person, in any language that people write in. */
function isProse(line: string): boolean {
  const text = shortened(line).trim();
  if (refuses(text) && !/[;{}()[\]=]$/.test(text)) return true;
  const plain = withoutStrings(withoutMarkup(text));
  const signs = (plain.match(codeSign) ?? []).length;
  const letters = (plain.match(otherScript) ?? []).length;
  if (letters >= 4 && signs * 3 <= letters) return true;
  const words = plain.match(/\p{L}[\p{L}\p{M}'’-]*/gu) ?? [];
  const startsSentence = /^[("'“„«¡¿[]*\p{Lu}/u.test(plain);
  const plainWords = words.slice(1).filter((word) => /^\p{Ll}/u.test(word)).length;
  const isPlain = plainWords >= 2;
  if (signs * 4 > words.length || plain.endsWith('{')) return false;
  // A sentence with a semicolon at its end.
  if (plain.endsWith(';')) return startsSentence && plainWords >= 4;
  if (startsSentence && words.length >= 2 && /[.!?…:]["'”’)\]*_]*$/.test(plain)) return true;
  if (startsSentence && words.length >= 3 && isPlain) return true;
  return words.length >= 4 && words.filter((word) => fillers.has(word.toLowerCase())).length >= 2;
}

/** A line whose middle is left out if it is very long. */
function shortened(line: string): string {
  return line.length <= maxStart + maxEnd ? line : line.slice(0, maxStart) + line.slice(-maxEnd);
}

/** Without the marks of Markdown, and with a word in place of inline code. */
function withoutMarkup(text: string): string {
  return withoutInlineCode(text)
    .replace(/^(?:[-*+•>#]+|\d{1,3}[.)])\s+/, '')
    .replace(/^[*_]{1,3}(?=[\p{L}"'])/u, '')
    .replace(/[*_]{2}/g, '');
}

function withoutInlineCode(text: string): string {
  return text.replace(/(`{1,2})[^`]+\1/g, 'code');
}

/** Strings, and the beginning of one that goes on in the next line, are words in code. */
function withoutStrings(text: string): string {
  return text.replace(/"[^"]*"/g, 'text').replace(/(?<![\p{L}\d])'[^']*'(?!\p{L})/gu, 'text');
}

/** Signs that are frequent in code and rare in sentences. */
const codeSign = /[{}[\]<>=|&$@\\+^~_%]|(?<=\w)[(.](?=\w)|(?<=\w)\(\)?|[;,](?=\S)|::|->|\/(?=\/)/g;

/** Letters of scripts that code is seldom written in. */
const otherScript = /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])\p{L}/gu;

/** Frequent words of English that are no keywords of a programming language. */
const fillers = new Set(
  `the an to of that i you it your be was are were can can't cannot could would should will have has had
  here there please changes so because which these those they we my me but its it's i'm don't doesn't didn't
  isn't i've than then also just only about what how any some more most very already`.split(/\s+/),
);

const chatWord =
  /(?:^|\s)(?:I|I['’]\w+|you|your|You|Your|we|We|please|Please|me|sorry|Sorry|the|The|This|These|There|It|It['’]s|That|Here|cannot|can['’]t|don['’]t|doesn['’]t)(?=[\s,.!?:]|$)/;

function hasChatWord(text: string): boolean {
  return chatWord.test(text);
}

/** Languages whose lines may begin with a dash. */
const listLanguages = new Set(['yaml', 'markdown', 'haml', 'slim', 'diff']);

/** Whether a line begins like an item of a list in a reply. */
function isListItem(line: string): boolean {
  return /^ {0,3}(?:[-*+•]|\d{1,3}[.)])\s+\S/.test(line);
}

/** Whether a line is an entry such as `name: value`, in a language that consists of them. */
function isEntry(text: string, family: string): boolean {
  if (family === 'yaml') {
    return /^(?:- +)*["']?[\w.$/-]+["']?:(?:\s|$)/.test(text) && !isRemark(text) && !refuses(text);
  }
  if (family === 'makefile')
    return /^[\w.%$()/-]+\s*::?(?:[^=]|$)/.test(text) && !isRemark(text) && !/^https?:/.test(text);
  const isData = /^(?:jsonc?|json5|jsonl)$/.test(family);
  return isData && /^(?:"[^"]*"|-?\d[\d.eE+-]*|true|false|null)\s*(?::.*|,?)$/.test(text);
}

/** "sleep is not needed": what is said about a keyword. */
const isAboutWord = /^[\w-]+\s+(?:is|are|was|were|has|needs|does|should|must|never|seems|looks)\b/i;

const isRemarkWord = /\b(?:this|here|it|fine|instead|example|found)\b/i;

/** Whether a line begins with a keyword of a language whose statements look like words. */
function isStatement(text: string, family: string): boolean {
  if (isTextLanguage(family)) return false;
  const word = /^@?[\w-]+!?/.exec(text)?.[0] ?? '';
  if (!isStatementWord(family, word.replace(/^@/, ''))) return false;
  const rest = withoutStrings(text);
  // "Select the rows that you want to keep."
  const isSentence = /^\p{Lu}\p{Ll}.*[^;]$/u.test(rest) && isProse(text);
  if (isAboutWord.test(rest)) return false;
  return !isSentence && !hasChatWord(rest) && !isRemarkWord.test(rest) && !refuses(text);
}
