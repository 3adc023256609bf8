import { cutText } from '../support/cutText.ts';

/**
 * The beginning and the end of an output of any length. What is in between is counted and dropped,
 * so that memory stays flat.
 */
export class BoundedOutput {
  readonly #longestHead: number;
  readonly #longestTail: number;
  #head = '';
  #tail = '';
  #length = 0;

  /** @param longestHead @param longestTail characters (UTF-16 units) that are kept */
  constructor(longestHead: number, longestTail: number) {
    this.#longestHead = longestHead;
    this.#longestTail = longestTail;
  }

  add(text: string): void {
    const room = this.#longestHead - this.#head.length;
    this.#length += text.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    // Seldom, so that each character is copied about once.
    if (this.#tail.length > 2 * this.#longestTail) this.#tail = this.#keptTail();
  }

  /** All of it, or both ends with a line that tells how much is left out between them. */
  get text(): string {
    const tail = this.#keptTail();
    const missing = this.#length - this.#head.length - tail.length;
    if (missing === 0) return this.#head + tail;
    const head = cutText(this.#head, this.#longestHead);
    const rest = tail.replace(/^[\udc00-\udfff]/, '');
    return `${head}\n… ${missing} characters left out …\n${rest}`;
  }

  #keptTail(): string {
    return this.#longestTail === 0 ? '' : this.#tail.slice(-this.#longestTail);
  }
}
