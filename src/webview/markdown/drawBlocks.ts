import type { Token } from 'markdown-it';
import {
  blocksBetween,
  blocksIn,
  type Block,
  startOfLine,
  piecesOf,
  opensItem,
  taskMark,
} from './blocks.ts';
import type { Grammar } from './grammar.ts';
import {
  type BlockParts,
  type VNode,
  isRightToLeft,
  blockVNode,
  checkboxVNode,
  elementVNode,
} from './patchNodes.ts';
import { frameCode, frameMoreCode, addCode } from './codeBlock.ts';
import { grammarFor } from './languages.ts';
import { inlineVNodes } from './inlineVNodes.ts';
import { fileOfComment, fileOfInfo, languageOfInfo, type NamedFile } from './namedFile.ts';
import {
  depthOf,
  fillerLength,
  fileAbove,
  type OpenCodeBlock,
  type ParseContext,
} from './parseContext.ts';
import { parseInline, type ParsedBlocks, type References } from './parser.ts';

export interface Drawing {
  readonly pages: readonly VNode[];
  readonly tokens: readonly Token[];
  /** The first node of each block, by the index of the block's first token. */
  readonly nodes: ReadonlyMap<number, VNode>;
  /** The parts of code blocks, tables and paragraphs, by the same index. */
  readonly parts: ReadonlyMap<number, BlockParts>;
  /** Tables with more rows than fit in one group. */
  readonly longTables: readonly VNode[];
  /** Offset in the document of each page's text. */
  readonly pageStarts: ReadonlyMap<VNode, number>;
}

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
    // The head of a table whose first rows are stable is a placeholder.
    const headEnd =
      this.#drawContext.context.openBlock?.kind === 'table'
        ? tokens.findIndex(({ type }) => type === 'thead_close')
        : -1;
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
    else if (token.type === 'tr_open' && parent.tag === 'table') {
      // `TableRows` groups rows, instead of the single body that the parser reports.
      const row = elementVNode('tr');
      this.#rows?.add(row);
      this.#open.push(row);
    } else if (!token.hidden) {
      const { outer, inner } = blockVNode(token);
      parent.children.push(outer);
      this.#nodes.set(index, outer);
      if (token.type === 'table_open') {
        const { openBlock } = this.#drawContext.context;
        const continues = index === this.#lastBlock && openBlock?.kind === 'table';
        this.#rows = new TableRows(inner, continues ? openBlock.stableCount : 0);
        this.#parts.set(index, this.#rows);
      }
      if (token.nesting === 1) this.#open.push(inner);
    }
  }

  #drawInline(token: Token, index: number, block: VNode): void {
    const continues = index - 1 === this.#lastBlock;
    const before = block.children.length;
    const content = continues
      ? token.content.slice(fillerLength(this.#drawContext.context.openBlock))
      : this.#drawTask(token.content, index, block);
    const isParagraph = this.#parsed.tokens[index - 1]?.type === 'paragraph_open';
    const pieces = isParagraph ? piecesOf(content) : [content];
    // Text nodes of two pieces aren't merged: the first may be stable and rendered already.
    const starts = pieces.map((piece) => {
      const vnodes = inlineVNodes(parseInline(piece, this.#drawContext.references));
      block.children.push(...vnodes);
      return vnodes[0] ?? block;
    });
    if (isParagraph) this.#parts.set(index - 1, { holder: block, starts });
    // The text next to the marker determines the direction of an item; a paragraph below may follow
    // later.
    const isFirst = block.tag !== 'li' || opensItem(this.#parsed.tokens, index - 1);
    if (!continues && isFirst && isRightToLeft(pieces[0] ?? ''))
      block.attributes = { ...block.attributes, dir: 'rtl' };
    const first = block.children[before];
    if (first !== undefined && !this.#nodes.has(index - 1)) this.#nodes.set(index - 1, first);
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
    const { context, final } = this.#drawContext;
    const { openBlock } = context;
    const stableCode: OpenCodeBlock | undefined =
      index === this.#lastBlock && openBlock?.kind === 'code' ? openBlock : undefined;
    const language = token.type === 'fence' ? languageOfInfo(token.info) : '';
    let frame = frameMoreCode(language);
    if (stableCode === undefined) {
      let file: NamedFile | undefined;
      if (token.type === 'fence') {
        const isLineComplete = final || token.content.includes('\n');
        file =
          fileOfInfo(token.info) ??
          (isLineComplete ? fileOfComment(token.content, language) : undefined) ??
          fileAbove(this.#parsed.tokens, index, context);
      }
      frame = frameCode(language, file);
    }
    const grammar = stableCode === undefined ? grammarFor(language) : stableCode.grammar;
    if (grammar === undefined && language !== '') this.#drawContext.wantsGrammar(language);
    const text = token.content.slice(stableCode?.filler ?? 0);
    const start = {
      stableCount: stableCode?.stableCount ?? 0,
      insideLine: stableCode?.insideLine ?? false,
      grammar,
    };
    this.#parts.set(index, addCode(frame.code, text, start, final));
    parent.children.push(frame.block);
    this.#nodes.set(index, frame.block);
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

/** Number of rows in a group. The browser skips the layout of invisible groups. */
const rowsPerGroup = 25;

/**
 * The rows of a table's body. A long table has several groups, all except the first with the class
 * `later`.
 */
class TableRows implements BlockParts {
  readonly starts: VNode[] = [];
  readonly table: VNode;
  #group: VNode | undefined;
  #number: number;

  /** @param stableCount number of rows that are rendered already */
  constructor(table: VNode, stableCount: number) {
    this.table = table;
    this.#number = stableCount;
  }

  get holder(): VNode {
    return this.#group === undefined || this.#startsGroup ? this.table : this.#group;
  }

  /** True if there is more than one group. */
  get isLong(): boolean {
    return this.#number > rowsPerGroup;
  }

  add(row: VNode): void {
    const isFirst = this.#startsGroup;
    if (this.#group === undefined || isFirst) {
      const isLater = this.#number >= rowsPerGroup;
      this.#group = elementVNode('tbody', isLater ? { class: 'later' } : {});
      this.table.children.push(this.#group);
    }
    this.#group.children.push(row);
    this.starts.push(isFirst ? this.#group : row);
    this.#number += 1;
  }

  get #startsGroup(): boolean {
    return this.#number % rowsPerGroup === 0;
  }
}

const aligned = new WeakSet<HTMLElement>();

/**
 * Gives later rows of a long table the column widths of its first group, which alone has table
 * layout: otherwise each new row would lay out and paint all rows before it.
 *
 * @param frame the element around the table
 */
export function alignColumns(frame: ParentNode | null): void {
  const table = frame?.querySelector('table') ?? undefined;
  // A document without layout has no column widths.
  if (table === undefined || aligned.has(table) || !('ResizeObserver' in globalThis)) return;
  aligned.add(table);
  const cells = table.querySelectorAll('thead th');
  const observer = new ResizeObserver(() => {
    const widths = Array.from(cells, (cell) => cell.getBoundingClientRect().width);
    const inPixels = widths.map((width) => `${String(width)}px`);
    table.style.setProperty('--columns', inPixels.join(' '));
    const width = widths.reduce((sum, column) => sum + column, 0);
    table.style.setProperty('--width', `${String(width)}px`);
  });
  for (const cell of cells) observer.observe(cell);
}

/** The end of the stable nodes: before `node`, or at the end of its content if `isEnd`. */
export interface StableBoundary {
  readonly node: VNode;
  readonly isEnd: boolean;
  readonly grammar?: Grammar | undefined;
}

/**
 * Finds the end of the stable nodes along the path to the open block. The path ends early if later
 * text is held back. There is no boundary if the outermost block, or the first one in its parent,
 * is held back: it may continue the rendered block, or start a new page.
 */
export function findStableBoundary(
  { tokens, nodes, parts, pages }: Drawing,
  steps: readonly number[],
  partCount: number,
): StableBoundary | undefined {
  let blocks: readonly Block[] = blocksBetween(tokens, 0, tokens.length);
  let holder = pages.at(-1);
  let boundary: StableBoundary | undefined;
  for (const [level, step] of steps.entries()) {
    const isHeldBack = blocks.length <= step;
    if (isHeldBack && (level === 0 || step === 0)) return undefined;
    // A link definition has no node: the boundary is before the next block.
    const block = blocks.slice(step).find(({ first }) => nodes.has(first));
    const node = block === undefined ? undefined : nodes.get(block.first);
    if (block === undefined || node === undefined)
      return holder === undefined ? undefined : { node: holder, isEnd: true };
    if (block !== blocks[step]) return { node, isEnd: false };
    const blockParts = parts.get(block.first);
    boundary =
      blockParts === undefined || partCount === 0
        ? { node, isEnd: false }
        : boundaryAtPart(blockParts, partCount);
    holder = node;
    blocks = block.token.nesting === 1 ? blocksIn(tokens, block) : [];
  }
  return boundary;
}

/** The boundary before a part of a block; at the end of the block if the part doesn't exist yet. */
export function boundaryAtPart(
  { starts, holder, grammar }: BlockParts,
  count: number,
): StableBoundary {
  const node = starts[count];
  return { node: node ?? holder, isEnd: node === undefined, grammar };
}
