/** Where what belongs to a label ends; or it is open, or the label is none. */
type LinkTail = number | 'open' | 'none';

/** Parentheses in an address nest so deep for the parser. */
const maxParenthesisDepth = 32;
/** A title that is longer is rather text that looks like one: it may not be kept from the reader. */
const maxTitleLength = 300;

const spaces = /[ \t\n]*/y;
const bracketed = /<[^<>\\\n]*(?:\\[^\n][^<>\\\n]*)*(>?)/y;
const title =
  /"[^"\\]*(?:\\[^][^"\\]*)*("?)|'[^'\\]*(?:\\[^][^'\\]*)*('?)|\([^()\\]*(?:\\[^][^()\\]*)*(\)?)/y;
const reference = /\[[^\][]{0,200}(\]?)/y;

/** What follows on the bracket that closes a label. */
export function readLinkTail(text: string, from: number): LinkTail {
  if (from >= text.length) return 'open';
  if (text[from] === '(') return readAddress(text, from + 1);
  return text[from] === '[' ? readReference(text, from) : 'none';
}

/** The parser knows which references there are: as soon as one ends, it decides. */
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

/** A backslash at the very end may belong to what follows. */
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
