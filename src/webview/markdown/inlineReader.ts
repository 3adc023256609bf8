import { delimiterRunsOf, type DelimiterRun } from './delimiterRuns.ts';
import { formulaAt } from './formula/delimiters.ts';
import { htmlTagAt } from './htmlTags.ts';

export interface Bracket {
  readonly position: number;
  readonly isPicture: boolean;
  /**
   * True if it follows a word, as in `array[0]`. It then starts a label only if an address follows.
   */
  readonly isIndex: boolean;
  /** Number of delimiter runs before it. */
  readonly marks: number;
}

const special = /[\\`*_~[\]<&$]|!(?=\[|$)|:\/\//g;
const entity = /&(?:#(?:\d{0,7}|[xX][\da-fA-F]{0,6})|[a-zA-Z][a-zA-Z\d]{0,31})?$/y;
const autolink = /<[a-zA-Z][a-zA-Z\d+.-]{1,31}:[^\s<>]*/y;
const webScheme = /<(?:https?|mailto):/iy;
const startOfScheme = /<(?:h|ht|htt|https?)?$/iy;
/** The path of a bare URL may contain `*` and `_`, which aren't emphasis. */
const address =
  /:\/\/[^\s<>()[\]`*_~/?#]*(?:[/?#][^\s<>()[\]`]*(?:\([^\s<>()[\]`]*\)[^\s<>()[\]`]*)*)?/y;
const trailingPunctuation = '*.,:;!?"\'';

/**
 * Reads inline text in one pass and records the open syntax at its end. The grammar is approximate:
 * a wrong guess is corrected in the next frame.
 */
export class InlineReader {
  readonly #text: string;
  readonly #runAt: (position: number) => DelimiterRun;
  readonly marks: DelimiterRun[] = [];
  /** Brackets whose label, or the address after it, is unfinished. */
  readonly brackets: Bracket[] = [];
  /** Later text isn't shown yet. */
  end: number;
  closer = '';
  /** Offset after the last link. */
  #linkEnd = 0;

  constructor(text: string) {
    this.#text = text;
    this.#runAt = delimiterRunsOf(text);
    this.end = text.length;
    let index = 0;
    while (index < text.length) {
      special.lastIndex = index;
      const match = special.exec(text);
      if (match === null) break;
      index = this.#read(match[0], match.index);
    }
  }

  /** Reads the construct at `index`. Returns the offset after it. */
  #read(character: string, index: number): number {
    switch (character) {
      case '\\':
        return this.#readFormula(index) ?? this.#readEscape(index);
      case '$':
        return this.#readFormula(index) ?? index + 1;
      case '`':
        return this.#readCode(index);
      case '[':
        return this.#openBracket(index, false);
      case '!':
        return this.#readExclamation(index);
      case ']':
        return this.#closeBracket(index);
      case '<':
        return this.#readAngle(index);
      case '&':
        return matchEnd(entity, this.#text, index) === undefined ? index + 1 : this.#cut(index);
      case '://':
        return this.#readAddress(index);
      default:
        return this.#readMark(index);
    }
  }

  /** Holds back the text from `index` on. */
  #cut(index: number): number {
    this.end = index;
    return this.#text.length;
  }

  /** A formula is shown when it is complete: TeX that turns into one would make the text jump. */
  #readFormula(index: number): number | undefined {
    const formula = formulaAt(this.#text, index);
    return formula === 'open' ? this.#cut(index) : formula?.end;
  }

  #readEscape(index: number): number {
    const next = this.#text.slice(index + 1, index + 3);
    return next === '' || next === '\n' ? this.#cut(index) : index + 2;
  }

  /** A delimiter run at the end may still grow, or open emphasis. */
  #readMark(index: number): number {
    const mark = this.#runAt(index);
    const end = index + mark.length;
    if (end === this.#text.length) return this.#cut(index);
    if (mark.character !== '~' || mark.length === 2) this.marks.push(mark);
    return end;
  }

  #readExclamation(index: number): number {
    return index + 1 === this.#text.length ? this.#cut(index) : this.#openBracket(index, true);
  }

  #readCode(index: number): number {
    const text = this.#text;
    const start = endOfRun(text, index);
    const length = start - index;
    const end = endOfCode(text, start, length);
    if (end !== undefined) return end;
    // Trailing backticks would merge with the closing run.
    let last = text.length;
    while (last > start && '` \t\n\r'.includes(text.charAt(last - 1))) last--;
    if (last === start) return this.#cut(index);
    this.closer = '`'.repeat(length);
    return this.#cut(last);
  }

  #readAngle(index: number): number {
    const text = this.#text;
    const tag = htmlTagAt(text, index, text.length);
    if (tag !== undefined) return tag === 'open' ? this.#cut(index) : tag.end;
    const end = matchEnd(autolink, text, index);
    if (end === undefined)
      return matchEnd(startOfScheme, text, index) === undefined ? index + 1 : this.#cut(index);
    if (text[end] === '>') return end + 1;
    if (end < text.length || matchEnd(webScheme, text, index) === undefined) return index + 1;
    this.closer = '>';
    return end;
  }

  #readAddress(index: number): number {
    const text = this.#text;
    let end = matchEnd(address, text, index) ?? index + 3;
    const trimmed = end === text.length ? `${trailingPunctuation}_~` : trailingPunctuation;
    while (end > index + 3 && trimmed.includes(text.charAt(end - 1))) end--;
    return end;
  }

  #openBracket(index: number, isPicture: boolean): number {
    const before = this.#text.charAt(index - 1);
    const isIndex =
      !isPicture && (/\w/.test(before) || (/[)\]]/.test(before) && index !== this.#linkEnd));
    this.brackets.push({ position: index, isPicture, isIndex, marks: this.marks.length });
    return index + (isPicture ? 2 : 1);
  }

  #closeBracket(index: number): number {
    const bracket = this.brackets.at(-1);
    if (bracket === undefined) return index + 1;
    const tail = readLinkTail(this.#text, index + 1);
    const hasAddress = this.#text[index + 1] === '(';
    this.brackets.pop();
    if (tail === 'open' && (hasAddress || !bracket.isIndex)) {
      this.brackets.push({ ...bracket, isIndex: false });
      return this.#cut(index);
    }
    if (typeof tail !== 'number') return index + 1;
    this.#endLink(bracket);
    this.#linkEnd = tail;
    return tail;
  }

  /** Emphasis doesn't extend beyond a link, and links don't contain links. */
  #endLink({ isPicture, marks }: Bracket): void {
    this.marks.length = marks;
    if (isPicture) return;
    while (this.brackets.at(-1)?.isPicture === false) this.brackets.pop();
  }
}

function matchEnd(pattern: RegExp, text: string, index: number): number | undefined {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function endOfRun(text: string, index: number): number {
  let end = index;
  while (text[end] === '`') end++;
  return end;
}

function endOfCode(text: string, from: number, length: number): number | undefined {
  for (let start = text.indexOf('`', from); start >= 0; start = text.indexOf('`', start)) {
    const end = endOfRun(text, start);
    if (end - start === length) return end;
    start = end;
  }
  return undefined;
}

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
function readLinkTail(text: string, from: number): LinkTail {
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
