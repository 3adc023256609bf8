import { offsetOfLine, lastBlockIndex } from './blocks.ts';
import { type ParsedBlocks, htmlTagAt, inlineState } from './parser.ts';
import { formulaAt } from './delimiters.ts';

/** A row up to its last unescaped `|`. */
const wholeCells = /^.*(?<!\\)\|/;
const partOfFence = /^[\s>]*(?:`+|~+)$/;

/**
 * Completes the open end of a streamed reply for display: closes unfinished emphasis, code and
 * links, and holds back a last line whose kind is undecided, so that no raw syntax flashes up. The
 * text itself isn't changed.
 */
export function completeTail({ source: text, tokens }: ParsedBlocks): string {
  const index = lastBlockIndex(tokens);
  const lastBlock = tokens[index];
  if (lastBlock === undefined) return text;
  // In an empty list item or quote, only its own line is undecided.
  if (lastBlock.nesting === 1) return withoutLastLine(text, isUndecided);
  if (lastBlock.type === 'fence') return withoutLastLine(text, (line) => partOfFence.test(line));
  if (lastBlock.type === 'code_block' || lastBlock.type === 'hr') return text;
  if (/^t[hd]_close$/.test(tokens[index + 1]?.type ?? '')) {
    // Only the last cell of a table row can be unfinished.
    const line = text.lastIndexOf('\n') + 1;
    const [row = ''] = wholeCells.exec(text.slice(line)) ?? [];
    const cell = line + row.length;
    return text.endsWith('\n') ? text : text.slice(0, cell) + closeInline(text.slice(cell));
  }
  // A link definition isn't rendered, nor the title of the one above.
  const { content, map } = lastBlock;
  const above = tokens[index - 2];
  const isBelow = above?.type === 'reference_definition' && above.map?.[1] === map?.[0];
  if (openLabel.test(content) || (isBelow && openTitle.test(content)))
    return text.slice(0, offsetOfLine(text, map?.[0] ?? 0));
  const lines = withoutLastLine(text, isUndecided);
  const isHeading = tokens[index - 1]?.markup.startsWith('#') === true;
  const decided = isHeading ? lines : withoutTableHead(lines);
  const start = lastBlock.map === null ? 0 : offsetOfLine(decided, lastBlock.map[0]);
  const closed = decided.slice(0, start) + closeInline(decided.slice(start));
  // The line may now consist of its marker only.
  const completed = withoutLastLine(closed, isUndecided);
  // An equal text needn't be parsed again.
  return completed === trimEnd(text) ? text : completed;
}

function withoutLastLine(text: string, isHeld: (line: string) => boolean): string {
  const start = text.lastIndexOf('\n') + 1;
  return isHeld(text.slice(start)) ? text.slice(0, start) : text;
}

/** Longer lines are probably text with a `|`, and must not be held back. */
const maxHeadLength = 80;

const delimiter = /^[\s|:-]+$/;
const codeOrEscape = /`[^`]*`?|\\.|\$[^\s$][^$]*\$?/g;
const singleBar = /(?<!\|)\|(?!\|)/;

/** Holds back a row that becomes a table head only by the line below it. */
function withoutTableHead(text: string): string {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  const start = text.lastIndexOf('\n', end - 1) + 1;
  const line = text.slice(start, end);
  if (!line.includes('|') || delimiter.test(line)) return text;
  const above = text.slice(0, start).split('\n').at(-2) ?? '';
  if (line.startsWith('|')) return above.startsWith('|') ? text : text.slice(0, start);
  if (above.includes('|') || line.length > maxHeadLength) return text;
  // The first cell is shown, since it stays in place when the table follows. A `|` in code or a
  // formula, or a `||`, is probably an operator.
  const words = line.replaceAll(codeOrEscape, ({ length }) => 'x'.repeat(length));
  const cell = singleBar.exec(words)?.index;
  return cell === undefined ? text : text.slice(0, start + cell);
}

const openLabel = /^\[[^\][]*\]:\s*$/;
const openTitle = /^(?:"(?:\\[^]|[^"\\])*|'(?:\\[^]|[^'\\])*|\((?:\\[^]|[^()\\])*)\\?$/;

