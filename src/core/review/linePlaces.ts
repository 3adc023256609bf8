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
export class LinePlaces {
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
    const index = this.#first(line, next);
    const isFound = index !== undefined && index - next <= this.#reach(line);
    this.#added = isFound ? 0 : this.#added + 1;
    return isFound ? index : undefined;
  }

  #first(line: string, next: number): number | undefined {
    const places = this.#places.get(line);
    if (places === undefined) return undefined;
    while ((places.all[places.passed] ?? next) < next) places.passed++;
    return places.all[places.passed];
  }

  /** Number of old lines that this line may skip. */
  #reach(line: string): number {
    const places = this.#places.get(line);
    const isLast = places !== undefined && places.passed === places.all.length - 1;
    const tells = isLast && /[\p{L}\p{N}_]{3}/u.test(line);
    return tells ? farthest + fartherEach * this.#added : Math.min(this.#added, nearest);
  }
}
