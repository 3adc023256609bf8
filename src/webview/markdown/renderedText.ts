import type { Token } from 'markdown-it';
import { background } from '../../core/support/background.ts';
import { blocksBetween, blocksIn, endsClosed, offsetOfLine, offsetsOfLines } from './blocks.ts';
import { recolourCode, addCode } from './codeBlock.ts';
import { completeTail, isUndecided } from './completeTail.ts';
import {
  drawBlocks,
  boundaryAtPart,
  findStableBoundary,
  type Drawing,
  type StableBoundary,
  alignColumns,
} from './drawBlocks.ts';
import { loadGrammar } from './languages.ts';
import {
  moreCode,
  findStablePrefix,
  type StableCut,
  type StablePrefix,
  isList,
  isLoose,
  showLooseParagraphs,
  showParagraphs,
} from './stablePrefix.ts';
import {
  findOpenParagraph,
  type OpenParagraph,
  findEndOfLine,
  findPlainEnd,
  type PlainEnd,
} from './plainEnd.ts';
import {
  OpenText,
  contextText,
  fillerWord,
  type OpenBlock,
  type ParseContext,
  topLevel,
} from './parseContext.ts';
import { parseBlocks, type ParsedBlocks, linkLabels, type References } from './parser.ts';
import { firstOpen, patchNodes, type StableNodes, elementVNode, patchNode } from './patchNodes.ts';

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
    const { raw, displayed } = this.#parseDisplayed(parsed, result?.stablePrefix);
    // The line that makes a list loose may be held back, but its stable items are rendered now.
    for (const list of result?.stablePrefix.looseLists ?? [])
      showParagraphs(displayed.tokens, list);
    const drawing = this.#draw(displayed, false);
    const isWhole = displayed.source === this.#text.source();
    this.#plainEnd = isWhole ? findPlainEnd(displayed, this.#container) : undefined;
    if (result !== undefined) {
      const { steps, parts, context } = result.stablePrefix;
      const boundary = findStableBoundary(drawing, steps, parts);
      // If all text after a piece is held back, the piece's trailing space isn't rendered yet.
      const isHeldBack = boundary?.isEnd === true && context.openBlock?.kind === 'paragraph';
      if (boundary !== undefined && !isHeldBack) {
        this.#recordClosedBlocks(result, drawing);
        this.#commit(result.stablePrefix, drawing.pageStarts, boundary);
      }
    }
    this.#isClosed = endsClosed(raw);
    const continues = this.#text.context.openBlock?.kind === 'paragraph';
    this.#paragraph = continues ? undefined : findOpenParagraph(raw, drawing);
  }

  finish(): void {
    if (this.#links.learn(this.#parseAll(), Infinity)) this.#reopen(0);
    this.#draw(this.#parseAll(), true);
    this.#stableNodes = new Map([[this.#container, this.#container.lastChild]]);
  }

  /**
   * Parses the text with its end completed for display. If the open end is known, only that is
   * parsed. `raw` is that end, not completed.
   */
  #parseDisplayed(
    stable: ParsedBlocks | undefined,
    stablePrefix: StablePrefix | undefined,
  ): { readonly raw: ParsedBlocks; readonly displayed: ParsedBlocks } {
    const source = this.#text.source();
    const { cut, context } = stablePrefix ?? { cut: 0, context: undefined };
    const before = context === undefined ? '' : contextText(context);
    const end = before + source.slice(cut);
    const raw = parseBlocks(end, false);
    const completed = completeTail(raw);
    if (completed === end) {
      if (cut === 0) return { raw, displayed: raw };
      if (stable?.source === source) return { raw, displayed: stable };
    }
    const whole = source.slice(0, cut) + completed.slice(before.length);
    return { raw, displayed: parseBlocks(whole, false) };
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
    // The stable nodes before the boundary, at each level up to the container.
    const { isEnd, grammar } = boundary;
    const stableNodes = new Map<Node, ChildNode | null>();
    let current: Node = boundary.node.node;
    if (isEnd) stableNodes.set(current, current.lastChild);
    while (current !== this.#container && current.parentNode !== null) {
      stableNodes.set(current.parentNode, current.previousSibling);
      current = current.parentNode;
    }
    this.#stableNodes = stableNodes;
    const page = firstOpen(this.#container, this.#stableNodes);
    for (const [{ node }, start] of pageStarts) if (node === page) this.#pageStart = start;
    const { openBlock } = context;
    const grown = openBlock?.kind === 'code' ? { ...openBlock, grammar } : openBlock;
    const before = this.#text.text.length;
    this.#text.commitStablePrefix({ ...stablePrefix, context: { ...context, openBlock: grown } });
    this.#searched -= before - this.#text.text.length;
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
  #recordClosedBlocks({ parsed, stablePrefix }: FoundStablePrefix, drawing: Drawing): void {
    const blocks = blocksBetween(parsed.tokens, 0, parsed.tokens.length);
    const lines = blocks.map(({ line }) => line);
    const starts = offsetsOfLines(parsed.source, lines).map((start) => this.#text.inBlock(start));
    for (const [index, block] of blocks.slice(0, stablePrefix.steps[0]).entries()) {
      const node = drawing.nodes.get(block.first)?.node;
      const text = this.#text.between(
        index === 0 ? 0 : (starts[index] ?? 0),
        starts[index + 1] ?? 0,
      );
      if (node !== undefined) this.#links.add(text, node);
    }
  }
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
  // A tight list renders paragraphs without an element, so the list must be reopened as well.
  const list = context.path.at(-1);
  const isTight = openBlock.kind === 'paragraph' && list?.kind === 'list' && !list.loose;
  return isTight ? context.path.length - 1 : context.path.length;
}

