import { applySplices, diffLists, type Hunk, type Span, type Splice } from '../edits/lineDiff.ts';
import { revealInvisible } from '../support/text.ts';
import {
  checkHunk,
  followChanges,
  hunksBetween,
  lineEndOf,
  linesOf,
  splicesOf,
  type ReviewHunk,
  type TextChange,
} from './reviewHunk.ts';

/** A hunk, and the range of its new lines in the proposed text; `end` is exclusive. */
export interface ShownHunk extends Span {
  readonly hunk: ReviewHunk;
}

/**
 * A change of some lines of a file: its new lines while they stream in, then its hunks until each
 * is decided. It never changes the file, and follows the person's changes there and in the
 * proposed text.
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
  #isEdited = false;
  #nextId = 1;
  /** Lines that are shown without escapes: those of the file, and those that the person typed. */
  readonly #known: Set<string>;
  /** Lines with invisible characters, by their escaped form. */
  readonly #escaped = new Map<string, string>();
  /** The last line ending that was seen, for a text that now has only one line. */
  #lineEnd = '\n';

  /** @param line the line of the file, counted from 0, at which `before` begins */
  constructor(before: readonly string[], line: number) {
    this.#before = before;
    this.#places = new LinePlaces(before);
    this.#known = new Set(before);
    this.#hunks = [{ id: 0, line, before, after: before, isStale: false }];
  }

  /** A change between two known texts. */
  static between(before: string, after: string): Proposal {
    const proposal = new Proposal(linesOf(before), 0);
    proposal.#lineEnd = lineEndOf(after);
    for (const line of linesOf(after)) proposal.#after.push(line);
    proposal.end();
    return proposal;
  }

  get isStreaming(): boolean {
    return this.#isStreaming;
  }

  /** True once the person has rejected a part, or changed the proposed text. */
  get isEdited(): boolean {
    return this.#isEdited;
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

  /** Drops the lines that were added. */
  restart(): void {
    this.#after.length = 0;
    this.#next = 0;
  }

  /** Ends the stream: from now on there are hunks to decide, as few as possible. */
  end(): void {
    const [whole] = this.#hunks;
    if (!this.#isStreaming || whole === undefined) return;
    this.#isStreaming = false;
    this.#hunks = hunksBetween(this.#before, this.#after, whole.line);
    this.#nextId = this.#hunks.length;
  }

  /**
   * Takes a change of the proposed text by the person, after the stream. Hunks that it changes are
   * undecided again, also if they were accepted for later.
   * @param before the lines that were displayed when the person began
   */
  edit(current: string, before: readonly string[], after: readonly string[]): void {
    const moves = diffLists(before, linesOf(this.proposedText(current)));
    const old = linesOf(this.resultText(current));
    const changes = diffLists(before, after);
    const spans = movedSpans(
      changes.map((change) => change.before),
      moves,
    );
    const lines: (readonly string[])[] = [];
    let taken = 0;
    for (const [index, { start, end }] of spans.entries()) {
      const added = changes[index]?.after;
      const typed = after.slice(added?.start, added?.end).map((line) => {
        const exact = this.#escaped.get(line);
        if (exact === undefined) this.#known.add(line);
        return exact ?? line;
      });
      lines.push(old.slice(taken, start), typed);
      taken = Math.max(taken, end);
      this.#isEdited = true;
    }
    this.#renew(current, [...lines, old.slice(taken)].flat());
  }

  /** @param changes of the file, all at once */
  follow(changes: readonly TextChange[]): void {
    this.#hunks = followChanges(this.#hunks, changes);
  }

  /**
   * The displayed text of the file with all applicable hunks; invisible characters of new lines are
   * escaped. Hunks that no longer match the text become stale.
   */
  proposedText(current: string): string {
    this.#check(current);
    if (this.#isStreaming) {
      const after = [...this.#after, ...this.#before.slice(this.#next)];
      this.#hunks = this.#hunks.map((hunk) => ({ ...hunk, after }));
    }
    const escaped = this.#fitting().map((hunk) => ({
      ...hunk,
      after: hunk.after.map((line) => this.#reveal(line)),
    }));
    return applySplices(current, splicesOf(current, escaped, this.#lineEnd));
  }

  /** The ranges of the undecided hunks in the proposed text, in order. */
  shownHunks(): readonly ShownHunk[] {
    let shift = 0;
    const visible: ShownHunk[] = [];
    const accepted = new Set(this.#acceptedForLater);
    for (const hunk of [...this.#acceptedForLater, ...this.#hunks].toSorted(byLine)) {
      const { line, before, after, isStale } = hunk;
      const start = line + shift;
      if (!isStale) shift += after.length - before.length;
      const end = start + (isStale ? before : after).length;
      if (!accepted.has(hunk)) visible.push({ hunk, start, end });
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

  /** Removes hunks that were rejected. */
  remove(hunks: readonly ReviewHunk[]): void {
    this.#isEdited = true;
    this.#decided(hunks);
  }

  /** Keeps hunks that were accepted, for {@link resultText}. */
  keep(hunks: readonly ReviewHunk[]): void {
    this.#acceptedForLater = [...this.#acceptedForLater, ...this.#decided(hunks)];
  }

  /** Removes hunks that were written to the file, which moves the others. */
  take(hunks: readonly ReviewHunk[]): void {
    const written = this.#decided(hunks).toSorted(byLine).values();
    const lines = new Map<ReviewHunk, number>();
    let next = written.next().value;
    let shift = 0;
    for (const hunk of this.#hunks.toSorted(byLine)) {
      for (; next !== undefined && next.line < hunk.line; next = written.next().value)
        shift += next.after.length - next.before.length;
      lines.set(hunk, hunk.line + shift);
    }
    this.#hunks = this.#hunks.map((hunk) => ({ ...hunk, line: lines.get(hunk) ?? hunk.line }));
  }

  /** The hunks with the same numbers, as they are now. */
  #among(hunks: readonly ReviewHunk[]): readonly ReviewHunk[] {
    const ids = new Set(hunks.map(({ id }) => id));
    return this.#hunks.filter(({ id }) => ids.has(id));
  }

  /** Takes hunks out of those to decide. */
  #decided(hunks: readonly ReviewHunk[]): readonly ReviewHunk[] {
    const decided = this.#among(hunks);
    const taken = new Set(decided);
    this.#hunks = this.#hunks.filter((hunk) => !taken.has(hunk));
    return decided;
  }

  #reveal(line: string): string {
    const revealed = this.#known.has(line) ? line : revealInvisible(line).text;
    if (revealed !== line) this.#escaped.set(revealed, line);
    return revealed;
  }

  /** Replaces the hunks by those that make these lines. Hunks that stay the same keep their state. */
  #renew(text: string, lines: readonly string[]): void {
    const old = this.#fitting();
    const oldAt = new Map(old.map((hunk) => [hunk.line, hunk]));
    const renewed = differences(text, lines).map((hunk) => {
      const match = oldAt.get(hunk.line);
      const isSame =
        match !== undefined &&
        isSameLines(match.before, hunk.before) &&
        isSameLines(match.after, hunk.after);
      return isSame ? match : hunk;
    });
    const [known, current] = [new Set(old), new Set(renewed)];
    const remains = (hunk: ReviewHunk): boolean => hunk.isStale || current.has(hunk);
    // A button that is still displayed for a changed hunk decides about the one in its place.
    const ids = old.filter((hunk) => !remains(hunk)).map(({ id }) => id);
    const added = renewed
      .filter((hunk) => !known.has(hunk))
      .map((hunk, index) => ({ ...hunk, id: ids[index] ?? this.#nextId++ }));
    this.#hunks = [...this.#hunks.filter(remains), ...added].toSorted(byLine);
    this.#acceptedForLater = this.#acceptedForLater.filter(remains);
  }

  #fitting(): readonly ReviewHunk[] {
    return [...this.#acceptedForLater, ...this.#hunks.filter(({ isStale }) => !isStale)];
  }

  #check(current: string): void {
    const lines = linesOf(current);
    this.#lineEnd = lineEndOf(current, this.#lineEnd);
    this.#hunks = this.#hunks.map((hunk) => checkHunk(hunk, lines));
  }
}

function byLine(hunk: ReviewHunk, other: ReviewHunk): number {
  return hunk.line - other.line;
}

/** The differences of a text to these lines; one hunk for an empty text, so that it is one change. */
function differences(current: string, lines: readonly string[]): readonly ReviewHunk[] {
  if (current !== '') return hunksBetween(linesOf(current), lines, 0);
  if (lines.join('\n') === '') return [];
  return [{ id: 0, line: 0, before: [''], after: lines, isStale: false }];
}

function isSameLines(lines: readonly string[], others: readonly string[]): boolean {
  return lines.length === others.length && lines.every((line, index) => line === others[index]);
}

/**
 * The positions of lines after changes elsewhere; changes that overlap them are included. All are in
 * order.
 */
function movedSpans(spans: readonly Span[], moves: readonly Hunk[]): readonly Span[] {
  let next = 0;
  let shift = 0;
  return spans.map((span) => {
    for (let move = moves[next]; move && move.before.end <= span.start; move = moves[++next])
      shift += growthOf(move);
    let { start, end } = span;
    let inside = 0;
    let index = next;
    for (let move = moves[index]; move && move.before.start < end; move = moves[++index]) {
      start = Math.min(start, move.before.start);
      end = Math.max(end, move.before.end);
      inside += growthOf(move);
    }
    return { start: start + shift, end: end + shift + inside };
  });
}

function growthOf({ before, after }: Hunk): number {
  return after.end - after.start - (before.end - before.start);
}

/**
 * Maximum number of old lines that a match may skip, and additional ones for each new line before
 * it.
 */
const farthest = 200;
const fartherEach = 4;

/** Maximum number of old lines that a line with little content, such as a bracket, may skip. */
const nearest = 8;

/**
 * Finds the lines of new code among the old lines, in order. A unique line with words may match far
 * away. A bracket matches only an old line about as far away as there are new lines before it, so
 * that it doesn't misalign other code.
 */
class LinePlaces {
  /** The indexes of each line, in order, and how many of them have been passed. */
  readonly #places = new Map<string, { readonly all: number[]; passed: number }>();
  /** Number of new lines since the last match. */
  #added = 0;

  constructor(lines: readonly string[]) {
    for (const [index, line] of lines.entries()) {
      const places = this.#places.get(line);
      if (places === undefined) this.#places.set(line, { all: [index], passed: 0 });
      else places.all.push(index);
    }
  }

  /** The index at or after `next` that the line matches; undefined for a new line. */
  find(line: string, next: number): number | undefined {
    const places = this.#places.get(line);
    while (places !== undefined && (places.all[places.passed] ?? next) < next) places.passed++;
    const index = places?.all[places.passed];
    const isFound = index !== undefined && index - next <= this.#reach(line);
    this.#added = isFound ? 0 : this.#added + 1;
    return isFound ? index : undefined;
  }

  /** Number of old lines that this line may skip. */
  #reach(line: string): number {
    const places = this.#places.get(line);
    const isLast = places !== undefined && places.passed === places.all.length - 1;
    const tells = isLast && /[\p{L}\p{N}_]{3}/u.test(line);
    return tells ? farthest + fartherEach * this.#added : Math.min(this.#added, nearest);
  }
}
