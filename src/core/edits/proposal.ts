import { applySplices, diffLists, type Hunk, type Span, type Splice } from './lineDiff.ts';
import { linesOf, revealInvisible } from '../support/text.ts';

/** Lines of a file, and the lines that would replace them; all without their ends. */
export interface ReviewHunk {
  /** Number in the change, which doesn't change. */
  readonly id: number;
  /** The line of the file, counted from 0, at which it begins. */
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** True if its lines were changed, so that it can no longer be applied. */
  readonly isStale: boolean;
}

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
  readonly #matcher: LineMatcher;
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
    this.#matcher = new LineMatcher(before);
    this.#known = new Set(before);
    this.#hunks = [{ id: 0, line, before, after: before, isStale: false }];
  }

  /** A change between two known texts. */
  static between(before: string, after: string): Proposal {
    const proposal = new Proposal(linesOf(before), 0);
    proposal.#lineEnd = lineEndOf(after);
    for (const line of linesOf(after)) proposal.#after.push(line);
    proposal.endStream();
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
      const index = this.#matcher.find(line, this.#next);
      if (index !== undefined) this.#next = index + 1;
    }
  }

  /** Drops the lines that were added. */
  restart(): void {
    this.#after.length = 0;
    this.#next = 0;
  }

  /** Ends the stream: from now on there are hunks to decide, as few as possible. */
  endStream(): void {
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
    const escaped = this.#fitting().map((hunk) => {
      const after = hunk.after.map((line) => {
        const revealed = this.#known.has(line) ? line : revealInvisible(line).text;
        if (revealed !== line) this.#escaped.set(revealed, line);
        return revealed;
      });
      return { ...hunk, after };
    });
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

  /** Replaces the hunks by those that make these lines. Hunks that stay the same keep their state. */
  #renew(text: string, lines: readonly string[]): void {
    const old = this.#fitting();
    const oldAt = new Map(old.map((hunk) => [hunk.line, hunk]));
    let differences = hunksBetween(linesOf(text), lines, 0);
    if (text === '' && lines.join('\n') === '') differences = [];
    // All lines of an empty text are one change.
    else if (text === '') {
      differences = [{ id: 0, line: 0, before: [''], after: lines, isStale: false }];
    }
    const renewed = differences.map((hunk) => {
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

  /** Marks hunks as stale whose lines are no longer those of the file. */
  #check(current: string): void {
    const lines = linesOf(current);
    this.#lineEnd = lineEndOf(current, this.#lineEnd);
    this.#hunks = this.#hunks.map((hunk) => {
      const { line, before, isStale } = hunk;
      const isThere = before.every((text, index) => lines[line + index] === text);
      return isStale || (isThere && line <= lines.length) ? hunk : { ...hunk, isStale: true };
    });
  }
}

function byLine(hunk: ReviewHunk, other: ReviewHunk): number {
  return hunk.line - other.line;
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
class LineMatcher {
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
    const isUnique = places !== undefined && places.passed === places.all.length - 1;
    const reach =
      isUnique && /[\p{L}\p{N}_]{3}/u.test(line)
        ? farthest + fartherEach * this.#added
        : Math.min(this.#added, nearest);
    const isMatch = index !== undefined && index - next <= reach;
    this.#added = isMatch ? 0 : this.#added + 1;
    return isMatch ? index : undefined;
  }
}

/**
 * The differences between lines of a file and their replacement, as hunks.
 * @param first the line of the file at which `before` begins
 */
function hunksBetween(
  before: readonly string[],
  after: readonly string[],
  first: number,
): readonly ReviewHunk[] {
  return diffLists(before, after).map((hunk, id) => ({
    id,
    line: first + hunk.before.start,
    before: before.slice(hunk.before.start, hunk.before.end),
    after: after.slice(hunk.after.start, hunk.after.end),
    isStale: false,
  }));
}

/** The line end of a text; `otherwise` if it has only one line. */
function lineEndOf(text: string, otherwise = '\n'): string {
  if (text.includes('\r\n')) return '\r\n';
  return text.includes('\n') ? '\n' : otherwise;
}

/**
 * The replacements that carry out hunks in a text, in order, with its line ends. A last line
 * without an end stays without one.
 * @param lineEnd used where the text has only one line
 */
function splicesOf(text: string, hunks: readonly ReviewHunk[], lineEnd: string): readonly Splice[] {
  const newLine = lineEndOf(text, lineEnd);
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1))
    starts.push(end + 1);
  // Hunks between which nothing is left become one.
  const joined: { readonly line: number; readonly before: string[]; readonly after: string[] }[] =
    [];
  for (const { line, before, after } of hunks.toSorted(byLine)) {
    const last = joined.at(-1);
    if (last === undefined || last.line + last.before.length !== line) {
      joined.push({ line, before: [...before], after: [...after] });
      continue;
    }
    for (const content of before) last.before.push(content);
    for (const content of after) last.after.push(content);
  }
  return joined.map(({ line, before, after }) => {
    const behind = starts[line + before.length];
    const start = starts[line] ?? text.length;
    if (behind !== undefined) {
      return { start, end: behind, text: after.map((content) => content + newLine).join('') };
    }
    const added = after.join(newLine);
    // These are the last lines, so the line end before them is added or removed with them.
    if (before.length === 0) return { start, end: text.length, text: newLine + added };
    const isGone = after.length === 0 && line > 0;
    const lineEndLength = text[start - 2] === '\r' ? 2 : 1;
    return { start: isGone ? start - lineEndLength : start, end: text.length, text: added };
  });
}

