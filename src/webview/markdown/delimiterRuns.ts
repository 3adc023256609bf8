import { inlineState } from './parser.ts';

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

/**
 * Reads delimiter runs of a text as the parser does, so that what is open while the text arrives is
 * what will be drawn.
 */
export function delimiterRunsOf(text: string): (position: number) => DelimiterRun {
  const state = inlineState(text);
  return (position) => {
    const character = text.charAt(position);
    const run = state.scanDelims(position, character !== '_');
    const { length, can_open: opens, can_close: closes } = run;
    return { character, position, length, opens, closes };
  };
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