/** Quote and list markers at the start of a line that are followed by more text. */
const containers = /(?:[\s>]|(?:\d{1,9}[.)]|[-+*])(?=\s)){0,200}/y;
const opening = /^(?:(?:\d{1,9}[.)]?|[-+*]|#{1,6})\s*|[-=_*~`|:\s]*)$/;
const task = /^\[[ xX]?\]?\s*$/;

/**
 * True if a line may still become a list item, heading, rule, table or plain text, including items
 * nested on one line. `[ ]` is a task only after a list marker.
 */
export function isUndecided(line: string): boolean {
  containers.lastIndex = 0;
  const [before = ''] = containers.exec(line) ?? [];
  const content = line.slice(before.length);
  return opening.test(content) || (/[^\s>]/.test(before) && task.test(content));
}

/** Maximum length of a link label; longer text after an open bracket isn't one. */
const maxLabelLength = 200;

/** Closes or removes unfinished syntax at the end of inline text. */
export function closeInline(text: string): string {
  const { marks, brackets, end, closer } = new InlineReader(text);
  // An open label is shown without its bracket, since most labels are links: the text then stays in
  // place when the address arrives. If none arrives, the bracket is inserted when that is certain.
  // Showing the bracket meanwhile would make every link jump; holding the label back would delay it.
  const labels = brackets.filter(
    ({ position, isIndex }) => !isIndex && end - position <= maxLabelLength,
  );
  // Unfinished images are hidden.
  let last = labels.find(({ isPicture }) => isPicture)?.position ?? end;
  // Openers at the end enclose nothing, and are dropped.
  for (;;) {
    const mark = marks.at(-1);
    const label = labels.at(-1);
    const endsMark = mark !== undefined && mark.position + mark.length >= last;
    const endsLabel = label !== undefined && label.position + 1 >= last;
    const opener = endsMark ? marks.pop() : endsLabel ? labels.pop() : undefined;
    if (opener === undefined) break;
    last = Math.min(last, opener.position);
  }
  let visible = '';
  let from = 0;
  for (const { position } of labels) {
    visible += text.slice(from, position);
    from = position + 1;
  }
  visible = trimEnd(visible + text.slice(from, last));
  const open = new DelimiterStack();
  for (const mark of marks) open.add(mark);
  return visible + (last === end ? closer : '') + open.closers;
}

/** Trims the trailing whitespace that Markdown ignores; other spaces are rendered. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\n\r'.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

interface Bracket {
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
class InlineReader {
  readonly #text: string;
  readonly #state: ReturnType<typeof inlineState>;
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
    this.#state = inlineState(text);
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
        return (
          this.#readFormula(index) ??
          (/^\\\n?$/.test(this.#text.slice(index, index + 3)) ? this.#cut(index) : index + 2)
        );
      case '$':
        return this.#readFormula(index) ?? index + 1;
      case '`':
        return this.#readCode(index);
      case '[':
        return this.#openBracket(index, false);
      case '!':
        return index + 1 === this.#text.length ? this.#cut(index) : this.#openBracket(index, true);
      case ']':
        return this.#closeBracket(index);
      case '<':
        return this.#readAngle(index);
      case '&':
        return matchEnd(entity, this.#text, index) === undefined ? index + 1 : this.#cut(index);
      case '://':
        return this.#readAddress(index);
      default: {
        // A delimiter run at the end may still grow, or open emphasis.
        // Read as by the parser, so that what is open now is what will be drawn.
        const run = this.#state.scanDelims(index, character !== '_');
        const { length, can_open: opens, can_close: closes } = run;
        const end = index + length;
        if (end === this.#text.length) return this.#cut(index);
        if (character !== '~' || length === 2)
          this.marks.push({ character, position: index, length, opens, closes });
        return end;
      }
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

  #readCode(index: number): number {
    const text = this.#text;
    const start = endOfRun(text, index);
    const length = start - index;
    for (let tick = text.indexOf('`', start); tick >= 0;) {
      const end = endOfRun(text, tick);
      if (end - tick === length) return end;
      tick = text.indexOf('`', end);
    }
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
    // Emphasis doesn't extend beyond a link, and links don't contain links.
    this.marks.length = bracket.marks;
    if (!bracket.isPicture) while (this.brackets.at(-1)?.isPicture === false) this.brackets.pop();
    this.#linkEnd = tail;
    return tail;
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
  // Only an unfinished reference is open: the parser knows the defined ones.
  return matchEnd(reference, text, from) === text.length ? 'open' : 'none';
}

function readAddress(text: string, from: number): LinkTail {
  const start = skipSpaces(text, from);
  const end = text[start] === '<' ? endOfBracketed(text, start) : endOfPlain(text, start);
  if (end === 'open' || end === 'none') return end;
  const next = skipSpaces(text, end);
  if (next === end || !/["'(]/.test(text.charAt(next))) return atParenthesis(text, next);
  title.lastIndex = next;
  const match = title.exec(text);
  const titleEnd = title.lastIndex;
  const isClosed = (match?.[1] ?? match?.[2] ?? match?.[3] ?? '') !== '';
  if (isClosed) return atParenthesis(text, skipSpaces(text, titleEnd));
  return isOpenAt(text, titleEnd) && titleEnd - next <= maxTitleLength ? 'open' : 'none';
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

function atParenthesis(text: string, index: number): LinkTail {
  if (index >= text.length) return 'open';
  return text[index] === ')' ? index + 1 : 'none';
}

function skipSpaces(text: string, from: number): number {
  return matchEnd(spaces, text, from) ?? from;
}

interface DelimiterRun {
  readonly character: string;
  readonly position: number;
  readonly length: number;
  readonly opens: boolean;
  readonly closes: boolean;
}

interface OpenDelimiter {
  readonly mark: DelimiterRun;
  /** Number of characters that aren't closed. */
  readonly open: number;
}

