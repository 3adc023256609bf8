import type { Row } from './editStream.ts';
import type { RowStep } from './rowSteps.ts';
import type { TextChange } from './textChange.ts';

/**
 * The rows of a change in a document, which are kept up to date while the document is edited
 * elsewhere.
 */
export class OpenRows {
  #start: number;
  #rows: Row[];

  /** @param start line of the document, counted from 0, at which the rows begin */
  constructor(start: number, rows: readonly Row[]) {
    this.#start = start;
    this.#rows = [...rows];
  }

  get start(): number {
    return this.#start;
  }

  /** The line after the last row. */
  get end(): number {
    return this.#start + this.#rows.length;
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** A copy that does not follow later changes of these rows. */
  copy(): OpenRows {
    return new OpenRows(this.#start, this.#rows);
  }

  /** Whether the document still contains the rows. */
  stand(lineAt: (line: number) => string | undefined): boolean {
    return this.#rows.every(({ text }, row) => lineAt(this.#start + row) === text);
  }

  /** Applies a step, which was applied to the text, to the rows. */
  take({ start, end, rows }: Omit<RowStep, 'edits'>): void {
    this.#rows = this.#rows.slice(0, start).concat(rows, this.#rows.slice(end));
  }

  /**
   * Follows another change of the document. Lines inserted among rows of one kind get that kind;
   * lines that replace rows of several kinds count as unchanged.
   *
   * @returns whether the change touched the rows
   */
  follow(change: TextChange): boolean {
    const lines = change.text.split('\n').length - 1;
    const whole = isWholeLines(change);
    if (change.endLine < this.#start || (change.endLine === this.#start && whole)) {
      this.#start += lines - (change.endLine - change.startLine);
      return false;
    }
    if (change.startLine >= this.end) return false;
    this.#replace(change, whole ? lines : lines + 1, whole);
    return true;
  }

  #replace({ startLine, endLine }: TextChange, count: number, whole: boolean): void {
    const behind = whole ? endLine : endLine + 1;
    const from = Math.max(startLine - this.#start, 0);
    const to = Math.min(behind - this.#start, this.#rows.length);
    // A line inserted between two rows gets their kind.
    const touched =
      from < to ? this.#rows.slice(from, to) : this.#rows.slice(Math.max(from - 1, 0), to + 1);
    const kinds = new Set(touched.map(({ kind }) => kind));
    const crosses = startLine < this.#start || behind > this.end;
    const [only = 'same'] = kinds;
    const kind = crosses || kinds.size > 1 ? 'same' : only;
    const rows = Array.from({ length: count }, (): Row => ({ kind, text: '' }));
    this.#start = Math.min(this.#start, startLine);
    this.take({ start: from, end: to, rows });
  }
}

/**
 * Whether the change covers whole lines, so that the line at its end stays complete and unchanged.
 */
function isWholeLines({ startCharacter, endCharacter, text }: TextChange): boolean {
  return endCharacter === 0 && (text.endsWith('\n') || (text === '' && startCharacter === 0));
}
