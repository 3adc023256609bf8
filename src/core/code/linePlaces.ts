/** So many old lines may be left out at once, and so many more for each line that came in their place. */
const farthest = 200;
const fartherEach = 4;

/** A line that says little, such as a bracket, leaves out no more old lines than these. */
const nearest = 8;

/**
 * Where the lines of new code stand in the old, one after the other. A line that stands once and has
 * words is believed from afar; a bracket is taken for the old one only where that is about as far as
 * the new lines are long, so that it does not take the rest of the code with it.
 */
export class LinePlaces {
  /** Where each line stands, in order, with how many of these places have been passed. */
  readonly #places = new Map<string, { readonly all: number[]; passed: number }>();
  /** New lines since the last that was found. */
  #added = 0;

  constructor(lines: readonly string[]) {
    for (const [index, line] of lines.entries()) {
      const places = this.#places.get(line);
      if (places === undefined) this.#places.set(line, { all: [index], passed: 0 });
      else places.all.push(index);
    }
  }

  /** The place at or behind `next` that the line means; undefined where it is a new line. */
  find(line: string, next: number): number | undefined {
    const place = this.#first(line, next);
    const isFound = place !== undefined && place - next <= this.#reach(line);
    this.#added = isFound ? 0 : this.#added + 1;
    return isFound ? place : undefined;
  }

  #first(line: string, next: number): number | undefined {
    const places = this.#places.get(line);
    if (places === undefined) return undefined;
    while ((places.all[places.passed] ?? next) < next) places.passed++;
    return places.all[places.passed];
  }

  /** How many old lines this line may leave out. */
  #reach(line: string): number {
    const places = this.#places.get(line);
    const isLast = places !== undefined && places.passed === places.all.length - 1;
    const tells = isLast && /[\p{L}\p{N}_]{3}/u.test(line);
    return tells ? farthest + fartherEach * this.#added : Math.min(this.#added, nearest);
  }
}
