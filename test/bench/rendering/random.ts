/** Pseudorandom numbers that are the same in every run. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** An integer from `min` to `max`, inclusive. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.#next() * (max - min + 1));
  }

  pick<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.integer(0, values.length - 1)] ?? values[0];
  }

  /** Mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }
}
