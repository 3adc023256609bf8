import type { Token } from 'markdown-it';
import { frameCode, frameMoreCode } from './codeBlock.ts';
import { addCode } from './codeLines.ts';
import type { Drawing, BlockParts } from './drawing.ts';
import { grammarFor } from './highlight/languages.ts';
import { inlineVNodes } from './inlineVNodes.ts';
import { startOfLine } from './lines.ts';
import { fileOfComment, fileOfInfo, languageOfInfo, type NamedFile } from './namedFile.ts';
import {
  depthOf,
  fillerLength,
  fileAbove,
  type OpenCodeBlock,
  type ParseContext,
} from './parseContext.ts';
import { parseInline, type ParsedBlocks, type References } from './parser.ts';
import { piecesOf, opensItem, taskMark } from './pieces.ts';
import { TableRows } from './table.ts';
import { isRightToLeft, blockVNode, checkboxVNode, elementVNode, type VNode } from './vnode.ts';

/** Approximate number of characters in a page. The browser skips the layout of invisible pages. */
const pageLength = 3000;

export interface DrawContext {
  readonly context: ParseContext;
  /** Offset in the document of the open page's text. */
  readonly pageStart: number;
  /** Maps an offset in the source to one in the document. */
  readonly positionOf: (position: number) => number;
  /** Confirmed link definitions; one at the end of the text may turn out to be text. */
  readonly references: References;
  /** True if the text is complete. */
  readonly final: boolean;
  /** Called for code whose grammar isn't loaded. */
  readonly wantsGrammar: (language: string) => void;
}

/** Renders a text to virtual nodes, without the placeholders for its stable prefix. */
export function drawBlocks(parsed: ParsedBlocks, drawContext: DrawContext): Drawing {
  return new Drawer(parsed, drawContext).run();
}

class Drawer {
  readonly #parsed: ParsedBlocks;
  readonly #drawContext: DrawContext;
  readonly #pages: VNode[] = [];
  readonly #nodes = new Map<number, VNode>();
  readonly #parts = new Map<number, BlockParts>();
  readonly #pageStarts = new Map<VNode, number>();
  readonly #longTables: VNode[] = [];
  /** Stack of open elements, outermost first; the first is the page. */
  #open: VNode[] = [];
  #rows: TableRows | undefined;
  #pageStart: number;
  /** Index of the first token of the block that the text continues; -1 if there is none. */
  readonly #lastBlock: number;

  constructor(parsed: ParsedBlocks, drawContext: DrawContext) {
    const { path, openBlock } = drawContext.context;
    this.#parsed = parsed;
    this.#drawContext = drawContext;
    this.#lastBlock = openBlock === undefined ? -1 : depthOf(path);
    this.#pageStart = drawContext.pageStart;
    this.#startPage(drawContext.pageStart);
  }

  run(): Drawing {
    const { tokens } = this.#parsed;
    const headEnd = this.#stableHeadEnd();
    for (const [index, token] of tokens.entries())
      if (index <= this.#lastBlock || index > headEnd) this.#draw(token, index);
    return {
      tokens,
      pages: this.#pages,
      nodes: this.#nodes,
      parts: this.#parts,
      longTables: this.#longTables,
      pageStarts: this.#pageStarts,
    };
  }

  #stableHeadEnd(): number {
    if (this.#drawContext.context.openBlock?.kind !== 'table') return -1;
    return this.#parsed.tokens.findIndex(({ type }) => type === 'thead_close');
  }

  #draw(token: Token, index: number): void {
    if (token.nesting === -1) {
      if (token.type === 'table_close' && this.#rows?.isLong === true)
        this.#longTables.push(this.#rows.table);
      if (!token.hidden) this.#open.pop();
      return;
    }
    if (this.#open.length === 1) this.#startPageWhenFull(index);
    const parent = this.#open.at(-1);
    if (parent === undefined) return;
    if (token.type === 'inline') this.#drawInline(token, index, parent);
    else if (token.type === 'fence' || token.type === 'code_block')
      this.#drawCode(token, index, parent);
    else if (token.type === 'tbody_open') this.#open.push(parent);
    else if (token.type === 'tr_open' && parent.tag === 'table') this.#drawRow();
    else if (!token.hidden) this.#drawElement(token, index, parent);
  }

  #drawElement(token: Token, index: number, parent: VNode): void {
    const { outer, inner } = blockVNode(token);
    parent.children.push(outer);
    this.#nodes.set(index, outer);
    if (token.type === 'table_open') this.#startTable(inner, index);
    if (token.nesting === 1) this.#open.push(inner);
  }

  #startTable(table: VNode, index: number): void {
    const { openBlock } = this.#drawContext.context;
    const continues = index === this.#lastBlock && openBlock?.kind === 'table';
    this.#rows = new TableRows(table, continues ? openBlock.stableCount : 0);
    this.#parts.set(index, this.#rows);
  }

