import { blocksBetween } from './blocks.ts';
import { recolourCode } from './codeBlock.ts';
import { addCode } from './codeLines.ts';
import { completeTail, isUndecided } from './completeTail.ts';
import { contextText } from './context.ts';
import { findContradiction } from './contradiction.ts';
import { drawBlocks } from './drawBlocks.ts';
import { atPart, findBorder, type Border, type Drawing } from './drawing.ts';
import { loadGrammar } from './highlight/languages.ts';
import { moreCode } from './leaf.ts';
import { offsetOfLine, offsetsOfLines, isClosed } from './lines.ts';
import { LinkedBlocks } from './linkedBlocks.ts';
import { findOpenParagraph, type OpenParagraph } from './openParagraph.ts';
import { OpenText } from './openText.ts';
import { parseBlocks, type ParsedBlocks } from './parser.ts';
import { firstOpen, patchNodes, type Settled } from './patchNodes.ts';
import { findEndOfLine, findPlainEnd, type PlainEnd } from './plainEnd.ts';
import { findSettled, type Settlement } from './settlement.ts';
import { sketchElement } from './sketch.ts';
import { alignColumns } from './table.ts';
import { loosen, showParagraphs } from './walk.ts';

/** A line that is longer settles in pieces before it ends. */
const longLine = 4000;

const isBlank = /^\n+$/;

/** A text on its way into the page. What is settled is neither parsed nor touched again. */
export class RenderedText {
  readonly #container: HTMLElement;
  readonly #text = new OpenText();
  readonly #links: LinkedBlocks;
  #settled: Settled = new Map();
  #pageStart = 0;
  /** How much of the open text was searched for what is settled. */
  #searched = 0;
  /** What came since the text was last shown. */
  #fresh = '';
  /** The end of what is in the page, where more may be added to it as it is. */
  #plainEnd: PlainEnd | undefined;
  /** The paragraph at the end, where what follows can only be inside it. */
  #paragraph: OpenParagraph | undefined;

  /** Whether more blank lines at the end mean nothing. */
  #isClosed = false;

  constructor(container: HTMLElement) {
    this.#container = container;
    this.#links = new LinkedBlocks(container.ownerDocument);
  }

  append(text: string): void {
    this.#text.append(text);
    this.#fresh += text;
  }

