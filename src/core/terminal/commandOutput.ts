import { truncateText } from '../support/text.ts';
import { maxResultLength } from '../tools/toolbox.ts';
import { TerminalText } from './terminalText.ts';

/** Characters that are shown in the card; the terminal has them all. */
const maxPrintedLength = 64 * 1024;
/** Characters of the beginning and of the end that the model is told, in a result that is not cut. */
const maxHeadLength = 14_000;
const maxTailLength = maxResultLength - maxHeadLength - 1000;

/** What a command prints, on its way to the card and to the model. */
export class CommandOutput {
  readonly #terminal = new TerminalText();
  readonly #print: (text: string) => void;
  readonly #kept = new BoundedOutput(maxHeadLength, maxTailLength);
  #room = maxPrintedLength;
  #isClosed = false;

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  /** For the model: plain, and not longer than a result may be. */
  get text(): string {
    return this.#kept.text;
  }

  /** Takes all of it. Resolves at its end. */
  async collect(output: AsyncIterable<string>): Promise<void> {
    // Goes on after `close`: what nobody reads would pile up.
    for await (const chunk of output) if (!this.#isClosed) this.#append(this.#terminal.read(chunk));
    if (!this.#isClosed) this.#append(this.#terminal.end());
  }

  /** Nobody is told of what comes from now on. */
  close(): void {
    this.#isClosed = true;
  }

  #append(text: string): void {
    this.#kept.add(text);
    const shown = text.slice(0, this.#room);
    if (shown === '') return;
    this.#room -= shown.length;
    this.#print(this.#room > 0 ? shown : `${shown}\n…\n`);
  }
}

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
    const head = truncateText(this.#head, this.#longestHead);
    const rest = tail.replace(/^[\udc00-\udfff]/, '');
    return `${head}\n… ${missing} characters left out …\n${rest}`;
  }

  #keptTail(): string {
    return this.#longestTail === 0 ? '' : this.#tail.slice(-this.#longestTail);
  }
}
