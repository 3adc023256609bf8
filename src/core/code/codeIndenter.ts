import { shiftIndent, indentOf, isBlank, type IndentPair } from '../edits/whitespace.ts';
import { LineSplitter } from './lineSplitter.ts';

/** The indentation at the place where code is inserted. */
export interface IndentStyle {
  /** Indentation of its first non-empty line. */
  readonly indent: string;
  /** One level of indentation in the document: a tab, or a number of spaces. */
  readonly unit: string;
}

/** The indentation of the first non-empty line. */
export function indentOfLines(lines: readonly string[]): string {
  return indentOf(lines.find((line) => !isBlank(line)) ?? '');
}

/**
 * Indents streaming code for the place where it is inserted. The shift of the first non-empty line
 * applies to all lines; if that line is already right, nothing is changed.
 *
 * - If only the first line lacks its indentation, as the second shows, the others are not shifted.
 * - Levels of tabs are converted to spaces or the reverse, to match the document.
 *
 * Multi-line strings inside the code are shifted too.
 */
export class CodeIndenter {
  readonly #style: IndentStyle;
  readonly #lines = new LineSplitter();
  #base: IndentPair | undefined;
  /** Indentation of one level, if tabs and spaces are converted. */
  #level: IndentPair | undefined;
  /** Number of non-empty lines so far. */
  #count = 0;
  /** True if the lines after the first are already indented for the document. */
  #isAsWritten = false;

  constructor(style: IndentStyle) {
    this.#style = style;
  }

  /** Adds a piece of code, and returns its complete lines. */
  push(code: string): string {
    let indented = '';
    for (const line of this.#lines.push(code)) indented += this.#fit(line);
    return indented;
  }

  /** Returns the last line, if it has no line ending. */
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
      // More than one level deeper than the first line: it was indented as in the document.
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