/** The delimiters that are open while a text is read, and their closers. */
class DelimiterStack {
  readonly #open: OpenDelimiter[] = [];
  /** Indexes of each character's runs in `#open`. */
  readonly #places: Readonly<Record<string, number[]>> = { '*': [], _: [], '~': [] };

  /** The delimiters that close all open emphasis, innermost first. */
  get closers(): string {
    const closers = this.#open.map(({ mark, open: length }) => mark.character.repeat(length));
    return closers.reverse().join('');
  }

  /**
   * Closes the open runs that a closing run is long enough for: `***` closes both `*` and `**`. A
   * run that can only close also closes a part of a longer one. The remaining characters may open.
   */
  add(mark: DelimiterRun): void {
    let remaining = mark.length;
    while (mark.closes && remaining > 0) {
      const index = this.#places[mark.character]?.at(-1) ?? -1;
      const last = this.#open[index];
      if (last === undefined) break;
      // CommonMark's rule of three: `*a**b*` is one emphasis, not two.
      const isClear = !last.mark.closes && !mark.opens;
      const isSum = (last.mark.length + mark.length) % 3 === 0;
      if (!isClear && isSum && mark.length % 3 !== 0) break;
      if (last.open > remaining && mark.opens) break;
      while (this.#open.length > index) {
        const top = this.#open.pop();
        this.#places[top?.mark.character ?? '']?.pop();
      }
      if (last.open > remaining) this.#push({ mark: last.mark, open: last.open - remaining });
      remaining = Math.max(0, remaining - last.open);
    }
    if (remaining > 0 && mark.opens) this.#push({ mark, open: remaining });
  }

  #push(open: OpenDelimiter): void {
    this.#places[open.mark.character]?.push(this.#open.length);
    this.#open.push(open);
  }
}
