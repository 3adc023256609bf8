import type { Token } from 'markdown-it';
import { background } from '../../core/support/background.ts';
import { blocksBetween, blocksIn } from './blocks.ts';
import { recolourCode } from './codeBlock.ts';
import { addCode } from './codeLines.ts';
import { completeTail, isUndecided } from './completeTail.ts';
import { drawBlocks } from './drawBlocks.ts';
import {
  boundaryAtPart,
  findStableBoundary,
  type Drawing,
  type StableBoundary,
} from './drawing.ts';
import { loadGrammar } from './highlight/languages.ts';
import { isClosed, offsetOfLine, offsetsOfLines } from './lines.ts';
import { LinkedBlocks } from './linkedBlocks.ts';
import { moreCode } from './openBlock.ts';
import { findOpenParagraph, type OpenParagraph } from './openParagraph.ts';
import { OpenText } from './openText.ts';
import { contextText, fillerWord, type OpenBlock, type ParseContext } from './parseContext.ts';
import { parseBlocks, type ParsedBlocks } from './parser.ts';
import { firstOpen, patchNodes, type StableNodes } from './patchNodes.ts';
import { findEndOfLine, findPlainEnd, type PlainEnd } from './plainEnd.ts';
import { findStablePrefix, type StableCut, type StablePrefix } from './stablePrefix.ts';
import { alignColumns } from './table.ts';
import { elementVNode } from './vnode.ts';
import { isList, isLoose, showLooseParagraphs, showParagraphs } from './walk.ts';

/** A longer line becomes stable in pieces before it ends. */
const longLine = 4000;

const isBlank = /^\n+$/;

/** A streamed text. Its stable prefix is neither parsed nor changed again. */
export class RenderedText {
  readonly #container: HTMLElement;
  readonly #text = new OpenText();
  readonly #links: LinkedBlocks;
  #stableNodes: StableNodes = new Map();
  #pageStart = 0;
  /** Length of the open text that was searched for a stable prefix. */
  #searched = 0;
  /** Text added since the last rendering. */
  #pending = '';
  /** The end of the rendered text, if plain text can be appended to it. */
  #plainEnd: PlainEnd | undefined;
  /** The paragraph at the end, if the rest of its line can only belong to it. */
  #paragraph: OpenParagraph | undefined;

  /** True if more blank lines at the end have no effect. */
  #isClosed = false;

  constructor(container: HTMLElement) {
    this.#container = container;
    this.#links = new LinkedBlocks(container.ownerDocument);
  }

  append(text: string): void {
    this.#text.append(text);
    this.#pending += text;
  }

