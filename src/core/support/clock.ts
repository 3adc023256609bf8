import { toDisposable, type Disposable } from './event.ts';

/**
 * Time as the code sees it, so that tests own it. Timers and durations use `monotonic`, which a
 * changed system clock does not move; only what a person reads or the wire states uses `wall`.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  wall(): number;
  /** Milliseconds since an arbitrary moment, never going back. */
  monotonic(): number;
  /** Calls back once after `milliseconds`, unless disposed before. */
  after(milliseconds: number, callback: () => void): Disposable;
}

/**
 * The time of day, in whole milliseconds, as it would be if nobody set the clock from now on: what
 * is told by it also tells how long things took.
 */
export function monotonicWallClock(clock: Clock): () => number {
  const ahead = clock.wall() - clock.monotonic();
  return () => Math.round(ahead + clock.monotonic());
}

/** The clock of the machine. */
export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return toDisposable(() => clearTimeout(timer));
  },
};
