/** Values from many sides for one reader, which waits for the next. */
export class Queue<T> {
  #values: T[] = [];
  #ended = false;
  #wake: () => void = () => undefined;

  push(value: T): void {
    this.#values.push(value);
    this.#wake();
  }

  /** Nothing comes any more. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** All values in their order, until the end. */
  async *read(): AsyncGenerator<T, void> {
    for (;;) {
      const values = this.#values;
      this.#values = [];
      yield* values;
      if (this.#values.length > 0) continue;
      if (this.#ended) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
