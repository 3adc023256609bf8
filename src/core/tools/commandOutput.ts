import { BoundedOutput } from './boundedOutput.ts';
import { TerminalText } from './terminalText.ts';
import { longestResult } from './toolbox.ts';

/** Characters that are shown in the card; the terminal has them all. */
const longestPrinted = 64 * 1024;
/** Characters of the beginning and of the end that the model is told, in a result that is not cut. */
const longestHead = 14_000;
const longestTail = longestResult - longestHead - 1000;

/** What a command prints, on its way to the card and to the model. */
export class CommandOutput {
  readonly #terminal = new TerminalText();
  readonly #print: (text: string) => void;
  readonly #kept = new BoundedOutput(longestHead, longestTail);
  #room = longestPrinted;
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
    for await (const chunk of output) if (!this.#isClosed) this.#take(this.#terminal.read(chunk));
    if (!this.#isClosed) this.#take(this.#terminal.end());
  }

  /** Nobody is told of what comes from now on. */
  close(): void {
    this.#isClosed = true;
  }

  #take(text: string): void {
    this.#kept.add(text);
    const shown = text.slice(0, this.#room);
    if (shown === '') return;
    this.#room -= shown.length;
    this.#print(this.#room > 0 ? shown : `${shown}\n…\n`);
  }
}
