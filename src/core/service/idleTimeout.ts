import { abortError } from '../support/async.ts';
import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/event.ts';
import { ServiceError } from './errors.ts';

/** A timer that is later than this, in milliseconds, was held up: the machine slept, mostly. */
const maxTimerDelay = 1000;

/** How long, in milliseconds, is waited on after that: what came meanwhile is there at once. */
const limitAfterDelay = 5000;

/**
 * Guards the waits of one request: each ends when the person stops it, or when nothing came for too
 * long, whatever the platform's `fetch` does with its signal. One wait at a time. The time of day
 * plays no part, since it can be set: a machine that slept is known by its late timers alone.
 */
export class IdleTimeout implements Disposable {
  readonly #abort = new AbortController();
  readonly #outer: AbortSignal;
  readonly #clock: Clock;
  readonly #silenceLimit: number;
  readonly #stop = (): void => this.#interrupt(abortError(this.#outer));
  #reason: Error | undefined;
  #reject: ((reason: Error) => void) | undefined;
  #timer: Disposable | undefined;
  /** When the timer is due, and the other times: by the monotonic clock. */
  #due = 0;
  #waitingSince = 0;
  #delayedUntil = -Infinity;
  #deadline = Infinity;

  constructor(outer: AbortSignal, clock: Clock, silenceLimit: number) {
    this.#outer = outer;
    this.#clock = clock;
    this.#silenceLimit = silenceLimit;
    if (outer.aborted) this.#stop();
    else outer.addEventListener('abort', this.#stop, { once: true });
  }

  /** For `fetch`: aborts when a wait was interrupted, and when the request is given up. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * The promise, unless it is interrupted before. Where it rejects by itself, that is a `network`
   * error with these words; silence is `timeout`, or `cut` after the machine slept; an aborted
   * signal rejects with its reason.
   */
  wait<T>(promise: Promise<T>, failure: string): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      this.#waitingSince = this.#clock.monotonic();
      if (this.#timer === undefined) this.#schedule();
      promise.then(resolve, (cause: unknown) =>
        reject(this.#reason ?? new ServiceError('network', failure, { cause })),
      );
      if (this.#reason !== undefined) reject(this.#reason);
    });
  }

  /** All that follows is good to have, and not waited for longer than this, counted from now. */
  setDeadline(milliseconds: number): void {
    this.#deadline = this.#clock.monotonic() + milliseconds;
    this.#timer?.dispose();
    this.#schedule();
  }

  /** Ends the request, if it still goes on. */
  cancel(): void {
    this.#abort.abort();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#outer.removeEventListener('abort', this.#stop);
  }

  #interrupt(reason: Error): void {
    this.#reason = reason;
    this.#abort.abort(reason);
    this.#reject?.(reason);
  }

  get #wasDelayed(): boolean {
    return this.#delayedUntil >= this.#waitingSince;
  }

  /** When the wait of now is too long. */
  get #limit(): number {
    const silent = this.#wasDelayed
      ? this.#delayedUntil + limitAfterDelay
      : this.#waitingSince + this.#silenceLimit;
    return Math.min(silent, this.#deadline);
  }

  /** One timer for many waits: it looks how long the latest one lasts, and sets itself anew. */
  #schedule(): void {
    this.#due = this.#limit;
    this.#timer = this.#clock.after(this.#due - this.#clock.monotonic(), this.#check);
  }

  readonly #check = (): void => {
    const now = this.#clock.monotonic();
    if (now > this.#due + maxTimerDelay) this.#delayedUntil = now;
    if (now < this.#limit) this.#schedule();
    else this.#interrupt(this.#timeoutError());
  };

  #timeoutError(): ServiceError {
    return this.#wasDelayed
      ? new ServiceError('cut', 'Nothing came any more after the machine slept')
      : new ServiceError('timeout', 'Nothing came for too long');
  }
}
