/**
 * A value that passed the gate. Effects take nothing else, and nobody but the gate makes one: the
 * private field keeps look-alikes out, and a test looks for others that make one.
 */
export class Approved<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }
}
