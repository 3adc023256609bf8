import { drawBlocks } from './drawBlocks.ts';
import { offsetsOfLines } from './lines.ts';
import { topLevel } from './parseContext.ts';
import { linkLabels, parseBlocks, type ParsedBlocks, type References } from './parser.ts';
import { patchNode } from './patchNodes.ts';

interface Linked {
  readonly text: string;
  readonly node: ChildNode;
}

/** The link definitions of a text, and finished blocks that may use a later one. */
export class LinkedBlocks {
  readonly #document: Document;
  readonly #references: References = {};
  /** Finished blocks that aren't indexed by label yet: most texts have no definitions. */
  #unindexed: Linked[] = [];
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
    const added = labels.filter((label) => this.#define(label, references[label]));
    if (added.length > 0) this.#redraw(added);
    return added.length > 0;
  }

  /** The first definition of a label takes precedence. */
  #define(label: string, reference: References[string] | undefined): boolean {
    if (reference === undefined || Object.hasOwn(this.#references, label)) return false;
    this.#references[label] = reference;
    return true;
  }

  #redraw(labels: readonly string[]): void {
    for (const linked of this.#unindexed) this.#indexLabels(linked);
    this.#unindexed = [];
    const named = new Set(labels.flatMap((label) => this.#blocksByLabel.get(label) ?? []));
    for (const { text, node } of named) this.#redrawBlock(text, node);
  }

  #indexLabels(linked: Linked): void {
    for (const label of linkLabels(linked.text)) {
      const others = this.#blocksByLabel.get(label);
      if (others === undefined) this.#blocksByLabel.set(label, [linked]);
      else others.push(linked);
    }
  }

  #redrawBlock(text: string, node: ChildNode): void {
    const drawContext = {
      context: topLevel,
      pageStart: 0,
      positionOf: () => 0,
      references: this.#references,
      final: true,
      wantsGrammar: () => undefined,
    };
    const drawing = drawBlocks(parseBlocks(text, true), drawContext);
    const vnode = drawing.pages[0]?.children[0];
    if (vnode !== undefined) patchNode(this.#document, node, vnode);
  }
}
