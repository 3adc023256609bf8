import { maxHighlightedLineLength } from './codeLines.ts';
import { findUnfinishedBlock } from './lines.ts';
import type { ParsedBlocks } from './parser.ts';
import { isTextNode } from './patchNodes.ts';
import { minPieceLength } from './pieces.ts';

/** Characters without a Markdown meaning inside a line that already has words. */
const plain = String.raw`A-Za-z0-9\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u024F,.()'"?-`;
const words = new RegExp(`^[ ${plain}]*$`);
const lastWord = new RegExp(String.raw`(?:^|\s)([${plain}]+) *$`);
const letter = /[A-Za-z]/;
/** A line of code that can't close a fence, whatever follows. */
const startedLine = /[^\s>`~]/;
const lineOfCode = /^[^\n]*$/;

/**
 * The end of the rendered text if it consists of plain words or an incomplete line of code. More of
 * the same is appended to the last text node without parsing.
 */
export class PlainEnd {
  readonly #node: Text;
  readonly #more: RegExp;
  #room: number;
  /** Trailing spaces of a paragraph, which are rendered when a word follows. */
  #spaces: string;

  /** @param room maximum number of characters before the text is split */
  constructor(node: Text, more: RegExp, room: number, spaces: string) {
    this.#node = node;
    this.#more = more;
    this.#room = room;
    this.#spaces = spaces;
  }

  /** Appends text. Returns false if it may be more than plain text. */
  grow(text: string): boolean {
    if (text.length > this.#room || !this.#more.test(text)) return false;
    const whole = this.#spaces + text;
    const appended = this.#more === words ? whole.trimEnd() : whole;
    if (appended !== '') this.#node.appendData(appended);
    this.#spaces = whole.slice(appended.length);
    this.#room -= text.length;
    return true;
  }
}

/** The plain end of the rendered text, if nothing was completed or held back. */
export function findPlainEnd(parsed: ParsedBlocks, page: Node | null): PlainEnd | undefined {
  const { token, index, line } = findUnfinishedBlock(parsed) ?? {};
  if (token === undefined || index === undefined || line === undefined) return undefined;
  if (token.type === 'fence') return endOfCode(token.content, line, lastText(page));
  const isWords = /^(?:paragraph|heading)_close$/.test(parsed.tokens[index + 1]?.type ?? '');
  return isWords ? endOfWords(token.content, line, page) : undefined;
}

/** The plain end of words at the end of a line, rendered without changes. */
export function endOfWords(content: string, line: string, page: Node | null): PlainEnd | undefined {
  // Text that starts with a label may become a link definition.
  const room = content.startsWith('[') ? 0 : minPieceLength - content.length;
  // A line of digits and punctuation alone may become a list item.
  const [, word] = (room > 0 && letter.test(line) && lastWord.exec(line)) || [];
  const node = word === undefined ? undefined : lastText(page);
  if (word === undefined || node === undefined) return undefined;
  if (!content.endsWith(word) || !node.data.endsWith(word)) return undefined;
  return new PlainEnd(node, words, room, line.slice(line.trimEnd().length));
}

/** The plain end of a line of code, rendered without changes. */
export function findEndOfLine(line: string, page: Node | null): PlainEnd | undefined {
  return endOfCode(line, line, lastText(page));
}

function endOfCode(content: string, line: string, node: Text | undefined): PlainEnd | undefined {
  const code = content.slice(content.lastIndexOf('\n') + 1);
  const isOpen = startedLine.test(line) && code !== '' && line.endsWith(code);
  if (!isOpen || node?.data !== code) return undefined;
  return new PlainEnd(node, lineOfCode, maxHighlightedLineLength - line.length, '');
}

function lastText(within: Node | null): Text | undefined {
  let node = within;
  for (let last = node; last !== null; last = last.lastChild) node = last;
  return node !== null && isTextNode(node) ? node : undefined;
}
