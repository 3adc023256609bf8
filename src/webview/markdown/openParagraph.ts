import { closeInline, trimEnd } from './closeInline.ts';
import type { Drawing } from './drawing.ts';
import { isFormulaLine } from './formula/delimiters.ts';
import { inlineVNodes } from './inlineVNodes.ts';
import { findUnfinishedBlock, lastBlockIndex } from './lines.ts';
import { parseInline, type ParsedBlocks, type References } from './parser.ts';
import { patchNodes } from './patchNodes.ts';
import { minPieceLength } from './pieces.ts';
import { endOfWords, type PlainEnd } from './plainEnd.ts';

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
  const isParagraph = raw.tokens[index - 1]?.type === 'paragraph_open';
  if (token === undefined || !isParagraph || !isDecided(token.content)) return undefined;
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

/**
 * True if the words of the last line make it part of the paragraph. A line that starts with a label
 * may become a link definition or a task, one that starts with `|` a table head. After a formula at
 * its start, more text makes it part of the paragraph above.
 */
function isDecided(content: string): boolean {
  const last = content.slice(content.lastIndexOf('\n') + 1);
  const line = closeInline(last);
  if (!/[A-Za-z]/.test(line) || isFormulaLine(last.trim())) return false;
  return !content.startsWith('[') && !line.startsWith('|');
}
