import { drawBlocks } from './drawBlocks.ts';
import { offsetsOfLines } from './lines.ts';
import { topLevel } from './parseContext.ts';
import { linkLabels, parseBlocks, type ParsedBlocks, type References } from './parser.ts';
import { patchNode } from './patchNodes.ts';

interface Linked {
  readonly text: string;
  readonly node: ChildNode;
}

/** The link definitions of a text, and its finished blocks that may name one that is still to come. */
export class LinkedBlocks {
  readonly #document: Document;
  readonly #references: References = {};
  /** Finished blocks; most texts have no definition, so they are searched for labels with the first. */
  #unread: Linked[] = [];
  readonly #waiting = new Map<string, Linked[]>();

  constructor(document: Document) {
    this.#document = document;
  }

  get references(): References {
    return this.#references;
  }

  /** Remembers a finished block. */
  add(text: string, node: ChildNode): void {
    if (text.includes('[')) this.#unread.push({ text, node });
  }

  /** Takes over the definitions before a position; true where one is new. */
  learn({ tokens, references, source }: ParsedBlocks, before: number): boolean {
    const definitions = tokens.filter(({ type }) => type === 'reference_definition');
    if (definitions.length === 0) return false;
    const lines = definitions.map(({ map }) => map?.[0] ?? 0);
    const starts = offsetsOfLines(source, lines);
    const labels = definitions
      .filter((_, index) => (starts[index] ?? 0) < before)
      .map(({ meta }) => String(meta?.['label']));
    const fresh = labels.filter((label) => this.#define(label, references[label]));
    if (fresh.length > 0) this.#redraw(fresh);
    return fresh.length > 0;
  }

  /** The first definition of a label is the one that counts. */
  #define(label: string, reference: References[string] | undefined): boolean {
    if (reference === undefined || Object.hasOwn(this.#references, label)) return false;
    this.#references[label] = reference;
    return true;
  }

  #redraw(labels: readonly string[]): void {
    for (const linked of this.#unread) this.#await(linked);
    this.#unread = [];
    const named = new Set(labels.flatMap((label) => this.#waiting.get(label) ?? []));
    for (const { text, node } of named) this.#redrawBlock(text, node);
  }

  #await(linked: Linked): void {
    for (const label of linkLabels(linked.text)) {
      const others = this.#waiting.get(label);
      if (others === undefined) this.#waiting.set(label, [linked]);
      else others.push(linked);
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
    const drawing = drawBlocks(parseBlocks(text), place);
    const vnode = drawing.pages[0]?.children[0];
    if (vnode !== undefined) patchNode(this.#document, node, vnode);
  }
}
