const minute = 60_000;

/** Amounts of the last sixty seconds, against a limit per minute. Times are monotonic milliseconds. */
export class RateWindow {
  readonly #limit: number;
  #entries: readonly { readonly at: number; readonly amount: number }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(now: number, amount: number): void {
    this.#forget(now);
    this.#entries = [...this.#entries, { at: now, amount }];
  }

  /**
   * Milliseconds until `amount` more fits: 0 now, `Infinity` where it alone exceeds the limit.
   */
  waitFor(now: number, amount: number): number {
    if (amount > this.#limit) return Infinity;
    this.#forget(now);
    let excess = this.#entries.reduce((sum, entry) => sum + entry.amount, amount) - this.#limit;
    if (excess <= 0) return 0;
    for (const entry of this.#entries) {
      excess -= entry.amount;
      if (excess <= 0) return entry.at + minute - now;
    }
    return Infinity;
  }

  #forget(now: number): void {
    this.#entries = this.#entries.filter((entry) => entry.at + minute > now);
  }
}
