import { LineSplitter } from './lineSplitter.ts';

/**
 * Languages of blocks that usually show how to run something: they are not the code if another
 * block follows.
 */
const sampleLanguages = new Set(
  'sh bash zsh fish shell shellscript console terminal powershell pwsh ps1 bat cmd text plaintext output'.split(
    ' ',
  ),
);

/**
 * Extracts the code from a reply as it streams: fences and the text around them are dropped.
 *
 * - A reply without a fence is all code. If its first line may be prose, the code is returned at
 *   the end.
 * - Of several blocks, the first is the code; a shell block only if there is no other.
 * - A fence with a language inside a block opens a nested block; in Markdown, so does a bare fence.
 * - An unterminated or incomplete fence is dropped too.
 *
 * Code is returned in whole lines, so the result does not depend on how the reply was split into
 * pieces.
 */
export class CodeExtractor {
  readonly #language: string;
  readonly #lines = new LineSplitter();
  readonly #unfenced = new UnfencedCode();
  #isUnfenced = false;
  /** Lines before the first fence, which are the code if no fence follows. */
  #before: string[] = [];
  #block: FencedBlock | undefined;
  /** Collects the lines of a block that is a sample. */
  #sink: string[] | undefined;
  /** The first sample, which is the code if there is no other block. */
  #sample: string[] | undefined;

  /**
   * @param language id of the expected language, if known: a block in this language is not a sample
   */
  constructor(language = '') {
    this.#language = language;
  }

  /** Adds a piece of the reply, and returns the code that is certain so far. */
  push(text: string): string {
    let code = '';
    for (const line of this.#lines.push(text)) code += this.#read(line);
    return code;
  }

  /** Returns the rest of the code; call it when no more text follows. */
  end(): string {
    const rest = this.#readLast(this.#lines.end());
    if (this.#block !== undefined) return rest + (this.#sample ?? []).join('');
    const held = this.#before.map((line) => this.#unfenced.push(line)).join('');
    return rest + held + this.#unfenced.end();
  }

  #read(line: string): string {
    if (this.#isUnfenced) return this.#unfenced.push(line);
    const block = this.#block;
    const fence = parseFence(line);
    const mayOpen = block === undefined || (this.#sink !== undefined && block.isClosed);
    if (mayOpen && fence !== undefined) return this.#open(fence);
    if (block === undefined) return this.#readBefore(line);
    const code = block.push(line);
    if (this.#sink === undefined) return code;
    this.#sink.push(code);
    return '';
  }

  /**
   * Reads the last line without a line ending, which may be an incomplete fence, or have a fence
   * directly after its code.
   */
  #readLast(line: string): string {
    const isHalfFence = /^\s*(?:`{1,2}|~{1,2})$/.test(line);
    if (line === '' || (isHalfFence && !this.#isUnfenced)) return '';
    return this.#read(this.#block?.withoutTrailingFence(line) ?? line);
  }

  #open(fence: Fence): string {
    const isSample =
      sampleLanguages.has(fenceLanguage(fence)) && !sampleLanguages.has(this.#language);
    this.#block = new FencedBlock(fence, this.#language);
    this.#sink = isSample ? [] : undefined;
    this.#sample = isSample ? (this.#sample ?? this.#sink) : undefined;
    return '';
  }

  #readBefore(line: string): string {
    const isFirst = this.#before.length === 0 && line.trim() !== '';
    this.#isUnfenced = isFirst && startsAsCode(line, this.#language);
    if (this.#isUnfenced) return this.#unfenced.push(line);
    if (this.#before.length > 0 || isFirst) this.#before.push(line);
    return '';
  }
}

/** Reads a fenced code block line by line. */
class FencedBlock {
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

  /** Whether its end was read, as far as known. */
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

/**
 * Reads a reply that is code from its first line, without surrounding empty lines, and without a
 * fence that only ends it.
 */
class UnfencedCode {
  #held: string[] = [];
  #hasBegun = false;
  #fences = 0;

  /** Adds a line, and returns the lines that certainly belong to the code. */
  push(line: string): string {
    const isFence = parseFence(line) !== undefined;
    if (isFence) this.#fences++;
    if (isFence || line.trim() === '') {
      if (this.#hasBegun || isFence) this.#held.push(line);
      return '';
    }
    this.#hasBegun = true;
    return this.#release() + line;
  }

  /** Returns the code that was held back; call it when no more text follows. */
  end(): string {
    this.#dropBlank();
    const last = parseFence(this.#held.at(-1) ?? '');
    if (this.#fences % 2 === 1 && last?.info === '') {
      this.#held.pop();
      this.#dropBlank();
    }
    return this.#release();
  }

  #dropBlank(): void {
    while (this.#held.at(-1)?.trim() === '') this.#held.pop();
  }

  #release(): string {
    const text = this.#held.join('');
    this.#held = [];
    return text;
  }
}

const markdown = new Set(['markdown', 'md', 'mdx', 'quarto', 'prompt', 'instructions']);

/** Whether a file of this language is Markdown, where fences are part of the text. */
function isMarkdown(language: string): boolean {
  return markdown.has(language.toLowerCase());
}

/** Starts and ends of lines that prose before a code block does not have. */
const code = /^(?:\s|\/\/|\/\*|#include|#!|<[\w!/?]|@\w)|(?:[;{}([]|=>|\):)\s*$/;
const markdownBlock = /^(?:#{1,6} |[-*+>|] |\d+[.)] |---|\||<)/;

/**
 * Whether the first line of a reply is certainly code. If this is false for code, the code is shown
 * only once the reply is complete; a false positive would put prose into a file.
 */
function startsAsCode(line: string, language: string): boolean {
  return isMarkdown(language) ? markdownBlock.test(line) : code.test(line);
}

/** A line that begins or ends a fenced block in Markdown. */
interface Fence {
  readonly mark: '`' | '~';
  readonly length: number;
  /** Number of white space characters before it. */
  readonly indent: number;
  /** The text after the marks; a fence with such text cannot end a block. */
  readonly info: string;
}

const pattern = /^(\s*)(`{3,}|~{3,})([^\r\n]*)/;

/** Parses a line as a fence; undefined if it is none. */
function parseFence(line: string): Fence | undefined {
  const match = pattern.exec(line);
  if (match === null) return undefined;
  const [, space = '', marks = '', rest = ''] = match;
  const mark = marks.startsWith('`') ? '`' : '~';
  // Further backticks on the line make it inline code, not a fence.
  if (mark === '`' && rest.includes('`')) return undefined;
  return { mark, length: marks.length, indent: space.length, info: rest.trim() };
}

/** The language of a fence, in lower case; empty if it specifies none. */
function fenceLanguage({ info }: Fence): string {
  const [word = ''] = info.split(/[\s,{:]/, 1);
  return word.toLowerCase();
}
