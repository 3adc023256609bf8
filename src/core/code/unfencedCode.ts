import { fenceOf } from './fence.ts';

/** An answer that is code from its first line: without empty lines around it, and a fence that only ends it. */
export class UnfencedCode {
  #held: string[] = [];
  #hasBegun = false;
  #fences = 0;

  /** The next line. Returns the lines that belong to the code for certain. */
  push(line: string): string {
    const isFence = fenceOf(line) !== undefined;
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
    const last = fenceOf(this.#held.at(-1) ?? '');
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
