import type { Redactor } from './redact.ts';

/**
 * Takes the known keys out of text that comes in pieces. What could be the beginning of a key is
 * held back until the next piece tells, so that a key that is cut in two is found as well.
 */
export class RedactedText {
  readonly #redactor: Redactor;
  #held = '';

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** What can be shown now. */
  push(text: string): string {
    const all = this.#held + text;
    const end = this.#redactor.settledLength(all);
    this.#held = all.slice(end);
    return this.#redactor.redact(all.slice(0, end));
  }

  /** What was held back, once nothing follows. */
  end(): string {
    const rest = this.#redactor.redact(this.#held);
    this.#held = '';
    return rest;
  }
}
