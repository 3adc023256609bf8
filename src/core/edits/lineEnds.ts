/** Whether two texts differ in nothing but their line ends and a byte order mark. */
export function isSameText(one: string, other: string): boolean {
  return one === other || comparable(one) === comparable(other);
}

function comparable(text: string): string {
  return withLineEnds(withoutMark(text), '\n');
}

/** The text without the byte order mark that some readers leave at its beginning. */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** The text with one kind of line end. */
export function withLineEnds(text: string, lineEnd: '\n' | '\r\n'): string {
  const plain = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return lineEnd === '\n' ? plain : plain.replaceAll('\n', lineEnd);
}

/** A text with `\n` for every `\r\n`, which knows where each place of it was. */
export class UnifiedText {
  readonly #original: string;
  readonly text: string;
  /** Where in `text` a line end was `\r\n`, in order. */
  readonly #shortened: number[] = [];

  constructor(original: string) {
    this.#original = original;
    this.text = original.includes('\r\n') ? this.#shorten(original) : original;
  }

  /** The original text with a part replaced. Offsets are those of `text`. */
  replace(start: number, end: number, replacement: string): string {
    const lineEnd = this.#lineEndAt(start);
    const inserted = lineEnd === '\n' ? replacement : replacement.replaceAll('\n', lineEnd);
    const before = this.#original.slice(0, this.#originalOffset(start));
    return before + inserted + this.#original.slice(this.#originalOffset(end));
  }

  #shorten(original: string): string {
    let kept = 0;
    const pieces: string[] = [];
    for (let found = original.indexOf('\r\n'); found !== -1;) {
      pieces.push(original.slice(kept, found));
      this.#shortened.push(found - this.#shortened.length);
      kept = found + 1;
      found = original.indexOf('\r\n', kept);
    }
    return pieces.join('') + original.slice(kept);
  }

  #originalOffset(offset: number): number {
    return offset + this.#countBefore(offset);
  }

  /** How many shortened line ends lie before the offset. */
  #countBefore(offset: number): number {
    let low = 0;
    let high = this.#shortened.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#shortened[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The line end of the line at the offset, or of the one before where it is the last. */
  #lineEndAt(offset: number): '\n' | '\r\n' {
    const next = this.text.indexOf('\n', offset);
    const lineEnd = next === -1 ? this.text.lastIndexOf('\n') : next;
    return this.#shortened[this.#countBefore(lineEnd)] === lineEnd ? '\r\n' : '\n';
  }
}
