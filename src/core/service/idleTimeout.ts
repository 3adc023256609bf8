import { abortError } from '../support/async.ts';
import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/event.ts';
import { ServiceError } from './errors.ts';

/**
 * A timer that fires later than this, in milliseconds, was delayed: usually because the machine
 * slept.
 */
const maxTimerDelay = 1000;

/**
 * Idle limit in milliseconds after such a delay: data that arrived in the meantime is available at
 * once.
 */
const limitAfterDelay = 5000;

/**
 * Limits the waits of one request: each ends when the signal aborts, or when no data was received
 * for too long, even if the platform's `fetch` ignores its signal. One wait at a time. The time of
 * day is not used, since it can change: sleep of the machine is detected by delayed timers.
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
  /** When the timer is due. This and the following times use the monotonic clock. */
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

  /** For `fetch`: aborts when a wait was interrupted, and when the request is canceled. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * Waits for a promise unless it is interrupted first. A rejection of the promise becomes a
   * `network` error with the given message; silence is `timeout`, or `cut` after the machine slept;
   * an aborted signal rejects with its reason.
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

  /** All further data is optional: waits end this many milliseconds from now at the latest. */
  setDeadline(milliseconds: number): void {
    this.#deadline = this.#clock.monotonic() + milliseconds;
    this.#timer?.dispose();
    this.#schedule();
  }

  /** Aborts the request if it is still running. */
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

  /** When the current wait times out. */
  get #limit(): number {
    const idleLimit = this.#wasDelayed
      ? this.#delayedUntil + limitAfterDelay
      : this.#waitingSince + this.#silenceLimit;
    return Math.min(idleLimit, this.#deadline);
  }

  /**
   * Schedules one timer for many waits: when it fires, it checks the limit of the current wait and
   * is scheduled again.
   */
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
