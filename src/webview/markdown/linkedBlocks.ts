import { drawBlocks } from './drawBlocks.ts';
import { topLevel } from './context.ts';
import { offsetOfLine } from './lines.ts';
import { normalizeLabel, parseBlocks, type ParsedBlocks, type References } from './parser.ts';
import { patchNode } from './patchNodes.ts';

interface Linked {
  readonly text: string;
  readonly node: ChildNode;
}

/** The link definitions of a text, and its finished blocks that may name one that is still to come. */
export class LinkedBlocks {
  readonly #document: Document;
  readonly #waiting: Linked[] = [];
  #references: References = {};

  constructor(document: Document) {
    this.#document = document;
  }

  get references(): References {
    return this.#references;
  }

  /** Remembers a finished block. */
  add(text: string, node: ChildNode): void {
    if (text.includes('[')) this.#waiting.push({ text, node });
  }

  /** Takes over the definitions before a position; true where one is new. */
  learn({ tokens, references, source }: ParsedBlocks, before: number): boolean {
    const labels: string[] = [];
    for (const { type, meta, map } of tokens) {
      if (type !== 'reference_definition' || offsetOfLine(source, map?.[0] ?? 0) >= before)
        continue;
      const label = String(meta?.['label']);
      const reference = references[label];
      if (reference === undefined || Object.hasOwn(this.#references, label)) continue;
      this.#references = { ...this.#references, [label]: reference };
      labels.push(label);
    }
    if (labels.length > 0) this.#redraw(labels);
    return labels.length > 0;
  }

  #redraw(labels: readonly string[]): void {
    for (const { text, node } of this.#waiting) {
      const words = normalizeLabel(text).replaceAll('[ ', '[');
      if (labels.some((label) => words.includes(`[${label}`))) this.#redrawBlock(text, node);
    }
  }

  #redrawBlock(text: string, node: ChildNode): void {
    const place = {
      context: topLevel,
      pageStart: 0,
      positionOf: () => 0,
      references: this.#references,
      final: true,
      wantsGrammar: () => undefined,
    };
    const drawing = drawBlocks(parseBlocks(text, this.#references), place);
    const sketch = drawing.pages[0]?.children[0];
    if (sketch !== undefined) patchNode(this.#document, node, sketch);
  }
}