/**
 * A replacement in a text, as VS Code reports it: lines and characters are counted from 0. Structurally
 * a `TextDocumentContentChangeEvent`.
 */
export interface TextChange {
  readonly range: { readonly start: Position; readonly end: Position };
  readonly text: string;
}

interface Position {
  readonly line: number;
  readonly character: number;
}

/** Number of lines that a change adds; negative if it removes some. */
function addedLines({ range: { start, end }, text }: TextChange): number {
  return text.split('\n').length - 1 - (end.line - start.line);
}

/**
 * Moves hunks with changes of their file; where a change touches the lines of one, it becomes stale.
 * Linear if the changes go upwards, as VS Code reports those of one edit.
 *
 * @param changes each in the text after the ones before it
 */
function followChanges(
  hunks: readonly ReviewHunk[],
  changes: readonly TextChange[],
): readonly ReviewHunk[] {
  const runs: TextChange[][] = [];
  for (const change of changes) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run !== undefined && last !== undefined && isBefore(change, last)) run.push(change);
    else runs.push([change]);
  }
  return runs.reduce((moved, run) => followUpwards(moved, run.toReversed()), hunks);
}

/** True if a change is above another one, or in the same line before one that adds no line. */
function isBefore({ range: { end } }: TextChange, other: TextChange): boolean {
  const { start, end: otherEnd } = other.range;
  if (end.line !== start.line) return end.line < start.line;
  const isInLine = otherEnd.line === start.line && !other.text.includes('\n');
  return isInLine && end.character <= start.character;
}

/** @param ordered changes from the top, all in the text before them */
function followUpwards(
  hunks: readonly ReviewHunk[],
  ordered: readonly TextChange[],
): readonly ReviewHunk[] {
  const followed = new Map<ReviewHunk, ReviewHunk>();
  let above = 0;
  let shift = 0;
  for (const hunk of hunks.toSorted(byLine)) {
    const { line, before } = hunk;
    for (let change = ordered[above]; change && isAbove(change, line); change = ordered[++above])
      shift += addedLines(change);
    const next = ordered[above];
    const isTouched = next !== undefined && next.range.start.line < line + before.length;
    if (shift === 0 && !isTouched) continue;
    followed.set(hunk, { ...hunk, line: line + shift, isStale: hunk.isStale || isTouched });
  }
  return hunks.map((hunk) => followed.get(hunk) ?? hunk);
}

/** True if a change ends above a line, without putting something in front of it. */
function isAbove({ range: { start, end }, text }: TextChange, line: number): boolean {
  if (end.line !== line) return end.line < line;
  const joinsLine = text === '' ? start.character > 0 : !text.endsWith('\n');
  return end.character === 0 && !joinsLine;
}

/** Whole lines of a text, counted from 0, including the last one. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Moves lines with a change of their text. A change within them changes their number; undefined if
 * a change extends beyond them, so that they must be found again.
 */
export function followLines({ first, last }: LineRange, change: TextChange): LineRange | undefined {
  const { start, end } = change.range;
  if (start.line > last) return { first, last };
  const added = addedLines(change);
  const endsAbove =
    end.line < first || (end.line === first && end.character === 0 && start.line < first);
  // A line break typed at the start of a line moves that line down.
  const isAtStart = start.line === first && start.character === 0 && end.line === first;
  if (endsAbove || (isAtStart && end.character === 0 && change.text.endsWith('\n'))) {
    return { first: first + added, last: last + added };
  }
  const isInside = start.line >= first && end.line <= last;
  return isInside ? { first, last: last + added } : undefined;
}

/**
 * Finds lines in a text that may have changed since they were read: the nearest equal lines,
 * otherwise the expected position, within the text.
 */
export function findAnchor(
  text: readonly string[],
  lines: readonly string[],
  expected: number,
): LineRange {
  const most = text.length - 1;
  const center = Math.max(0, Math.min(expected, most));
  const length = Math.max(0, lines.length - 1);
  for (let distance = 0; distance <= most; distance++) {
    const start = [center - distance, center + distance].find(
      (at) => at >= 0 && at <= most && lines.every((line, index) => text[at + index] === line),
    );
    if (start !== undefined) return { first: start, last: start + length };
  }
  return { first: center, last: Math.max(center, Math.min(center + length, most)) };
}
