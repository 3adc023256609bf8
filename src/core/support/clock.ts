import { toDisposable, type Disposable } from './event.ts';

export interface Timer {
  /** Calls back once after `milliseconds`, unless disposed before. */
  after(milliseconds: number, callback: () => void): Disposable;
}

/**
 * Time source, injected so that tests control it. Timers and durations use `monotonic`, which is
 * unaffected by changes of the system clock; only displayed or sent times use `wall`.
 */
export interface Clock extends Timer {
  /** Milliseconds since the Unix epoch. */
  wall(): number;
  /** Milliseconds since an arbitrary moment; never decreases. */
  monotonic(): number;
}

/**
 * Returns a function that gives the time of day in whole milliseconds since the Unix epoch,
 * unaffected by later changes of the system clock: differences between its values are durations.
 */
export function monotonicWallClock(clock: Clock): () => number {
  const offset = clock.wall() - clock.monotonic();
  return () => Math.round(offset + clock.monotonic());
}

export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return toDisposable(() => clearTimeout(timer));
  },
};
