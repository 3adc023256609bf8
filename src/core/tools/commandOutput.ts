import { maskDiff } from '../support/secretTokens.ts';
import { truncateText } from '../support/text.ts';
import { TerminalText } from './terminalText.ts';

/** A longer word is cut, like a line that is one word. */
const maxWordLength = 300;

/**
 * What a terminal shows of an output of any length: its start and its end. Text in between is
 * counted and dropped, so that memory use is bounded.
 */
export class BoundedTerminalText {
  readonly #terminal: TerminalText;
  readonly #maxHeadLength: number;
  readonly #maxTailLength: number;
  #head = '';
  #tail = '';
  #length = 0;

  /**
   * @param maxHeadLength maximum number of characters (UTF-16 units) stored of the start
   * @param maxTailLength maximum number stored of the end
   * @param onPassed see `TerminalText`
   */
  constructor(maxHeadLength: number, maxTailLength: number, onPassed?: (text: string) => void) {
    this.#terminal = new TerminalText(onPassed);
    this.#maxHeadLength = maxHeadLength;
    this.#maxTailLength = maxTailLength;
  }

  read(chunk: string): void {
    this.#add(this.#terminal.read(chunk));
  }

  end(): void {
    this.#add(this.#terminal.end());
  }

  /**
   * The complete text so far, or its start and end with a note on the number of omitted characters.
   * No word is cut, and a key whose first line is omitted is masked, since it would no longer be
   * recognized.
   */
  get text(): string {
    const { open } = this.#terminal;
    const room = this.#maxHeadLength - this.#head.length;
    const allHead = this.#head + open.slice(0, room);
    const allTail = this.#lastOf(this.#tail + open.slice(room));
    const length = this.#length + open.length;
    if (length === allHead.length + allTail.length) return allHead + allTail;
    const cutWord = allHead.slice(-maxWordLength).split(/\s/).at(-1) ?? '';
    const head = truncateText(allHead, allHead.length - cutWord.length);
    const [restOfWord = ''] = allTail.slice(0, maxWordLength).split(/\s/);
    const tail = allTail.slice(restOfWord.length).replace(/^[\udc00-\udfff]/, '');
    const count = length - head.length - tail.length;
    return `${head}\n… ${count} characters left out …\n${maskDiff(tail)}`;
  }

  #add(text: string): void {
    const room = this.#maxHeadLength - this.#head.length;
    this.#length += text.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    // Trims only at twice the length, so that each character is copied about once.
    if (this.#tail.length > 2 * this.#maxTailLength) this.#tail = this.#lastOf(this.#tail);
  }

  #lastOf(text: string): string {
    return this.#maxTailLength === 0 ? '' : text.slice(-this.#maxTailLength);
  }
}
