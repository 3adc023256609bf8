import { wordSet } from './text.ts';

/** A line that begins or ends a fenced block in Markdown. */
export interface Fence {
  readonly mark: '`' | '~';
  readonly length: number;
  /** Number of white space characters before it. */
  readonly indent: number;
  /** The text after the marks; a fence with such text cannot end a block. */
  readonly info: string;
}

const pattern = /^(\s*)(`{3,}|~{3,})([^\r\n]*)/;

/** Parses a line as a fence; undefined for other lines. */
export function parseFence(line: string): Fence | undefined {
  const match = pattern.exec(line);
  if (match === null) return undefined;
  const [, space = '', marks = '', info = ''] = match;
  const mark = marks.startsWith('`') ? '`' : '~';
  // Further backticks on the line make it inline code, not a fence.
  if (mark === '`' && info.includes('`')) return undefined;
  return { mark, length: marks.length, indent: space.length, info: info.trim() };
}

/** The language of a fence, in lower case; empty if it specifies none. */
export function fenceLanguage({ info }: Fence): string {
  const [word = ''] = info.split(/[\s,{:]/, 1);
  return word.toLowerCase();
}

const markdown = wordSet('markdown md mdx quarto prompt instructions chatagent skill rmd');

/** True if a file of this language is Markdown, where fences are part of the text. */
export function isMarkdown(language: string): boolean {
  return markdown.has(language.toLowerCase());
}

/**
 * State of a block after a line:
 * - `open`: all lines so far are its code.
 * - `ending`: the line is a fence that ends it, or opens a block inside it.
 * - `undecided`: text follows such a fence.
 * - `ended`: such a fence has ended it. It and the lines below aren't code.
 */
export type BlockState = 'open' | 'ending' | 'undecided' | 'ended';

/**
 * Finds the end of a fenced block, line by line. A fence with a language opens a block inside it,
 * which needs its own end. In Markdown, so does a bare fence with text directly below, if the next
 * fence is bare too.
 */
export class FencedLines {
  readonly #outer: Fence;
  readonly #isMarkdown: boolean;
  /** Lengths of the fences that are open inside it. */
  readonly #inner: number[] = [];
  #state: BlockState = 'open';

  constructor(outer: Fence, isMarkdown: boolean) {
    this.#outer = outer;
    this.#isMarkdown = isMarkdown;
  }

  get state(): BlockState {
    return this.#state;
  }

  /** True if a block inside it is open. */
  get isNested(): boolean {
    return this.#inner.length > 0;
  }

  /** Lines below the opening fence that lead to the same state, unless it is `ending`. */
  get summary(): readonly string[] {
    const fence = (length: number): string => this.#outer.mark.repeat(length);
    const inner = this.#inner.map((length) => `${fence(length)}x`);
    return this.#state === 'undecided' ? [...inner, fence(this.#outer.length), 'x'] : inner;
  }

  push(line: string): void {
    if (this.#state !== 'ended') this.#state = this.#next(line, this.fenceOf(line));
  }

  #next(line: string, fence: Fence | undefined): BlockState {
    const isOpen = this.#state === 'open';
    if (fence === undefined) {
      if (isOpen) return 'open';
      return this.#state === 'ending' && line.trim() === '' ? 'ended' : 'undecided';
    }
    if (!isOpen) return fence.info === '' ? 'open' : 'ended';
    if (fence.info !== '') this.#inner.push(fence.length);
    else if (this.#inner.pop() === undefined) return this.#isMarkdown ? 'ending' : 'ended';
    return 'open';
  }

  /** The line as a fence, if it could end an open block. */
  fenceOf(line: string): Fence | undefined {
    const fence = parseFence(line);
    const { mark, indent } = this.#outer;
    // A fence with more indentation is part of the code, for example in a comment.
    if (fence?.mark !== mark || fence.indent > indent + 3) return undefined;
    const length = (fence.info === '' ? this.#inner.at(-1) : undefined) ?? this.#outer.length;
    return fence.length >= length ? fence : undefined;
  }
}