const typesOf = {
  code: ['fence', 'code_block'],
  table: ['table_open'],
  paragraph: ['paragraph_open'],
} as const satisfies Readonly<Record<OpenBlock['kind'], readonly string[]>>;

function continues(openBlock: OpenBlock, tokens: readonly Token[], index: number): boolean {
  const type = tokens[index]?.type;
  if (!typesOf[openBlock.kind].some((name) => name === type)) return false;
  // A fence in it that seemed to open a block has ended it.
  if (openBlock.kind === 'code') return (tokens[index]?.content.length ?? 0) >= openBlock.filler;
  if (openBlock.kind !== 'paragraph') return true;
  const content = tokens[index + 1]?.content ?? '';
  return content !== fillerWord && !(openBlock.insideLine && belowIsDelimiter.test(content));
}

/** A delimiter row that makes the line above a table head, of which the parser sees only a part. */
const belowIsDelimiter = /^[^\n]*\n[ \t]*[|:-][-|: \t]*(?:\n|$)/;

interface Linked {
  readonly text: string;
  readonly node: ChildNode;
}

/** The link definitions of a text, and finished blocks that may use a later one. */
class LinkedBlocks {
  readonly #document: Document;
  readonly #references: References = {};
  /** Finished blocks that aren't indexed by label yet: most texts have no definitions. */
  readonly #unindexed: Linked[] = [];
  readonly #blocksByLabel = new Map<string, Linked[]>();

  constructor(document: Document) {
    this.#document = document;
  }

  get references(): References {
    return this.#references;
  }

  add(text: string, node: ChildNode): void {
    if (text.includes('[')) this.#unindexed.push({ text, node });
  }

  /** Adds the definitions before a position. Returns true if one of them is new. */
  learn({ tokens, references, source }: ParsedBlocks, before: number): boolean {
    const definitions = tokens.filter(({ type }) => type === 'reference_definition');
    if (definitions.length === 0) return false;
    const lines = definitions.map(({ map }) => map?.[0] ?? 0);
    const starts = offsetsOfLines(source, lines);
    const labels = definitions
      .filter((_, index) => (starts[index] ?? 0) < before)
      .map(({ meta }) => String(meta?.['label']));
    const added: string[] = [];
    for (const label of labels) {
      const reference = references[label];
      // The first definition of a label takes precedence.
      if (reference === undefined || Object.hasOwn(this.#references, label)) continue;
      this.#references[label] = reference;
      added.push(label);
    }
    if (added.length === 0) return false;
    for (const linked of this.#unindexed.splice(0))
      for (const label of linkLabels(linked.text)) {
        const others = this.#blocksByLabel.get(label);
        if (others === undefined) this.#blocksByLabel.set(label, [linked]);
        else others.push(linked);
      }
    const named = new Set(added.flatMap((label) => this.#blocksByLabel.get(label) ?? []));
    for (const { text, node } of named) {
      const drawing = drawBlocks(parseBlocks(text, true), {
        context: topLevel,
        pageStart: 0,
        positionOf: () => 0,
        references: this.#references,
        final: true,
        wantsGrammar: () => undefined,
      });
      const vnode = drawing.pages[0]?.children[0];
      if (vnode !== undefined) patchNode(this.#document, node, vnode);
    }
    return true;
  }
}