  /** Renders the text. Unfinished syntax at its end is completed or held back. */
  show(): void {
    const added = this.#pending;
    this.#pending = '';
    if (this.#plainEnd?.grow(added) === true) this.#paragraph?.add(added);
    else if (this.#paragraph?.grow(added, this.#links.references) === true)
      this.#plainEnd = this.#paragraph.findPlainEnd();
    else if (this.#isClosed && isBlank.test(added)) return;
    else if (!this.#showMoreCode()) this.#showOpen();
  }

  /** Renders lines that only continue a code block, without parsing the open text. */
  #showMoreCode(): boolean {
    const { text, context } = this.#text;
    const more = moreCode(context, text);
    const block = more === undefined ? null : this.#openBlock();
    const code = block instanceof Element ? block.querySelector('code') : null;
    if (more === undefined || code === null) return false;
    const { count, length, openBlock } = more;
    const vnode = elementVNode('code');
    const parts = addCode(
      vnode,
      text,
      { ...openBlock, stableCount: openBlock.stableCount - count },
      false,
    );
    patchNodes(code.ownerDocument, code, vnode.children, this.#stableNodes);
    this.#searched = length;
    const cut = this.#text.source(length).length;
    const stablePrefix = { cut, blockStart: 0, context: { ...context, openBlock } };
    this.#commit(stablePrefix, new Map(), boundaryAtPart(parts, count));
    this.#plainEnd = findEndOfLine(this.#text.text, code);
    this.#paragraph = undefined;
    return true;
  }

  #showOpen(): void {
    const stable = this.#parseStable();
    const result = stable === undefined ? undefined : this.#search(stable);
    const parsed = result?.parsed ?? stable;
    const { raw, completed: displayed } = this.#parseShown(parsed, result?.stablePrefix);
    // The line that makes a list loose may be held back, but its stable items are rendered now.
    for (const list of result?.stablePrefix.looseLists ?? [])
      showParagraphs(displayed.tokens, list);
    const drawing = this.#draw(displayed, false);
    const isWhole = displayed.source === this.#text.source();
    this.#plainEnd = isWhole ? findPlainEnd(displayed, this.#container) : undefined;
    if (result !== undefined) this.#commitFound(result, drawing);
    this.#isClosed = isClosed(raw);
    const continues = this.#text.context.openBlock?.kind === 'paragraph';
    this.#paragraph = continues ? undefined : findOpenParagraph(raw, drawing);
  }

  #commitFound({ parsed, stablePrefix }: FoundStablePrefix, drawing: Drawing): void {
    const { steps, parts, context } = stablePrefix;
    const boundary = findStableBoundary(drawing, steps, parts);
    // If all text after a piece is held back, the piece's trailing space isn't rendered yet.
    if (boundary === undefined || (boundary.isEnd && context.openBlock?.kind === 'paragraph'))
      return;
    this.#recordClosedBlocks(parsed, stablePrefix, drawing);
    this.#commit(stablePrefix, drawing.pageStarts, boundary);
  }

  finish(): void {
    if (this.#links.learn(this.#parseAll(), Infinity)) this.#reopen(0);
    this.#draw(this.#parseAll(), true);
    this.#stableNodes = new Map([[this.#container, this.#container.lastChild]]);
  }

  /**
   * Parses the text with its end completed for display. If the open end is known, only that is
   * parsed.
   */
  #parseShown(stable: ParsedBlocks | undefined, stablePrefix: StablePrefix | undefined): Shown {
    const source = this.#text.source();
    const { cut, context } = stablePrefix ?? { cut: 0, context: undefined };
    const before = context === undefined ? '' : contextText(context);
    const end = before + source.slice(cut);
    const raw = parseBlocks(end, false);
    const completed = completeTail(raw);
    if (completed === end) {
      if (cut === 0) return { raw, completed: raw };
      if (stable?.source === source) return { raw, completed: stable };
    }
    const whole = source.slice(0, cut) + completed.slice(before.length);
    return { raw, completed: parseBlocks(whole, false) };
  }

  /** Parses the text whose meaning is certain: complete lines, and most of a long one. */
  #parseStable(): ParsedBlocks | undefined {
    const { text } = this.#text;
    const lineStart = text.lastIndexOf('\n') + 1;
    const isLong = text.length - lineStart > longLine && !isUndecided(text.slice(lineStart));
    const length = isLong ? text.length : lineStart;
    if (length <= this.#searched) return undefined;
    const parsed = this.#parse(length, false);
    this.#searched = length + this.#text.text.length - text.length;
    return parsed;
  }

  #parseAll(): ParsedBlocks {
    return this.#parse(this.#text.text.length, true);
  }

  /** Parses the first `length` characters, and reopens containers that they contradict. */
  #parse(length: number, final: boolean): ParsedBlocks {
    const closed = this.#text.text.length - length;
    for (;;) {
      const source = this.#text.source(this.#text.text.length - closed);
      const parsed = parseBlocks(source, final);
      const depth = findContradiction(parsed, this.#text.context);
      if (depth === undefined) return parsed;
      this.#reopen(depth);
    }
  }

  /**
   * Finds the stable prefix. A new link definition reopens the block, which may contain links to
   * it.
   */
  #search(parsed: ParsedBlocks): FoundStablePrefix | undefined {
    const stablePrefix = findStablePrefix(parsed, this.#text.context, (line) =>
      this.#text.inBlock(offsetOfLine(parsed.source, line)),
    );
    if (stablePrefix === undefined) return undefined;
    if (!this.#links.learn(parsed, stablePrefix.cut)) return { parsed, stablePrefix };
    this.#reopen(0);
    const again = this.#parseStable();
    return again === undefined ? undefined : this.#search(again);
  }

  #draw(parsed: ParsedBlocks, final: boolean): Drawing {
    const { context } = this.#text;
    showLooseParagraphs(parsed.tokens, context);
    const drawing = drawBlocks(parsed, {
      context,
      final,
      references: this.#links.references,
      pageStart: this.#pageStart,
      positionOf: (position) => this.#text.inDocument(position),
      wantsGrammar: (language) => background(this.#loadGrammar(language)),
    });
    const { ownerDocument } = this.#container;
    patchNodes(ownerDocument, this.#container, drawing.pages, this.#stableNodes);
    for (const { node } of drawing.longTables) alignColumns(node?.parentNode ?? null);
    return drawing;
  }

  #commit(
    stablePrefix: StableCut,
    pageStarts: Drawing['pageStarts'],
    boundary: StableBoundary,
  ): void {
    const { context } = stablePrefix;
    if (boundary.node.node === undefined) return;
    const { isEnd, grammar } = boundary;
    this.#stableNodes = this.#stableNodesUpTo(boundary.node.node, isEnd);
    const page = firstOpen(this.#container, this.#stableNodes);
    for (const [{ node }, start] of pageStarts) if (node === page) this.#pageStart = start;
    const { openBlock } = context;
    const grown = openBlock?.kind === 'code' ? { ...openBlock, grammar } : openBlock;
    const before = this.#text.text.length;
    this.#text.commitStablePrefix({ ...stablePrefix, context: { ...context, openBlock: grown } });
    this.#searched -= before - this.#text.text.length;
  }

  /** The stable nodes before a node, at each level up to the container. */
  #stableNodesUpTo(node: Node, isEnd: boolean): StableNodes {
    const stableNodes = new Map<Node, ChildNode | null>();
    if (isEnd) stableNodes.set(node, node.lastChild);
    let current: Node = node;
    while (current !== this.#container && current.parentNode !== null) {
      stableNodes.set(current.parentNode, current.previousSibling);
      current = current.parentNode;
    }
    return stableNodes;
  }

  #reopen(depth: number): void {
    this.#text.reopen(depth);
    this.#searched = 0;
    this.#plainEnd = undefined;
    this.#paragraph = undefined;
    const stableNodes = new Map<Node, ChildNode | null>();
    let node: Node | null = this.#container;
    const keep = (): void => {
      if (node === null) return;
      const last = this.#stableNodes.get(node);
      if (last !== undefined) stableNodes.set(node, last);
      node = firstOpen(node, this.#stableNodes);
    };
    keep();
    keep();
    for (const container of this.#text.context.path) {
      keep();
      if (container.kind === 'list' && container.inside) keep();
    }
    this.#stableNodes = stableNodes;
  }

  /** Highlights the code in the page once its grammar is loaded. */
  async #loadGrammar(language: string): Promise<void> {
    if (!(await (loadGrammar(language) ?? false))) return;
    const open = this.#openBlock();
    for (const block of this.#container.querySelectorAll('.code-block'))
      if (block.getAttribute('data-language') === language && open?.contains(block) !== true)
        recolourCode(block);
    if (open === null) return;
    this.#reopen(0);
    this.show();
  }

  /** The outermost block that isn't entirely stable. */
  #openBlock(): ChildNode | null {
    const page = firstOpen(this.#container, this.#stableNodes);
    return page === null ? null : firstOpen(page, this.#stableNodes);
  }

  /** Records the closed blocks: links in them may be defined later. */
  #recordClosedBlocks(parsed: ParsedBlocks, { steps }: StablePrefix, drawing: Drawing): void {
    const blocks = blocksBetween(parsed.tokens, 0, parsed.tokens.length);
    const lines = blocks.map(({ line }) => line);
    const starts = offsetsOfLines(parsed.source, lines).map((start) => this.#text.inBlock(start));
    for (const [index, block] of blocks.slice(0, steps[0]).entries()) {
      const node = drawing.nodes.get(block.first)?.node;
      const text = this.#text.between(
        index === 0 ? 0 : (starts[index] ?? 0),
        starts[index + 1] ?? 0,
      );
      if (node !== undefined) this.#links.add(text, node);
    }
  }
}

interface Shown {
  /** The open end, not completed. */
  readonly raw: ParsedBlocks;
  readonly completed: ParsedBlocks;
}

interface FoundStablePrefix {
  readonly parsed: ParsedBlocks;
  readonly stablePrefix: StablePrefix;
}

/**
 * Checks whether stable text must be parsed again: the line below can turn a paragraph into a
 * heading, and the last item can make a list loose. Returns the depth from which the context is
 * invalid, counted from the outermost container; undefined if it is valid.
 */
function findContradiction(parsed: ParsedBlocks, context: ParseContext): number | undefined {
  const { tokens, source } = parsed;
  const lines = source.split('\n');
  let from = 0;
  let quotes = 0;
  for (const [depth, container] of context.path.entries()) {
    const token = tokens[from];
    if (token === undefined) return depth;
    if (container.kind === 'quote') {
      if (token.type !== 'blockquote_open') return depth;
      quotes += 1;
      from += 1;
    } else {
      if (!isList(token)) return depth;
      const list = blocksBetween(tokens, from, tokens.length)[0];
      const items = list === undefined ? [] : blocksIn(tokens, list);
      if (!container.loose && isLoose(tokens, items, lines, quotes)) return depth;
      from += 2;
    }
  }
  const { openBlock } = context;
  if (openBlock === undefined || continues(openBlock, tokens, from)) return undefined;
  return depthOfOpenBlock(openBlock, context.path);
}

function continues(openBlock: OpenBlock, tokens: readonly Token[], index: number): boolean {
  if (!typesOf(openBlock).includes(tokens[index]?.type ?? '')) return false;
  // A fence in it that seemed to open a block has ended it.
  if (openBlock.kind === 'code') return (tokens[index]?.content.length ?? 0) >= openBlock.filler;
  if (openBlock.kind !== 'paragraph') return true;
  const content = tokens[index + 1]?.content ?? '';
  return content !== fillerWord && !(openBlock.insideLine && belowIsDelimiter.test(content));
}

/** A delimiter row that makes the line above a table head, of which the parser sees only a part. */
const belowIsDelimiter = /^[^\n]*\n[ \t]*[|:-][-|: \t]*(?:\n|$)/;

/** A tight list renders paragraphs without an element, so the list must be reopened as well. */
function depthOfOpenBlock({ kind }: OpenBlock, path: ParseContext['path']): number {
  const list = path.at(-1);
  const isTight = kind === 'paragraph' && list?.kind === 'list' && !list.loose;
  return isTight ? path.length - 1 : path.length;
}

function typesOf(openBlock: OpenBlock): readonly string[] {
  switch (openBlock.kind) {
    case 'code':
      return ['fence', 'code_block'];
    case 'table':
      return ['table_open'];
    case 'paragraph':
      return ['paragraph_open'];
  }
}
