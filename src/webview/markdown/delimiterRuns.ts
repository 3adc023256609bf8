/** A run of `*`, `_` or `~`. */
export interface DelimiterRun {
  readonly character: string;
  readonly position: number;
  readonly length: number;
  readonly opens: boolean;
  readonly closes: boolean;
}

interface OpenDelimiter {
  readonly mark: DelimiterRun;
  /** How many of its characters are not closed. */
  readonly left: number;
}

const space = /\s/;
const punctuation = /[\p{P}\p{S}]/u;

/** What stands on both sides tells what a run can do. */
export function delimiterRunAt(text: string, position: number): DelimiterRun {
  const character = text.charAt(position);
  let end = position;
  while (text[end] === character) end++;
  const before = text[position - 1] ?? ' ';
  const after = text[end] ?? ' ';
  const left = leans(before, after);
  const right = leans(after, before);
  const splitsWords = character !== '_';
  return {
    character,
    position,
    length: end - position,
    opens: left && (splitsWords || !right || punctuation.test(before)),
    closes: right && (splitsWords || !left || punctuation.test(after)),
  };
}

/** Whether a run belongs to the text on this side rather than to what is on the other. */
function leans(other: string, side: string): boolean {
  if (space.test(side)) return false;
  return !punctuation.test(side) || space.test(other) || punctuation.test(other);
}

/** What closes the emphasis that is open after these marks. */
export function emphasisClosers(marks: readonly DelimiterRun[]): string {
  if (marks.length === 0) return '';
  const open = new DelimiterStack();
  for (const mark of marks) open.add(mark);
  return open.closers;
}

class DelimiterStack {
  readonly #open: OpenDelimiter[] = [];
  /** Where those of a character are among all. */
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
   * Closes what a mark is long enough for, as `***` does both `*` and `**`; where it can only
   * close, also a part of what is longer. Tells what is left of the mark.
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

  /** What is open inside of what is closed is closed with it. */
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
