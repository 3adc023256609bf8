import { LineSplitter } from './lineSplitter.ts';

/** Languages of blocks that show how something is run: not the code, where another block follows. */
const samples = new Set(
  'sh bash zsh fish shell shellscript console terminal powershell pwsh ps1 bat cmd text plaintext output'.split(
    ' ',
  ),
);

/**
 * Takes the code out of an answer as it streams: fences and words around them are left out.
 *
 * - An answer without a fence is all code. Where its first line may be words, it comes at the end.
 * - Of several blocks the first is the code; one for the shell only where there is no other.
 * - A fence with a language inside a block opens a block in it; in Markdown a bare one does so too.
 * - A fence that never ends, or of which only a part came, is left out all the same.
 *
 * Code comes by whole lines, so it is the same however the answer was cut into pieces.
 */
export class CodeExtractor {
  readonly #language: string;
  readonly #lines = new LineSplitter();
  readonly #unfenced = new UnfencedCode();
  #isUnfenced = false;
  /** Words in front of the first fence, or code where none comes. */
  #before: string[] = [];
  #block: FencedBlock | undefined;
  /** Where the lines of a block go that is a sample. */
  #sink: string[] | undefined;
  /** The first sample, which is the code where nothing better comes. */
  #sample: string[] | undefined;

  /** @param language id of the wanted language, where it is known: a block in it is no sample */
  constructor(language = '') {
    this.#language = language;
  }

  /** The next piece of the answer. Returns the code that is certain now. */
  push(text: string): string {
    let code = '';
    for (const line of this.#lines.push(text)) code += this.#read(line);
    return code;
  }

  /** The rest of the code, once nothing follows. */
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

  /** The line without a line end: it may be half a fence, or have one right behind its code. */
  #readLast(line: string): string {
    const isHalfFence = /^\s*(?:`{1,2}|~{1,2})$/.test(line);
    if (line === '' || (isHalfFence && !this.#isUnfenced)) return '';
    return this.#read(this.#block?.withoutGluedFence(line) ?? line);
  }

  #open(fence: Fence): string {
    const isSample = samples.has(fenceLanguage(fence)) && !samples.has(this.#language);
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

/** A block of code between fences, read line by line. */
class FencedBlock {
  readonly #outer: Fence;
  readonly #isMarkdown: boolean;
  /** Lengths of the fences that are open inside it. */
  readonly #inner: number[] = [];
  /** What follows the end of a block of Markdown: of the block after all if another fence comes. */
  #held: string[] | undefined;
  #isClosed = false;

  /** @param language of the file that the block is for, where the fence names none */
  constructor(fence: Fence, language: string) {
    this.#outer = fence;
    this.#isMarkdown = isMarkdown(fenceLanguage(fence) || language);
  }

  /** Whether its end came, for all that is known now. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The next line of the answer. Returns what of the code is certain now. */
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

  /** The last line without the fence that stands right behind its code, where there is one. */
  withoutGluedFence(line: string): string {
    if (this.#isClosed || this.#inner.length > 0 || parseFence(line) !== undefined) return line;
    const marks = this.#outer.mark.repeat(this.#outer.length);
    const text = line.trimEnd();
    return text.endsWith(marks) ? text.slice(0, -marks.length) : line;
  }

  /** A bare fence behind the end of a block of Markdown: both were inside it. */
  #readBehind(line: string, fence: Fence | undefined): string {
    if (this.#held === undefined) return '';
    this.#held.push(this.#code(line));
    if (fence === undefined) return '';
    const text = fence.info === '' ? this.#held.join('') : '';
    this.#held = undefined;
    this.#isClosed = fence.info !== '';
    return text;
  }

  /** The line as a fence that could end what is open. */
  #fenceOf(line: string): Fence | undefined {
    const fence = parseFence(line);
    const { mark, indent } = this.#outer;
    // What is indented further is text of the code: an example in a comment, for instance.
    if (fence?.mark !== mark || fence.indent > indent + 3) return undefined;
    const length = (fence.info === '' ? this.#inner.at(-1) : undefined) ?? this.#outer.length;
    return fence.length >= length ? fence : undefined;
  }

  /** The line without the indentation of the fence, as a list around the block has it. */
  #code(line: string): string {
    let start = 0;
    while (start < this.#outer.indent && (line[start] === ' ' || line[start] === '\t')) start++;
    return line.slice(start);
  }
}

/** An answer that is code from its first line: without empty lines around it, and a fence that only ends it. */
class UnfencedCode {
  #held: string[] = [];
  #hasBegun = false;
  #fences = 0;

  /** The next line. Returns the lines that belong to the code for certain. */
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

  /** What was held back and is code, once nothing follows. */
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

/** Whether a file of this language is Markdown, in which fences are a part of the text. */
function isMarkdown(language: string): boolean {
  return markdown.has(language.toLowerCase());
}

/** Beginnings and ends that no sentence in front of a block of code has. */
const code = /^(?:\s|\/\/|\/\*|#include|#!|<[\w!/?]|@\w)|(?:[;{}([]|=>|\):)\s*$/;
const markdownBlock = /^(?:#{1,6} |[-*+>|] |\d+[.)] |---|\||<)/;

/**
 * Whether the first line of an answer is certainly code, and no words about it. Where this says no
 * and code it is, the answer is shown once it is whole: a wrong yes would leave words in a file.
 */
function startsAsCode(line: string, language: string): boolean {
  return isMarkdown(language) ? markdownBlock.test(line) : code.test(line);
}

/** A line that begins or ends a block of code in Markdown. */
interface Fence {
  readonly mark: '`' | '~';
  readonly length: number;
  /** Characters of white space in front of it. */
  readonly indent: number;
  /** What stands behind the marks; a fence with such words cannot end a block. */
  readonly info: string;
}

const pattern = /^(\s*)(`{3,}|~{3,})([^\r\n]*)/;

/** Reads a line as a fence; undefined where it is none. */
function parseFence(line: string): Fence | undefined {
  const found = pattern.exec(line);
  if (found === null) return undefined;
  const [, space = '', marks = '', rest = ''] = found;
  const mark = marks.startsWith('`') ? '`' : '~';
  // Backticks behind backticks make code inside a line, not a fence.
  if (mark === '`' && rest.includes('`')) return undefined;
  return { mark, length: marks.length, indent: space.length, info: rest.trim() };
}

/** The language that a fence names, in lower case; empty where it names none. */
function fenceLanguage({ info }: Fence): string {
  const [word = ''] = info.split(/[\s,{:]/, 1);
  return word.toLowerCase();
}