  /** Shows what there is; what is unfinished at its end is completed, or held back. */
  show(): void {
    const fresh = this.#fresh;
    this.#fresh = '';
    if (this.#plainEnd?.grow(fresh) === true) this.#paragraph?.add(fresh);
    else if (this.#paragraph?.grow(fresh, this.#links.references) === true)
      this.#plainEnd = this.#paragraph.findPlainEnd();
    else if (this.#isClosed && isBlank.test(fresh)) return;
    else if (!this.#showMoreCode()) this.#showOpen();
  }

  /** Lines that only go on with a block of code are drawn without a look at what else is open. */
  #showMoreCode(): boolean {
    const { text, context } = this.#text;
    const more = moreCode(context, text);
    const block = more === undefined ? null : this.#openBlock();
    const code = block instanceof Element ? block.querySelector('code') : null;
    if (more === undefined || code === null) return false;
    const { count, length, leaf } = more;
    const sketch = sketchElement('code');
    const parts = addCode(sketch, text, { ...leaf, settled: leaf.settled - count }, false);
    patchNodes(code.ownerDocument, code, sketch.children, this.#settled);
    this.#searched = length;
    const cut = this.#text.source(length).length;
    const settlement = { cut, blockStart: 0, context: { ...context, leaf } };
    this.#settle(settlement, new Map(), atPart(parts, count));
    this.#plainEnd = findEndOfLine(this.#text.text, code);
    this.#paragraph = undefined;
    return true;
  }

  #showOpen(): void {
    const stable = this.#parseStable();
    const found = stable === undefined ? undefined : this.#search(stable);
    const { raw, shown } = this.#parseShown(found?.parsed ?? stable, found?.settlement);
    // What makes a list loose may still be held back, but what is settled of it is drawn now.
    for (const list of found?.settlement.looseLists ?? []) showParagraphs(shown.tokens, list);
    const drawing = this.#draw(shown, false);
    const isWhole = shown.source === this.#text.source();
    this.#plainEnd = isWhole ? findPlainEnd(shown, this.#container) : undefined;
    if (found !== undefined) this.#settleFound(found, drawing);
    this.#isClosed = isClosed(raw);
    const goesOn = this.#text.context.leaf?.kind === 'paragraph';
    this.#paragraph = goesOn ? undefined : findOpenParagraph(raw, drawing);
  }

  #settleFound({ parsed, settlement }: Found, drawing: Drawing): void {
    const { steps, parts, context } = settlement;
    const border = findBorder(drawing, steps, parts);
    // Where all that follows a piece is held back, its last space is not in the page yet.
    if (border === undefined || (border.isEnd && context.leaf?.kind === 'paragraph')) return;
    this.#keepClosed(parsed, settlement, drawing);
    this.#settle(settlement, drawing.pageStarts, border);
  }

  /** Shows all of it as it stays. */
  finish(): void {
    if (this.#links.learn(this.#parseAll(), Infinity)) this.#reopen(0);
    this.#draw(this.#parseAll(), true);
    this.#settled = new Map([[this.#container, this.#container.lastChild]]);
  }

  /** The text with its end completed for display. Where the open end is known, only that is read. */
  #parseShown(stable: ParsedBlocks | undefined, settlement: Settlement | undefined): Shown {
    const source = this.#text.source();
    const { cut, context } = settlement ?? { cut: 0, context: undefined };
    const before = context === undefined ? '' : contextText(context);
    const end = before + source.slice(cut);
    const raw = parseBlocks(end);
    const completed = completeTail(raw);
    if (completed === end) {
      if (cut === 0) return { raw, shown: raw };
      if (stable?.source === source) return { raw, shown: stable };
    }
    const whole = source.slice(0, cut) + completed.slice(before.length);
    return { raw, shown: parseBlocks(whole) };
  }

  /** The text that will not be read as anything else: complete lines, and most of a long one. */
  #parseStable(): ParsedBlocks | undefined {
    const { text } = this.#text;
    const lineStart = text.lastIndexOf('\n') + 1;
    const isLong = text.length - lineStart > longLine && !isUndecided(text.slice(lineStart));
    const length = isLong ? text.length : lineStart;
    if (length <= this.#searched) return undefined;
    const parsed = this.#parse(length);
    this.#searched = length + this.#text.text.length - text.length;
    return parsed;
  }

  #parseAll(): ParsedBlocks {
    return this.#parse(this.#text.text.length);
  }

  /** Parses so much of the text; what contradicts it in the context is opened again. */
  #parse(length: number): ParsedBlocks {
    const closed = this.#text.text.length - length;
    for (;;) {
      const source = this.#text.source(this.#text.text.length - closed);
      const parsed = parseBlocks(source);
      const depth = findContradiction(parsed, this.#text.context);
      if (depth === undefined) return parsed;
      this.#reopen(depth);
    }
  }

  /** What is settled. A new definition opens the block again, since it may be linked to there. */
  #search(parsed: ParsedBlocks): Found | undefined {
    const settlement = findSettled(parsed, this.#text.context, (line) =>
      this.#text.inBlock(offsetOfLine(parsed.source, line)),
    );
    if (settlement === undefined) return undefined;
    if (!this.#links.learn(parsed, settlement.cut)) return { parsed, settlement };
    this.#reopen(0);
    const again = this.#parseStable();
    return again === undefined ? undefined : this.#search(again);
  }

  #draw(parsed: ParsedBlocks, final: boolean): Drawing {
    const { context } = this.#text;
    loosen(parsed.tokens, context);
    const drawing = drawBlocks(parsed, {
      context,
      final,
      references: this.#links.references,
      pageStart: this.#pageStart,
      positionOf: (position) => this.#text.inDocument(position),
      wantsGrammar: (language) => void this.#loadGrammar(language),
    });
    const { ownerDocument } = this.#container;
    patchNodes(ownerDocument, this.#container, drawing.pages, this.#settled);
    for (const { node } of drawing.longTables) alignColumns(node?.parentNode ?? null);
    return drawing;
  }

  #settle(
    settlement: Pick<Settlement, 'cut' | 'blockStart' | 'context'>,
    pageStarts: Drawing['pageStarts'],
    border: Border,
  ): void {
    const { context } = settlement;
    if (border.node.node === undefined) return;
    const { isEnd, grammar } = border;
    this.#settled = this.#settledUpTo(border.node.node, isEnd);
    const page = firstOpen(this.#container, this.#settled);
    for (const [{ node }, start] of pageStarts) if (node === page) this.#pageStart = start;
    const { leaf } = context;
    const grown = leaf?.kind === 'code' ? { ...leaf, grammar } : leaf;
    const before = this.#text.text.length;
    this.#text.settle({ ...settlement, context: { ...context, leaf: grown } });
    this.#searched -= before - this.#text.text.length;
  }

  /** Everything before the node, at each level up to the container. */
  #settledUpTo(node: Node, isEnd: boolean): Settled {
    const settled = new Map<Node, ChildNode | null>();
    if (isEnd) settled.set(node, node.lastChild);
    let current: Node = node;
    while (current !== this.#container && current.parentNode !== null) {
      settled.set(current.parentNode, current.previousSibling);
      current = current.parentNode;
    }
    return settled;
  }

  #reopen(depth: number): void {
    this.#text.reopen(depth);
    this.#searched = 0;
    this.#plainEnd = undefined;
    this.#paragraph = undefined;
    const settled = new Map<Node, ChildNode | null>();
    let node: Node | null = this.#container;
    const keep = (): void => {
      if (node === null) return;
      const last = this.#settled.get(node);
      if (last !== undefined) settled.set(node, last);
      node = firstOpen(node, this.#settled);
    };
    keep();
    keep();
    for (const container of this.#text.context.path) {
      keep();
      if (container.kind === 'list' && container.inside) keep();
    }
    this.#settled = settled;
  }

  /** Code that is in the page without colours gets them once the grammar is there. */
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

  /** The outermost block that is not settled as a whole. */
  #openBlock(): ChildNode | null {
    const page = firstOpen(this.#container, this.#settled);
    return page === null ? null : firstOpen(page, this.#settled);
  }

  /** Remembers the blocks that closed: a link in them may wait for its definition. */
  #keepClosed(parsed: ParsedBlocks, { steps }: Settlement, drawing: Drawing): void {
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
  /** The open end as it is. */
  readonly raw: ParsedBlocks;
  readonly shown: ParsedBlocks;
}

interface Found {
  readonly parsed: ParsedBlocks;
  readonly settlement: Settlement;
}