  /** `TableRows` groups rows, instead of the single body that the parser reports. */
  #drawRow(): void {
    const row = elementVNode('tr');
    this.#rows?.add(row);
    this.#open.push(row);
  }

  #drawInline(token: Token, index: number, block: VNode): void {
    const continues = index - 1 === this.#lastBlock;
    const before = block.children.length;
    const content = continues
      ? token.content.slice(fillerLength(this.#drawContext.context.openBlock))
      : this.#drawTask(token.content, index, block);
    const isParagraph = this.#parsed.tokens[index - 1]?.type === 'paragraph_open';
    const pieces = isParagraph ? piecesOf(content) : [content];
    const starts = pieces.map((piece) => this.#drawPiece(piece, block));
    if (isParagraph) this.#parts.set(index - 1, { holder: block, starts });
    if (!continues && this.#isFirstIn(block, index - 1) && isRightToLeft(pieces[0] ?? ''))
      block.attributes = { ...block.attributes, dir: 'rtl' };
    const first = block.children[before];
    if (first !== undefined && !this.#nodes.has(index - 1)) this.#nodes.set(index - 1, first);
  }

  /**
   * The text next to the marker determines the direction of an item; a paragraph below may follow
   * later.
   */
  #isFirstIn(block: VNode, index: number): boolean {
    return block.tag !== 'li' || opensItem(this.#parsed.tokens, index);
  }

  /** Text nodes of two pieces aren't merged: the first may be stable and rendered already. */
  #drawPiece(content: string, block: VNode): VNode {
    const vnodes = inlineVNodes(parseInline(content, this.#drawContext.references));
    block.children.push(...vnodes);
    return vnodes[0] ?? block;
  }

  /** Adds the checkbox of a task list item, and returns the rest of the text. */
  #drawTask(content: string, index: number, block: VNode): string {
    const mark = taskMark(this.#parsed.tokens, index - 1);
    const item = block.tag === 'p' ? this.#open.at(-2) : block;
    if (mark === '' || item === undefined) return content;
    item.attributes = { class: 'task' };
    block.children.push(checkboxVNode(mark !== '[ ] '));
    return content.slice(mark.length);
  }

  #drawCode(token: Token, index: number, parent: VNode): void {
    const { openBlock } = this.#drawContext.context;
    const stableCode: OpenCodeBlock | undefined =
      index === this.#lastBlock && openBlock?.kind === 'code' ? openBlock : undefined;
    const language = token.type === 'fence' ? languageOfInfo(token.info) : '';
    const frame =
      stableCode === undefined
        ? frameCode(language, this.#fileOf(token, index, language))
        : frameMoreCode(language);
    const grammar = stableCode === undefined ? grammarFor(language) : stableCode.grammar;
    if (grammar === undefined && language !== '') this.#drawContext.wantsGrammar(language);
    const text = token.content.slice(stableCode?.filler ?? 0);
    const start = {
      stableCount: stableCode?.stableCount ?? 0,
      insideLine: stableCode?.insideLine ?? false,
      grammar,
    };
    this.#parts.set(index, addCode(frame.code, text, start, this.#drawContext.final));
    parent.children.push(frame.block);
    this.#nodes.set(index, frame.block);
  }

  /** The file of a code block, if the reply specifies it. */
  #fileOf(token: Token, index: number, language: string): NamedFile | undefined {
    if (token.type !== 'fence') return undefined;
    const { tokens } = this.#parsed;
    const { context, final } = this.#drawContext;
    const isLineComplete = final || token.content.includes('\n');
    return (
      fileOfInfo(token.info) ??
      (isLineComplete ? fileOfComment(token.content, language) : undefined) ??
      fileAbove(tokens, index, context)
    );
  }

  /** A top-level block starts a new page when the current one is full. */
  #startPageWhenFull(index: number): void {
    const { openings, source } = this.#parsed;
    const { path, openBlock } = this.#drawContext.context;
    const opening = openings.get(index);
    const continues = index === 0 && (path.length > 0 || openBlock !== undefined);
    if (opening === undefined || continues) return;
    const start = this.#drawContext.positionOf(startOfLine(source, opening.position));
    if (start - this.#pageStart >= pageLength) this.#startPage(start);
  }

  #startPage(start: number): void {
    const page = elementVNode('div', { class: 'page' });
    this.#pages.push(page);
    this.#open = [page];
    this.#pageStart = start;
    this.#pageStarts.set(page, start);
  }
}
