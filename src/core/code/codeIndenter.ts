import { shiftIndent, indentOf, isBlank, type IndentPair } from '../edits/whitespace.ts';
import { LineSplitter } from './lineSplitter.ts';

/** How the place is indented where code goes. */
export interface IndentStyle {
  /** The indentation of its first line that is not empty. */
  readonly indent: string;
  /** One level in the document: a tab, or so many spaces. */
  readonly unit: string;
}

/** The indentation of the place that these lines fill: that of the first with something in it. */
export function indentOfLines(lines: readonly string[]): string {
  return indentOf(lines.find((line) => !isBlank(line)) ?? '');
}

/**
 * Indents code, as it streams, for the place where it goes. The first line with something in it is
 * moved to the place and decides about all others; where it is right already, nothing is touched.
 *
 * - Where only the first line lacks its indentation, as the second tells, the others stay.
 * - Levels of tabs become spaces and the other way round, where the document has the other kind.
 *
 * A text of several lines inside the code moves along with it.
 */
export class CodeIndenter {
  readonly #style: IndentStyle;
  readonly #lines = new LineSplitter();
  #base: IndentPair | undefined;
  /** What a level is, where tabs and spaces are exchanged. */
  #level: IndentPair | undefined;
  /** Lines with something in them so far. */
  #count = 0;
  /** The other lines are in their place already. */
  #isAsWritten = false;

  constructor(style: IndentStyle) {
    this.#style = style;
  }

  /** The next piece of code. Returns the lines that are whole. */
  push(code: string): string {
    let fitted = '';
    for (const line of this.#lines.push(code)) fitted += this.#fit(line);
    return fitted;
  }

  /** The last line, where it has no line end. */
  end(): string {
    return this.#fit(this.#lines.end());
  }

  #fit(line: string): string {
    if (isBlank(line)) return line;
    const written = indentOf(line);
    this.#base ??= { written, real: this.#style.indent };
    this.#count++;
    this.#learn(written, this.#base);
    return this.#isAsWritten && this.#count > 1
      ? line
      : this.#shift(written, this.#base) + line.slice(written.length);
  }

  #learn(written: string, { written: first, real }: IndentPair): void {
    if (this.#count === 1) this.#isAsWritten = first === real && real !== '';
    if (this.#count === 2 && first === '' && real !== '') {
      // Deeper than one level below the first line: it was written as it is in the document.
      const tooDeep = written.length > this.#style.unit.length;
      this.#isAsWritten = tooDeep && written.startsWith(real);
    }
    const isDeeper = written.length > first.length && written.startsWith(first);
    if (this.#level !== undefined || !isDeeper) return;
    const step = written.slice(first.length);
    const isOtherKind = step.includes('\t') !== this.#style.unit.includes('\t');
    this.#level = isOtherKind ? { written, real: real + this.#style.unit } : undefined;
  }

  #shift(written: string, base: IndentPair): string {
    const { written: first, real } = base;
    const inside = written.startsWith(first) ? written.slice(first.length) : undefined;
    const isKept = this.#level === undefined || inside === '';
    if (inside !== undefined && isKept) return real + inside;
    return shiftIndent(written, [base], this.#level === undefined ? [base] : [base, this.#level]);
  }
}
