import { fenceOf, languageOf, type Fence } from './fence.ts';
import { isMarkdown } from './startsAsCode.ts';

/** A block of code between fences, read line by line. */
export class FencedBlock {
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
    this.#isMarkdown = isMarkdown(languageOf(fence) || language);
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
    if (this.#isClosed || this.#inner.length > 0 || fenceOf(line) !== undefined) return line;
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
    const fence = fenceOf(line);
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
