import { applySplices, type Splice } from '../edits/splices.ts';
import { revealInvisible } from '../support/text.ts';
import { LinePlaces } from './linePlaces.ts';
import {
  checkHunk,
  followChange,
  hunksBetween,
  lineEndOf,
  linesOf,
  splicesOf,
  type ReviewHunk,
  type TextChange,
} from './reviewHunk.ts';

/** A hunk, and the range of its new lines in the proposed text; `end` is exclusive. */
export interface ShownHunk {
  readonly hunk: ReviewHunk;
  readonly start: number;
  readonly end: number;
}

/**
 * A change of some lines of a file: its new lines while they stream in, then its hunks until each
 * is decided. It never changes the file, and follows the person's changes there.
 */
export class Proposal {
  readonly #before: readonly string[];
  readonly #places: LinePlaces;
  readonly #after: string[] = [];
  /** The old lines before this one are replaced by the new lines so far. */
  #next = 0;
  /** While streaming all lines are one hunk. */
  #hunks: readonly ReviewHunk[];
  /** Accepted hunks that are written later, all together. */
  #acceptedForLater: readonly ReviewHunk[] = [];
  #isStreaming = true;
  /** The last line ending that was seen, for a text that now has only one line. */
  #lineEnd = '\n';

  /** @param line the line of the file, counted from 0, at which `before` begins */
  constructor(before: readonly string[], line: number) {
    this.#before = before;
    this.#places = new LinePlaces(before);
    this.#hunks = [{ id: 0, line, before, after: before, isStale: false }];
  }

  /** A change between two known texts. */
  static between(before: string, after: string): Proposal {
    const proposal = new Proposal(linesOf(before), 0);
    proposal.#lineEnd = lineEndOf(after);
    proposal.#after.push(...linesOf(after));
    proposal.end();
    return proposal;
  }

  get isStreaming(): boolean {
    return this.#isStreaming;
  }

  /** The hunks that are not decided, in order. */
  get hunks(): readonly ReviewHunk[] {
    return this.#hunks;
  }

  /** Adds whole lines of code; only the last line of all may lack its end. */
  push(code: string): void {
    const lines = linesOf(code);
    for (const line of lines.at(-1) === '' ? lines.slice(0, -1) : lines) {
      this.#after.push(line);
      const index = this.#places.find(line, this.#next);
      if (index !== undefined) this.#next = index + 1;
    }
  }

  /** Ends the stream: from now on there are hunks to decide, as few as possible. */
  end(): void {
    const [whole] = this.#hunks;
    if (!this.#isStreaming || whole === undefined) return;
    this.#isStreaming = false;
    this.#hunks = hunksBetween(this.#before, this.#after, whole.line);
  }

  follow(change: TextChange): void {
    this.#hunks = this.#hunks.map((hunk) => followChange(hunk, change));
  }

  /**
   * The displayed text of the file with all applicable hunks; invisible characters of new lines are
   * escaped. Hunks that no longer match the text become stale.
   */
  proposedText(current: string): string {
    this.#check(current);
    if (this.#isStreaming) this.#update();
    const known = new Set(this.#before);
    const reveal = (line: string): string => (known.has(line) ? line : revealInvisible(line).text);
    const escaped = this.#fitting().map((hunk) => ({ ...hunk, after: hunk.after.map(reveal) }));
    return applySplices(current, splicesOf(current, escaped, this.#lineEnd));
  }

  /** The ranges of the undecided hunks in the proposed text, in order. */
  shownHunks(): readonly ShownHunk[] {
    let shift = 0;
    const visible: ShownHunk[] = [];
    for (const hunk of [...this.#acceptedForLater, ...this.#hunks].toSorted(byLine)) {
      const { line, before, after, isStale } = hunk;
      const start = line + shift;
      if (!isStale) shift += after.length - before.length;
      const end = start + (isStale ? before : after).length;
      if (!this.#acceptedForLater.includes(hunk)) visible.push({ hunk, start, end });
    }
    return visible;
  }

  /** The replacements that apply some of the hunks; none for stale hunks. */
  splicesFor(current: string, hunks: readonly ReviewHunk[]): readonly Splice[] {
    this.#check(current);
    const fitting = this.#among(hunks).filter(({ isStale }) => !isStale);
    return splicesOf(current, fitting, this.#lineEnd);
  }

  /** The text with all hunks that were not rejected, exactly. */
  resultText(current: string): string {
    return applySplices(current, splicesOf(current, this.#fitting(), this.#lineEnd));
  }

  remove(hunks: readonly ReviewHunk[]): void {
    const removed = this.#among(hunks);
    this.#hunks = this.#hunks.filter((hunk) => !removed.includes(hunk));
  }

  /** Keeps hunks that were accepted, for {@link resultText}. */
  keep(hunks: readonly ReviewHunk[]): void {
    this.#acceptedForLater = [...this.#acceptedForLater, ...this.#among(hunks)];
    this.remove(hunks);
  }

  /** Removes hunks that were written to the file, which moves the others. */
  take(hunks: readonly ReviewHunk[]): void {
    const written = this.#among(hunks);
    const shiftBefore = (line: number): number =>
      written
        .filter((hunk) => hunk.line < line)
        .reduce((sum, { before, after }) => sum + after.length - before.length, 0);
    this.remove(hunks);
    this.#hunks = this.#hunks.map((hunk) => ({
      ...hunk,
      line: hunk.line + shiftBefore(hunk.line),
    }));
  }

  /** The hunks with the same numbers, as they are now. */
  #among(hunks: readonly ReviewHunk[]): readonly ReviewHunk[] {
    const ids = new Set(hunks.map(({ id }) => id));
    return this.#hunks.filter(({ id }) => ids.has(id));
  }

  #fitting(): readonly ReviewHunk[] {
    return [...this.#acceptedForLater, ...this.#hunks.filter(({ isStale }) => !isStale)];
  }

  #check(current: string): void {
    const lines = linesOf(current);
    this.#lineEnd = lineEndOf(current, this.#lineEnd);
    this.#hunks = this.#hunks.map((hunk) => checkHunk(hunk, lines));
  }

  /** While streaming, the old lines that are yet to come follow the new ones. */
  #update(): void {
    const after = [...this.#after, ...this.#before.slice(this.#next)];
    this.#hunks = this.#hunks.map((hunk) => ({ ...hunk, after }));
  }
}

function byLine(hunk: ReviewHunk, other: ReviewHunk): number {
  return hunk.line - other.line;
}
