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

const markdown = new Set([
  'markdown',
  'md',
  'mdx',
  'quarto',
  'prompt',
  'instructions',
  'chatagent',
  'skill',
  'rmd',
]);

/** True if a file of this language is Markdown, where fences are part of the text. */
export function isMarkdown(language: string): boolean {
  return markdown.has(language.toLowerCase());
}

/** True if a line is the first of a diff, which isn't code for a file. */
export function beginsDiff(line: string): boolean {
  return /^(?:diff --git |--- (?:a\/|\S+\t|\/dev\/null)|@@ -\d|Index: \S|\*\*\* Begin Patch)/.test(
    line,
  );
}

/** Reads a fenced code block line by line. */
export class FencedBlock {
  readonly #outer: Fence;
  readonly #isMarkdown: boolean;
  /** Lengths of the fences that are open inside it. */
  readonly #inner: number[] = [];
  /**
   * Lines after the apparent end of a Markdown block: they belong to the block if another fence
   * follows.
   */
  #held: string[] | undefined;
  #isClosed = false;

  /** @param language of the target file, used if the fence specifies none */
  constructor(fence: Fence, language: string) {
    this.#outer = fence;
    this.#isMarkdown = isMarkdown(fenceLanguage(fence) || language);
  }

  /** True if its end was read. Later lines may revoke that. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Adds a line of the reply, and returns the code that is certain so far. */
  push(line: string): string {
    const fence = this.#fenceOf(line);
    if (this.#isClosed) return this.#readBehind(line, fence);
    if (fence === undefined) return this.#code(line);
    if (fence.info !== '') this.#inner.push(fence.length);
    else if (this.#inner.length > 0) this.#inner.pop();
    else {
      this.#isClosed = true;
      this.#held = this.#isMarkdown ? [this.#code(line)] : undefined;
      return '';
    }
    return this.#code(line);
  }

  /** Removes a fence that directly follows the code of the last line. */
  withoutTrailingFence(line: string): string {
    if (this.#isClosed || this.#inner.length > 0 || parseFence(line) !== undefined) return line;
    const marks = this.#outer.mark.repeat(this.#outer.length);
    const text = line.trimEnd();
    return text.endsWith(marks) ? text.slice(0, -marks.length) : line;
  }

  /**
   * Reads a line after the apparent end. If a bare fence follows, both fences were inside the
   * Markdown block.
   */
  #readBehind(line: string, fence: Fence | undefined): string {
    if (this.#held === undefined) return '';
    this.#held.push(this.#code(line));
    if (fence === undefined) return '';
    const text = fence.info === '' ? this.#held.join('') : '';
    this.#held = undefined;
    this.#isClosed = fence.info !== '';
    return text;
  }

  /** The line as a fence, if it could end an open block. */
  #fenceOf(line: string): Fence | undefined {
    const fence = parseFence(line);
    const { mark, indent } = this.#outer;
    // A fence with more indentation is part of the code, for example in a comment.
    if (fence?.mark !== mark || fence.indent > indent + 3) return undefined;
    const length = (fence.info === '' ? this.#inner.at(-1) : undefined) ?? this.#outer.length;
    return fence.length >= length ? fence : undefined;
  }

  /** Removes the indentation of the fence, which a list around the block adds. */
  #code(line: string): string {
    let start = 0;
    while (start < this.#outer.indent && (line[start] === ' ' || line[start] === '\t')) start++;
    return line.slice(start);
  }
}
