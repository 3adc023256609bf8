import { diffLists, type Hunk } from './lineDiff.ts';

/** Whether two texts differ in nothing but their line ends and a byte order mark. */
export function isSameTextIgnoringLineEndings(one: string, other: string): boolean {
  return one === other || comparable(one) === comparable(other);
}

function comparable(text: string): string {
  return withLineEndings(withoutByteOrderMark(text), '\n');
}

/** The text without the byte order mark that some readers leave at its beginning. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** The text with one kind of line end. */
export function withLineEndings(text: string, lineEnd: '\n' | '\r\n'): string {
  const plain = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return lineEnd === '\n' ? plain : plain.replaceAll('\n', lineEnd);
}

/** A text with `\n` for every `\r\n`, which knows where each place of it was. */
export class NormalizedText {
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

/** Whether a text has more than one kind of line end. */
export function hasMixedLineEndings(text: string): boolean {
  return new Set(text.match(/\r\n|\r|\n/g)).size > 1;
}

/**
 * The text with the line ends of the original, of whatever kinds: a line that is in both keeps its
 * own, and a new one has that of the line that it replaces, or else of the one before it.
 */
export function withLineEndingsOf(original: string, text: string): string {
  const before = cut(original);
  const after = cut(text);
  const [first = '\n'] = before.ends;
  const hunks = diffLists(before.lines, after.lines);
  const origins = [...originalLines(hunks, after.lines.length)];
  const endOf = (index: number): string =>
    before.ends[Math.min(origins[index] ?? 0, before.ends.length - 1)] ?? first;
  let result = '';
  for (const [index, line] of after.lines.entries()) {
    const end = index < after.ends.length ? endOf(index) : '';
    // Behind a `\r` with nothing between, a `\n` would make one line end of two.
    const wouldJoin = end === '\n' && line === '' && result.endsWith('\r');
    result += line + (wouldJoin ? '\r\n' : end);
  }
  return result;
}

/** Lines and the ends between them: one end less than lines. */
function cut(text: string): {
  readonly lines: readonly string[];
  readonly ends: readonly string[];
} {
  const parts = text.split(/(\r\n|\r|\n)/);
  return {
    lines: parts.filter((_, index) => index % 2 === 0),
    ends: parts.filter((_, index) => index % 2 === 1),
  };
}

/** For each of so many new lines, the old one whose end it has; -1 before the first. */
function* originalLines(hunks: readonly Hunk[], count: number): Generator<number, void> {
  let index = 0;
  let offset = 0;
  for (const { before, after } of hunks) {
    for (; index < after.start; index++) yield index + offset;
    for (; index < after.end; index++)
      yield Math.min(before.start + index - after.start, before.end - 1);
    offset = before.end - after.end;
  }
  for (; index < count; index++) yield index + offset;
}
