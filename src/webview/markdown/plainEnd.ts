import { closeInline, trimEnd } from './completeTail.ts';
import type { Drawing } from './drawBlocks.ts';
import { isFormulaLine } from './delimiters.ts';
import { inlineVNodes } from './inlineVNodes.ts';
import { findUnfinishedBlock, lastBlockIndex, minPieceLength } from './blocks.ts';
import { parseInline, type ParsedBlocks, type References } from './parser.ts';
import { patchNodes, isTextNode } from './patchNodes.ts';
import { maxHighlightedLineLength } from './codeBlock.ts';

/**
 * The paragraph at the end of a text, within a line that has words. The rest of that line can only
 * belong to the paragraph, so no blocks must be parsed.
 */
export class OpenParagraph {
  readonly #block: Element;
  /** The previous node in the same element, as in a list item. */
  readonly #before: ChildNode | null;
  #content: string;

  constructor(block: Element, before: ChildNode | null, content: string) {
    this.#block = block;
    this.#before = before;
    this.#content = content;
  }

  add(text: string): void {
    this.#content += text;
  }

  /** Renders more text. Returns false if it may change the block structure. */
  grow(text: string, references: References): boolean {
    const content = this.#content + text;
    if (/[\n|]/.test(text) || content.length > minPieceLength) return false;
    this.#content = content;
    const vnodes = inlineVNodes(parseInline(closeInline(content), references));
    const stableNodes = new Map([[this.#block, this.#before]]);
    patchNodes(this.#block.ownerDocument, this.#block, vnodes, stableNodes);
    return true;
  }

  /** The plain end, if nothing is held back. */
  findPlainEnd(): PlainEnd | undefined {
    const content = trimEnd(this.#content);
    if (closeInline(content) !== content) return undefined;
    const line = this.#content.slice(this.#content.lastIndexOf('\n') + 1);
    return endOfWords(content, line, this.#block);
  }
}

/**
 * @param raw the end of the text, not completed
 * @param drawing the rendered text, with its end completed
 */
export function findOpenParagraph(raw: ParsedBlocks, drawing: Drawing): OpenParagraph | undefined {
  const { token, index = 0, line = '' } = findUnfinishedBlock(raw) ?? {};
  if (token === undefined || raw.tokens[index - 1]?.type !== 'paragraph_open') return undefined;
  // A line that starts with a label may become a link definition or a task, one that starts with
  // `|` a table head. After a formula at its start, more text makes it part of the paragraph above.
  const last = token.content.slice(token.content.lastIndexOf('\n') + 1);
  const shown = closeInline(last);
  const isDecided =
    /[A-Za-z]/.test(shown) &&
    !isFormulaLine(last.trim()) &&
    !token.content.startsWith('[') &&
    !shown.startsWith('|');
  if (!isDecided) return undefined;
  const drawn = lastBlockIndex(drawing.tokens);
  const node = drawing.nodes.get(drawn - 1)?.node;
  const displayed = closeInline(token.content);
  // If all of it is held back, the last rendered block is another one.
  const isSame = displayed !== '' && drawing.tokens[drawn]?.content === displayed;
  if (node === undefined || !isSame) return undefined;
  const content = token.content + line.slice(trimEnd(line).length);
  const isElement = drawing.tokens[drawn - 1]?.hidden === false;
  const block = isElement ? node : node.parentNode;
  if (!(block instanceof Element)) return undefined;
  return new OpenParagraph(block, isElement ? null : node.previousSibling, content);
}

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
function endOfWords(content: string, line: string, page: Node | null): PlainEnd | undefined {
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
