import type { Token } from 'markdown-it';
import { blocksBetween, blocksIn, type Block } from './blocks.ts';
import {
  emptyItem,
  type Container,
  type ParseContext,
  type ListContainer,
} from './parseContext.ts';
import type { ParsedBlocks } from './parser.ts';

/** The path to the open block of a text, through the last block of each level. */
export interface Walk {
  readonly levels: readonly Level[];
  /** The index of the open block among its siblings at each level, outermost first. */
  readonly steps: readonly number[];
  readonly open: Block;
  /** True if the open block is the one that the text continues. */
  readonly known: boolean;
  /** Offset of the outermost block of the path, relative to the previous one. */
  readonly blockStart: number;
}

interface Level {
  readonly container: Container;
  /** The first line of a list's open item. */
  readonly itemLine: number | undefined;
  /** Number of steps to that item. */
  readonly steps: number;
  /** Index of its first token. */
  readonly first: number;
}

/** @param startOf maps a line of the source to an offset in the outermost block */
export function walkDown(
  parsed: ParsedBlocks,
  context: ParseContext,
  startOf: (line: number) => number,
): Walk | undefined {
  return new Descent(parsed, context, startOf).run();
}

class Descent {
  readonly #parsed: ParsedBlocks;
  readonly #context: ParseContext;
  readonly #startOf: (line: number) => number;
  readonly #lines: readonly string[];
  readonly #levels: Level[] = [];
  readonly #steps: number[] = [];
  #known = true;
  #blockStart = 0;
  #margin = 0;
  #quotes = 0;

  constructor(parsed: ParsedBlocks, context: ParseContext, startOf: (line: number) => number) {
    this.#parsed = parsed;
    this.#context = context;
    this.#startOf = startOf;
    this.#lines = parsed.source.split('\n');
  }

  run(): Walk | undefined {
    const { tokens } = this.#parsed;
    let blocks: readonly Block[] | undefined = blocksBetween(tokens, 0, tokens.length);
    let open: Block | undefined;
    while (blocks !== undefined) {
      open = this.#stepTo(blocks);
      if (open === undefined) return undefined;
      blocks = this.#enter(open);
    }
    if (open === undefined) return undefined;
    const blockStart = this.#blockStart;
    return { levels: this.#levels, steps: this.#steps, open, known: this.#known, blockStart };
  }

  #stepTo(blocks: readonly Block[]): Block | undefined {
    const open = blocks.at(-1);
    const { path, openBlock } = this.#context;
    const isFirst = this.#steps.length === 0;
    this.#known &&= blocks.length === 1;
    if (
      isFirst &&
      open !== undefined &&
      !(this.#known && (path.length > 0 || openBlock !== undefined))
    )
      this.#blockStart = this.#startOf(open.line);
    this.#steps.push(blocks.length - 1);
    return open;
  }

  /** The child blocks; undefined at the end of the path. */
  #enter(open: Block): readonly Block[] | undefined {
    if (open.token.type === 'blockquote_open') return this.#enterQuote(open);
    return isList(open.token) ? this.#enterList(open) : undefined;
  }

  #enterQuote(open: Block): readonly Block[] | undefined {
    const inside = blocksIn(this.#parsed.tokens, open);
    if (inside.length === 0) return undefined;
    const container: Container = { kind: 'quote', start: this.#startOfBlock(open) };
    this.#levels.push({
      container,
      itemLine: undefined,
      steps: this.#steps.length,
      first: open.first,
    });
    this.#margin = 0;
    this.#quotes += 1;
    return inside;
  }

  #enterList(open: Block): readonly Block[] | undefined {
    const { tokens } = this.#parsed;
    const items = blocksIn(tokens, open);
    const before = this.#before();
    const start = this.#startOfBlock(open);
    const item = this.#stepTo(items);
    if (item === undefined) return undefined;
    const loose =
      (before?.kind === 'list' && before.loose) ||
      isLoose(tokens, items, this.#lines, this.#quotes);
    const inside = blocksIn(tokens, item);
    const itemStart =
      this.#known && before?.kind === 'list' && before.inside
        ? before.itemStart
        : this.#startOf(item.line);
    const list = this.#list(item, inside, { start, itemStart, loose });
    this.#levels.push({
      container: list,
      itemLine: item.line,
      steps: this.#steps.length,
      first: open.first,
    });
    if (!list.inside) return undefined;
    this.#margin = list.indent;
    return inside;
  }

  #list(
    item: Block,
    inside: readonly Block[],
    position: Pick<ListContainer, 'start' | 'itemStart' | 'loose'>,
  ): ListContainer {
    const opening = this.#parsed.openings.get(inside[0]?.first ?? -1);
    const { info: digits, markup: marker } = item.token;
    const indent = opening?.indent ?? 0;
    const list: ListContainer = { kind: 'list', ...position, inside: true, digits, marker, indent };
    const possible = opening !== undefined && emptyItem(list, this.#margin) !== undefined;
    return { ...list, inside: possible };
  }

  #before(): Container | undefined {
    return this.#known ? this.#context.path[this.#levels.length] : undefined;
  }

  #startOfBlock({ line }: Block): number {
    return this.#before()?.start ?? this.#startOf(line);
  }
}

export function isList({ type }: Token): boolean {
  return type === 'bullet_list_open' || type === 'ordered_list_open';
}

/** True if blank lines separate the items of a list, or the blocks within one. */
export function isLoose(
  tokens: readonly Token[],
  items: readonly Block[],
  lines: readonly string[],
  quotes: number,
): boolean {
  const blank = new RegExp(`^(?:[ \\t]*>){0,${quotes}}[ \\t]*$`);
  const followsBlank = (block: Block, index: number): boolean =>
    index > 0 && blank.test(lines[block.line - 1] ?? '');
  return (
    items.some(followsBlank) || items.some((item) => blocksIn(tokens, item).some(followsBlank))
  );
}

/**
 * Unhides the paragraphs of lists whose stable part is loose. The parser sees only the rest of
 * these lists, and may consider them tight.
 */
export function showLooseParagraphs(tokens: readonly Token[], { path }: ParseContext): void {
  let index = 0;
  for (const container of path) {
    if (container.kind === 'list' && container.loose) showParagraphs(tokens, index);
    index += container.kind === 'list' ? 2 : 1;
  }
}

/** Unhides the paragraphs of the list that starts at this token. */
export function showParagraphs(tokens: readonly Token[], first: number): void {
  const level = tokens[first]?.level ?? 0;
  for (let index = first + 1; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined || token.level <= level) return;
    if (token.level === level + 2 && /^paragraph_/.test(token.type)) token.hidden = false;
  }
}
