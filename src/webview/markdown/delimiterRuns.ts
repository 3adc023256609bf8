export interface DelimiterRun {
  readonly character: string;
  readonly position: number;
  readonly length: number;
  readonly opens: boolean;
  readonly closes: boolean;
}

interface OpenDelimiter {
  readonly mark: DelimiterRun;
  /** Number of characters that aren't closed. */
  readonly open: number;
}

const space = /\s/;
const punctuation = /[\p{P}\p{S}]/u;

/** The characters on both sides determine whether a run can open or close emphasis. */
export function delimiterRunAt(text: string, position: number): DelimiterRun {
  const character = text.charAt(position);
  let end = position;
  while (text[end] === character) end++;
  const before = text[position - 1] ?? ' ';
  const after = text[end] ?? ' ';
  const isLeftFlanking = isFlanking(before, after);
  const isRightFlanking = isFlanking(after, before);
  const splitsWords = character !== '_';
  return {
    character,
    position,
    length: end - position,
    opens: isLeftFlanking && (splitsWords || !isRightFlanking || punctuation.test(before)),
    closes: isRightFlanking && (splitsWords || !isLeftFlanking || punctuation.test(after)),
  };
}

/** True if a run is flanking the text on this side (left- or right-flanking in CommonMark). */
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
    const closers = this.#open.map(({ mark, open: length }) => mark.character.repeat(length));
    return closers.reverse().join('');
  }

  add(mark: DelimiterRun): void {
    const remaining = mark.closes ? this.#close(mark) : mark.length;
    if (remaining > 0 && mark.opens) this.#push({ mark, open: remaining });
  }

  /**
   * Closes the open runs that the closing run is long enough for: `***` closes both `*` and `**`. A
   * run that can only close also closes a part of a longer one. Returns the number of remaining
   * characters.
   */
  #close(mark: DelimiterRun): number {
    let remaining = mark.length;
    while (remaining > 0) {
      const index = this.#places[mark.character]?.at(-1) ?? -1;
      const last = this.#open[index];
      if (last === undefined || !isPair(last.mark, mark)) break;
      if (last.open > remaining && mark.opens) break;
      this.#popFrom(index);
      if (last.open > remaining) this.#push({ mark: last.mark, open: last.open - remaining });
      remaining = Math.max(0, remaining - last.open);
    }
    return remaining;
  }

  #push(open: OpenDelimiter): void {
    this.#places[open.mark.character]?.push(this.#open.length);
    this.#open.push(open);
  }

  #popFrom(index: number): void {
    while (this.#open.length > index) {
      const last = this.#open.pop();
      this.#places[last?.mark.character ?? '']?.pop();
    }
  }
}

/** CommonMark's rule of three: `*a**b*` is one emphasis, not two. */
function isPair(opener: DelimiterRun, closer: DelimiterRun): boolean {
  const isClear = !opener.closes && !closer.opens;
  const isSum = (opener.length + closer.length) % 3 === 0;
  return isClear || !isSum || closer.length % 3 === 0;
}
