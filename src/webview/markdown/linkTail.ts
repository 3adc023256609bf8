/** The offset after a link's address or reference; `open` if it is unfinished. */
type LinkTail = number | 'open' | 'none';

/** Maximum depth of parentheses in an address, as in the parser. */
const maxParenthesisDepth = 32;
/** Longer titles are probably text that looks like one, and must not be held back. */
const maxTitleLength = 300;

const spaces = /[ \t\n]*/y;
const bracketed = /<[^<>\\\n]*(?:\\[^\n][^<>\\\n]*)*(>?)/y;
const title =
  /"[^"\\]*(?:\\[^][^"\\]*)*("?)|'[^'\\]*(?:\\[^][^'\\]*)*('?)|\([^()\\]*(?:\\[^][^()\\]*)*(\)?)/y;
const reference = /\[[^\][]{0,200}(\]?)/y;

/** Reads the text after the closing bracket of a label. */
export function readLinkTail(text: string, from: number): LinkTail {
  if (from >= text.length) return 'open';
  if (text[from] === '(') return readAddress(text, from + 1);
  return text[from] === '[' ? readReference(text, from) : 'none';
}

/** Only an unfinished reference is open: the parser knows the defined ones. */
function readReference(text: string, from: number): LinkTail {
  reference.lastIndex = from;
  return reference.test(text) && reference.lastIndex === text.length ? 'open' : 'none';
}

function readAddress(text: string, from: number): LinkTail {
  const start = skipSpaces(text, from);
  const end = text[start] === '<' ? endOfBracketed(text, start) : endOfPlain(text, start);
  if (end === 'open' || end === 'none') return end;
  const next = skipSpaces(text, end);
  if (next > end && /["'(]/.test(text.charAt(next))) return readTitle(text, next);
  return atParenthesis(text, next);
}

function endOfBracketed(text: string, from: number): LinkTail {
  bracketed.lastIndex = from;
  const [, end] = bracketed.exec(text) ?? [];
  if (end === '>') return bracketed.lastIndex;
  return isOpenAt(text, bracketed.lastIndex) ? 'open' : 'none';
}

/** A trailing backslash may escape the next character. */
function isOpenAt(text: string, end: number): boolean {
  return end === text.length || (end === text.length - 1 && text[end] === '\\');
}

function endOfPlain(text: string, from: number): LinkTail {
  let depth = 0;
  for (let index = from; index < text.length; index++) {
    const character = text.charAt(index);
    if (character <= ' ') return depth === 0 ? index : 'none';
    if (character === ')' && depth === 0) return index;
    if (character === '\\') index += 1;
    else if (character === ')') depth -= 1;
    else if (character === '(' && ++depth > maxParenthesisDepth) return 'none';
  }
  return 'open';
}

function readTitle(text: string, from: number): LinkTail {
  title.lastIndex = from;
  const match = title.exec(text);
  const end = title.lastIndex;
  const isClosed = (match?.[1] ?? match?.[2] ?? match?.[3] ?? '') !== '';
  if (isClosed) return atParenthesis(text, skipSpaces(text, end));
  return isOpenAt(text, end) && end - from <= maxTitleLength ? 'open' : 'none';
}

function atParenthesis(text: string, index: number): LinkTail {
  if (index >= text.length) return 'open';
  return text[index] === ')' ? index + 1 : 'none';
}

function skipSpaces(text: string, from: number): number {
  spaces.lastIndex = from;
  spaces.test(text);
  return spaces.lastIndex;
}
