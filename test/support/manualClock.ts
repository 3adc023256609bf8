import { systemClock, type Clock } from '../../src/core/support/clock.ts';
import { toDisposable, type Disposable } from '../../src/core/support/event.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** A clock that is advanced by the test. */
export class ManualClock implements Clock {
  #now = 0;
  #wall: number;
  #timers: readonly Timer[] = [];
  #onTimer: () => void = () => undefined;

  /** @param wall initial time of day */
  constructor(wall = Date.UTC(2026, 0, 1)) {
    this.#wall = wall;
  }

  wall(): number {
    return this.#wall + this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): Disposable {
    const timer = { due: this.#now + Math.max(0, milliseconds), callback };
    this.#timers = [...this.#timers, timer].sort((first, second) => first.due - second.due);
    this.#onTimer();
    return toDisposable(() => {
      this.#timers = this.#timers.filter((pending) => pending !== timer);
    });
  }

  /** Milliseconds until each pending timer, the next one first. */
  get waits(): readonly number[] {
    return this.#timers.map((timer) => timer.due - this.#now);
  }

  /** Resolves with the delay of the next timer, once there is one. */
  async nextWait(): Promise<number> {
    while (this.waits[0] === undefined)
      await new Promise<void>((resolve) => (this.#onTimer = resolve));
    return this.waits[0];
  }

  /** Jumps ahead like a machine that was asleep, so timers fire late. */
  async leap(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    await this.advance(0);
  }

  /** Changes only the time of day, like a correction of the system clock. */
  setWall(wall: number): void {
    this.#wall = wall - this.#now;
  }

  /**
   * Advances the time. Due timers fire in order, and promises settle before each timer and at the
   * end, so that timers they start are included.
   */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (let next = this.#timers[0]; next !== undefined && next.due <= end;) {
      this.#timers = this.#timers.slice(1);
      this.#now = Math.max(this.#now, next.due);
      next.callback();
      await settle();
      next = this.#timers[0];
    }
    this.#now = end;
  }

  /** Advances the time until a promise has settled. */
  async advanceUntil<T>(pending: Promise<T>): Promise<T> {
    const over = new AbortController();
    void pending.catch(() => undefined).finally(() => over.abort());
    while (!over.signal.aborted) await this.advance(1000);
    return pending;
  }
}

/** Two ticks, since a stream passes on a chunk in a tick of its own. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

let skipped = 0;

/** The real clock, which skips the waits before retries. */
export const clockWithoutRetryWaits: Clock = {
  wall: () => systemClock.wall() + skipped,
  monotonic: () => systemClock.monotonic() + skipped,
  after(delay, callback) {
    if (delay >= 5000) return systemClock.after(delay, callback);
    return systemClock.after(0, () => {
      skipped += delay;
      callback();
    });
  },
};
