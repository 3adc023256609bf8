import { fenceOf, languageOf, type Fence } from './fence.ts';
import { FencedBlock } from './fencedBlock.ts';
import { OpenLine } from './openLine.ts';
import { startsAsCode } from './startsAsCode.ts';
import { UnfencedCode } from './unfencedCode.ts';

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
export class FencedCode {
  readonly #language: string;
  readonly #lines = new OpenLine();
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
    const fence = fenceOf(line);
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
    const isSample = samples.has(languageOf(fence)) && !samples.has(this.#language);
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
