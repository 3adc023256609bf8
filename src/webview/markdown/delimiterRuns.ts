/** A delimiter run of `*`, `_` or `~`. */
export interface DelimiterRun {
  readonly character: string;
  readonly position: number;
  readonly length: number;
  readonly opens: boolean;
  readonly closes: boolean;
}

interface OpenDelimiter {
  readonly mark: DelimiterRun;
  /** Number of its characters that are not closed. */
  readonly left: number;
}

const space = /\s/;
const punctuation = /[\p{P}\p{S}]/u;

/** Whether a run can open or close emphasis depends on the characters on both sides. */
export function delimiterRunAt(text: string, position: number): DelimiterRun {
  const character = text.charAt(position);
  let end = position;
  while (text[end] === character) end++;
  const before = text[position - 1] ?? ' ';
  const after = text[end] ?? ' ';
  const left = isFlanking(before, after);
  const right = isFlanking(after, before);
  const splitsWords = character !== '_';
  return {
    character,
    position,
    length: end - position,
    opens: left && (splitsWords || !right || punctuation.test(before)),
    closes: right && (splitsWords || !left || punctuation.test(after)),
  };
}

/** Whether a run is flanking the text on this side (left- or right-flanking in CommonMark). */
function isFlanking(other: string, side: string): boolean {
  if (space.test(side)) return false;
  return !punctuation.test(side) || space.test(other) || punctuation.test(other);
}

/** The delimiters that close all open emphasis, innermost first. */
export function emphasisClosers(marks: readonly DelimiterRun[]): string {
  if (marks.length === 0) return '';
  const open = new DelimiterStack();
  for (const mark of marks) open.add(mark);
  return open.closers;
}

class DelimiterStack {
  readonly #open: OpenDelimiter[] = [];
  /** Indexes of each character's runs in `#open`. */
  readonly #places: Readonly<Record<string, number[]>> = { '*': [], _: [], '~': [] };

  get closers(): string {
    const closers = this.#open.map(({ mark, left }) => mark.character.repeat(left));
    return closers.reverse().join('');
  }

  add(mark: DelimiterRun): void {
    const left = mark.closes ? this.#close(mark) : mark.length;
    if (left > 0 && mark.opens) this.#push({ mark, left });
  }

  /**
   * Closes the open runs that the closing run is long enough for: `***` closes both `*` and `**`. A
   * run that can only close also closes a part of a longer one. Returns how many of its characters
   * are left.
   */
  #close(mark: DelimiterRun): number {
    let left = mark.length;
    while (left > 0) {
      const place = this.#places[mark.character]?.at(-1) ?? -1;
      const last = this.#open[place];
      if (last === undefined || !isPair(last.mark, mark)) break;
      if (last.left > left && mark.opens) break;
      this.#popFrom(place);
      if (last.left > left) this.#push({ mark: last.mark, left: last.left - left });
      left = Math.max(0, left - last.left);
    }
    return left;
  }

  #push(open: OpenDelimiter): void {
    this.#places[open.mark.character]?.push(this.#open.length);
    this.#open.push(open);
  }

  /** Emphasis nested in the closed one is closed with it. */
  #popFrom(place: number): void {
    while (this.#open.length > place) {
      const last = this.#open.pop();
      this.#places[last?.mark.character ?? '']?.pop();
    }
  }
}

/** The rule of three of CommonMark, by which `*a**b*` is one emphasis and not two. */
function isPair(opener: DelimiterRun, closer: DelimiterRun): boolean {
  const isClear = !opener.closes && !closer.opens;
  const isSum = (opener.length + closer.length) % 3 === 0;
  return isClear || !isSum || closer.length % 3 === 0;
}
