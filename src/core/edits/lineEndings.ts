import { diffLists } from './lineDiff.ts';

/** True if two texts differ only in line endings and a byte order mark. */
export function isSameTextIgnoringLineEndings(text: string, other: string): boolean {
  const comparable = (written: string): string =>
    withLineEndings(withoutByteOrderMark(written), '\n');
  return text === other || comparable(text) === comparable(other);
}

/** Removes a byte order mark, which some readers don't remove. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

type LineEnd = '\n' | '\r\n' | '\r';

/** Converts all line endings of a text. */
export function withLineEndings(text: string, lineEnd: LineEnd): string {
  const plain = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return lineEnd === '\n' ? plain : plain.replaceAll('\n', lineEnd);
}

/** A text with `\n` for every line ending, whose offsets can be mapped to the original. */
export class NormalizedText {
  readonly #original: string;
  readonly text: string;
  /** Ascending offsets in `text` at which the line ending was `\r\n`. */
  readonly #shortened: number[] = [];

  constructor(original: string) {
    this.#original = original;
    // Most files have none, and a search for one character is faster than for a pattern.
    this.text = original.includes('\r')
      ? original.replace(/\r\n?/g, (end, offset: number) => {
          if (end.length > 1) this.#shortened.push(offset - this.#shortened.length);
          return '\n';
        })
      : original;
  }

  /** Returns the original text with a range replaced. Offsets are those of `text`. */
  replace(start: number, end: number, replacement: string): string {
    const inserted = withLineEndings(replacement, this.#lineEndAt(start));
    const before = this.#original.slice(0, this.#originalOffset(start));
    return before + inserted + this.#original.slice(this.#originalOffset(end));
  }

  #originalOffset(offset: number): number {
    let low = 0;
    let high = this.#shortened.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#shortened[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return offset + low;
  }

  /** The line ending at the offset; for the last line, that of the line before. */
  #lineEndAt(offset: number): LineEnd {
    const next = this.text.indexOf('\n', offset);
    const at = next === -1 ? this.text.lastIndexOf('\n') : next;
    if (at === -1) return '\n';
    const original = this.#originalOffset(at);
    if (this.#original[original] === '\n') return '\n';
    return this.#original[original + 1] === '\n' ? '\r\n' : '\r';
  }
}

/** True if a text has more than one kind of line ending. */
export function hasMixedLineEndings(text: string): boolean {
  return new Set(text.match(/\r\n|\r|\n/g)).size > 1;
}

/**
 * Gives a text the line endings of the original: unchanged lines keep theirs, and new lines get
 * that of the line that they replace, or otherwise of the line before.
 */
export function withLineEndingsOf(original: string, text: string): string {
  const before = splitLines(original);
  const after = splitLines(text);
  const [first = '\n'] = before.ends;
  // The original line that gives each new line its ending; -1 before the first.
  const origins: number[] = [];
  let offset = 0;
  for (const hunk of diffLists(before.lines, after.lines)) {
    while (origins.length < hunk.after.start) origins.push(origins.length + offset);
    for (let line = hunk.before.start; origins.length < hunk.after.end; line++)
      origins.push(Math.min(line, hunk.before.end - 1));
    offset = hunk.before.end - hunk.after.end;
  }
  let result = '';
  for (const [index, line] of after.lines.entries()) {
    const origin = origins[index] ?? index + offset;
    const lineEnd = before.ends[Math.min(origin, before.ends.length - 1)] ?? first;
    const end = index < after.ends.length ? lineEnd : '';
    // A `\n` directly after a `\r` would merge two line endings into one.
    const wouldJoin = end === '\n' && line === '' && result.endsWith('\r');
    result += line + (wouldJoin ? '\r\n' : end);
  }
  return result;
}

/** Splits a text into lines and the endings between them, one fewer than lines. */
function splitLines(text: string): {
  readonly lines: readonly string[];
  readonly ends: readonly string[];
} {
  const parts = text.split(/(\r\n|\r|\n)/);
  return {
    lines: parts.filter((_, index) => index % 2 === 0),
    ends: parts.filter((_, index) => index % 2 === 1),
  };
}
