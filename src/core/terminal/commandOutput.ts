import { maskDiff } from '../support/secretTokens.ts';
import { truncateText } from '../support/text.ts';
import { maxResultLength } from '../tools/toolbox.ts';
import { TerminalText } from './terminalText.ts';

/** Maximum number of characters that the card shows; the terminal has the complete output. */
const maxPrintedLength = 64 * 1024;
/**
 * Maximum number of characters of the start and of the end in a result, so that the result is not
 * truncated.
 */
const maxHeadLength = 14_000;
const maxTailLength = maxResultLength - maxHeadLength - 1000;

/** Collects the output of a command for the card and for the model. */
export class CommandOutput {
  readonly #print: (text: string) => void;
  readonly #output: BoundedTerminalText;
  #passed = '';
  #remaining = maxPrintedLength;
  #isClosed = false;

  /** @param print appends to the card, which gets each row once: the result has its last state */
  constructor(print: (text: string) => void) {
    this.#print = print;
    this.#output = new BoundedTerminalText({
      maxHeadLength,
      maxTailLength,
      onPassed: (text) => {
        if (this.#passed.length < this.#remaining) this.#passed += text;
      },
    });
  }

  /** The output so far for the model: plain text that fits into a result. */
  get text(): string {
    return this.#output.text;
  }

  async collect(output: AsyncIterable<string>): Promise<void> {
    // Continues to read after `close`, since unread output would accumulate.
    for await (const chunk of output) {
      if (this.#isClosed) continue;
      this.#output.read(chunk);
      this.#printPassed();
    }
    if (this.#isClosed) return;
    this.#output.end();
    this.#printPassed();
  }

  close(): void {
    this.#isClosed = true;
  }

  #printPassed(): void {
    const printed = this.#passed.slice(0, this.#remaining);
    this.#passed = '';
    if (printed === '') return;
    this.#remaining -= printed.length;
    this.#print(this.#remaining > 0 ? printed : `${printed}\n…\n`);
  }
}

interface BoundedTerminalTextOptions {
  /** See `BoundedOutput`. */
  readonly maxHeadLength: number;
  readonly maxTailLength: number;
  /** See `TerminalText`. */
  readonly onPassed?: (text: string) => void;
}

/** What a terminal shows of an output of any length: its start and its end. */
export class BoundedTerminalText {
  readonly #terminal: TerminalText;
  readonly #final: BoundedOutput;

  constructor({ maxHeadLength: head, maxTailLength: tail, onPassed }: BoundedTerminalTextOptions) {
    this.#terminal = new TerminalText({ onPassed });
    this.#final = new BoundedOutput(head, tail);
  }

  read(chunk: string): void {
    this.#final.add(this.#terminal.read(chunk));
  }

  end(): void {
    this.#final.add(this.#terminal.end());
  }

  /** The text so far. */
  get text(): string {
    return this.#final.textWith(this.#terminal.open);
  }
}

/** A longer word is cut, like a line that is one word. */
const maxWordLength = 300;

/** The number of characters of the word at an end of a text. */
function lengthOfWord(text: string, at: 'start' | 'end'): number {
  const near = at === 'start' ? text.slice(0, maxWordLength) : text.slice(-maxWordLength);
  const words = near.split(/\s/);
  const word = at === 'start' ? words[0] : words.at(-1);
  return word?.length ?? 0;
}

/**
 * Keeps the start and the end of an output of any length. Text in between is counted and dropped,
 * so that memory use is bounded.
 */
export class BoundedOutput {
  readonly #longestHead: number;
  readonly #longestTail: number;
  #head = '';
  #tail = '';
  #length = 0;

  /**
   * @param longestHead maximum number of characters (UTF-16 units) stored of the start
   * @param longestTail maximum number stored of the end
   */
  constructor(longestHead: number, longestTail: number) {
    this.#longestHead = longestHead;
    this.#longestTail = longestTail;
  }

  add(text: string): void {
    const room = this.#longestHead - this.#head.length;
    this.#length += text.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    // Trims only at twice the length, so that each character is copied about once.
    if (this.#tail.length > 2 * this.#longestTail) this.#tail = this.#keptTail();
  }

  /** The text as if more had been added. */
  textWith(more: string): string {
    const copy = new BoundedOutput(this.#longestHead, this.#longestTail);
    copy.#head = this.#head;
    copy.#tail = this.#tail;
    copy.#length = this.#length;
    copy.add(more);
    return copy.text;
  }

  /**
   * The complete output, or its start and end with a note on the number of omitted characters. No
   * word is cut, and a key whose first line is omitted is masked, since it would no longer be
   * recognized.
   */
  get text(): string {
    const tail = this.#keptTail();
    const missing = this.#length - this.#head.length - tail.length;
    if (missing === 0) return this.#head + tail;
    const headLength = this.#head.length - lengthOfWord(this.#head, 'end');
    const head = truncateText(this.#head, headLength);
    const ending = tail.slice(lengthOfWord(tail, 'start')).replace(/^[\udc00-\udfff]/, '');
    const count = this.#length - head.length - ending.length;
    return `${head}\n… ${count} characters left out …\n${maskDiff(ending)}`;
  }

  #keptTail(): string {
    return this.#longestTail === 0 ? '' : this.#tail.slice(-this.#longestTail);
  }
}
